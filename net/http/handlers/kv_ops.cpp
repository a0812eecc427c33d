#include "net/http/handlers/kv_ops.hpp"

#include "net/http/handlers/refusals.hpp"

#include <algorithm>
#include <set>

namespace queen::net {

namespace {

using domain::kv_op_kind;

constexpr size_t key_bytes_max = 512;
constexpr int64_t prefix_limit_max = 1000;

constexpr std::pair<std::string_view, kv_op_kind> kinds[] = {
  {"get", kv_op_kind::get},
  {"getMany", kv_op_kind::get_many},
  {"getPrefix", kv_op_kind::get_prefix},
  {"put", kv_op_kind::put},
  {"putIfAbsent", kv_op_kind::put_if_absent},
  {"delete", kv_op_kind::erase},
  {"incr", kv_op_kind::incr},
  {"check", kv_op_kind::check}};

bool writes(kv_op_kind kind) {
  return kind == kv_op_kind::put || kind == kv_op_kind::put_if_absent ||
         kind == kv_op_kind::erase || kind == kv_op_kind::incr;
}

/// Reads one operation; the first rule that it breaks is kept.
class op_reader {
public:
  op_reader(json_value object, std::string where, const kv_rules& rules,
            const limits& bounds)
    : object_(object), where_(std::move(where)), rules_(rules),
      bounds_(bounds) {}

  std::optional<op_refusal> read(domain::kv_op& out) {
    if (!read_kind(out.kind))
      return refusal_;
    if (rules_.in_transaction && out.kind == kv_op_kind::get_prefix)
      return op_refusal{"kv_get_prefix_not_allowed_in_transaction",
                        where_ + ": getPrefix has no place in a transaction"};
    read_namespace(out);
    switch (out.kind) {
    case kv_op_kind::get:
      read_key(out);
      break;
    case kv_op_kind::get_many:
      read_keys(out);
      break;
    case kv_op_kind::get_prefix:
      read_prefix(out);
      break;
    case kv_op_kind::put:
    case kv_op_kind::put_if_absent:
      read_key(out);
      read_put(out);
      if (out.kind == kv_op_kind::put_if_absent)
        out.expect = 0;
      break;
    case kv_op_kind::erase:
      read_key(out);
      read_expect(out);
      break;
    case kv_op_kind::incr:
      read_key(out);
      read_numbers(out);
      read_expiry(out);
      break;
    case kv_op_kind::check:
      read_key(out);
      read_expect(out);
      if (!out.expect)
        refuse("kv_bad_expect", "expect", "is required");
      break;
    }
    read_required(out);
    return refusal_;
  }

  std::optional<op_refusal> read_put(domain::kv_op& out) {
    auto value = object_.find("value");
    if (value) {
      out.value = compact(value->raw_slice());
      out.value_too_large = out.value.view.size() > bounds_.kv_value_bytes_max;
      if (out.value_too_large && !rules_.in_transaction && !refusal_)
        refusal_ = op_refusal{
          "kv_value_too_large",
          where_ + "value has " + std::to_string(out.value.view.size()) +
            " bytes as compact JSON, at most " +
            std::to_string(bounds_.kv_value_bytes_max) + " are taken",
          true};
    } else {
      refuse("kv_bad_body", "value", "is required");
    }
    read_expiry(out);
    read_expect(out);
    return refusal_;
  }

private:
  void refuse(std::string_view reason, std::string_view member,
              std::string_view message) {
    if (!refusal_)
      refusal_ = op_refusal{std::string{reason}, where_ + std::string{member} +
                                                   " " + std::string{message}};
  }

  std::optional<json_value> present(std::string_view name) const {
    auto value = object_.find(name);
    if (value && value->is(json_kind::null))
      return std::nullopt;
    return value;
  }

  /// A string member; anything else is `reason`.
  std::string text(std::string_view name, std::string_view reason) {
    auto value = object_.find(name);
    auto text = value ? value->text() : std::nullopt;
    if (!text)
      refuse(reason, name, "must be a string");
    return text.value_or(std::string{});
  }

  bool read_kind(kv_op_kind& out) {
    auto op = object_.find("op");
    auto word = op ? op->text() : std::nullopt;
    for (const auto& [name, kind] : kinds)
      if (word && *word == name) {
        out = kind;
        return true;
      }
    refuse("kv_unknown_op", "op",
           "must be one of get, getMany, getPrefix, put, putIfAbsent, delete, "
           "incr, check");
    return false;
  }

  void keep(std::optional<op_refusal> refusal) {
    if (!refusal_)
      refusal_ = std::move(refusal);
  }

  void read_namespace(domain::kv_op& out) {
    out.ns = text("ns", "kv_bad_namespace");
    keep(check_kv_namespace(out.ns, where_ + "ns"));
  }

  void read_key(domain::kv_op& out) {
    out.key = text("key", "kv_bad_key");
    keep(check_kv_key(out.key, where_ + "key"));
  }

  void read_keys(domain::kv_op& out) {
    auto keys = object_.find("keys");
    if (!keys || !keys->is(json_kind::array))
      return refuse("kv_bad_body", "keys", "must be an array of strings");
    keys->each([&](json_value element) {
      auto where = where_ + indexed("keys", out.keys.size());
      auto key = element.text();
      if (!key)
        keep(op_refusal{"kv_bad_key", where + " must be a string"});
      else
        keep(check_kv_key(*key, where));
      out.keys.push_back(std::move(key).value_or(std::string{}));
      return !refusal_ && out.keys.size() <= rules_.keys_max;
    });
  }

  void read_prefix(domain::kv_op& out) {
    auto prefix = object_.find("prefix");
    out.prefix = prefix ? prefix->text().value_or(std::string{}) : "";
    if (out.prefix.empty())
      return refuse("kv_prefix_required", "prefix",
                    "must be a string that is not empty");
    keep(check_kv_key(out.prefix, where_ + "prefix"));
    if (present("after"))
      out.after = text("after", "kv_bad_body");
    if (auto limit = present("limit")) {
      auto number = limit->integer();
      if (number && *number >= 1 && *number <= prefix_limit_max)
        out.limit = static_cast<uint32_t>(*number);
      else
        refuse("kv_bad_body", "limit", "must be a whole number from 1 to 1000");
    }
    out.keys_only = flag("keysOnly").value_or(false);
  }

  std::optional<bool> flag(std::string_view name) {
    auto value = present(name);
    if (value && !value->boolean())
      refuse("kv_bad_body", name, "must be true or false");
    return value ? value->boolean() : std::nullopt;
  }

  void read_required(domain::kv_op& out) {
    bool gate = flag("required").value_or(rules_.required);
    // A read is answered from the state after the call: never a condition.
    out.required = gate && (writes(out.kind) || out.kind == kv_op_kind::check);
  }

  void read_expiry(domain::kv_op& out) {
    auto ttl = present("ttlSeconds");
    auto forever = present("forever");
    if (forever && !forever->boolean())
      return refuse("kv_bad_ttl", "forever", "must be true or false");
    if ((ttl ? 1 : 0) + (forever && *forever->boolean() ? 1 : 0) != 1)
      return refuse("kv_expiry_not_specified", "ttlSeconds",
                    "or forever:true is required, and not both");
    if (!ttl)
      return;
    auto seconds = ttl->integer();
    if (seconds && *seconds > 0 && *seconds <= UINT32_MAX)
      out.ttl_seconds = static_cast<uint32_t>(*seconds);
    else
      refuse("kv_bad_ttl", "ttlSeconds",
             "must be a whole number above 0 and below 4294967296");
  }

  void read_expect(domain::kv_op& out) {
    auto expect = present("expect");
    if (!expect)
      return;
    auto version = expect->integer();
    if (version && *version >= 0)
      out.expect = static_cast<domain::version_t>(*version);
    else
      refuse("kv_bad_expect", "expect", "must be a version: 0 or above");
  }

  void read_numbers(domain::kv_op& out) {
    auto delta = object_.find("delta");
    auto number = delta ? delta->number() : std::nullopt;
    if (number)
      out.delta = *number;
    else
      refuse("kv_bad_body", "delta", "must be a number");
    out.min = read_bound("min");
    out.max = read_bound("max");
  }

  std::optional<domain::number> read_bound(std::string_view name) {
    auto value = present(name);
    if (value && !value->number())
      refuse("kv_bad_body", name, "must be a number");
    return value ? value->number() : std::nullopt;
  }

  json_value object_;
  std::string where_; // with its dot: a prefix of members' names
  const kv_rules& rules_;
  const limits& bounds_;
  std::optional<op_refusal> refusal_;
};

std::string_view name_of(kv_op_kind kind) {
  for (const auto& [name, known] : kinds)
    if (known == kind)
      return name;
  return "";
}

void write_row(json_writer& out, const domain::kv_row_view& row) {
  out.begin_object().text("key", row.key);
  if (!row.value.empty())
    out.raw("value", row.value);
  out.number("version", row.version)
    .time("expiresAt", row.expires_at)
    .time("updatedAt", row.updated_at)
    .end_object();
}

void write_rows(json_writer& out, const domain::kv_result& result) {
  out.key("rows").begin_array();
  for (const auto& row : result.rows)
    write_row(out, row);
  out.end_array();
}

} // namespace

std::optional<op_refusal> check_kv_namespace(std::string_view ns,
                                             std::string_view where) {
  auto first = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  auto later = [&](char c) {
    return first(c) || c == '.' || c == '_' || c == '-';
  };
  if (!ns.empty() && ns.size() <= 64 && first(ns[0]) &&
      std::all_of(ns.begin(), ns.end(), later))
    return std::nullopt;
  return op_refusal{"kv_bad_namespace",
                    std::string{where} +
                      " must match ^[a-z0-9][a-z0-9._-]{0,63}$"};
}

std::optional<op_refusal> check_kv_key(std::string_view key,
                                       std::string_view where) {
  if (key.size() > key_bytes_max)
    return op_refusal{"kv_key_too_large",
                      std::string{where} + " has " +
                        std::to_string(key.size()) +
                        " bytes, at most 512 are taken",
                      true};
  if (!key.empty() && key.find('\0') == std::string_view::npos)
    return std::nullopt;
  return op_refusal{"kv_bad_key", std::string{where} +
                                    " must have 1 to 512 bytes and no NUL"};
}

std::optional<op_refusal> read_kv_put(json_value object, std::string where,
                                      const limits& bounds,
                                      domain::kv_op& out) {
  kv_rules rules;
  return op_reader{object, std::move(where), rules, bounds}.read_put(out);
}

std::optional<op_refusal> read_kv_ops(const std::vector<json_value>& elements,
                                      std::string_view name,
                                      const kv_rules& rules,
                                      const limits& bounds,
                                      std::vector<domain::kv_op>& out) {
  if (elements.size() > rules.ops_max)
    return op_refusal{"kv_too_many_ops", std::to_string(elements.size()) +
                                           " operations, at most " +
                                           std::to_string(rules.ops_max) +
                                           " a call"};
  size_t keys = 0;
  std::set<std::pair<std::string, std::string>> written;
  out.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    domain::kv_op op;
    op_reader reader{elements[i], indexed(name, i) + ".", rules, bounds};
    if (auto refusal = reader.read(op))
      return refusal;
    keys += op.kind == kv_op_kind::get_many ? op.keys.size() : 1;
    if (keys > rules.keys_max)
      return op_refusal{"kv_too_many_keys", "at most " +
                                              std::to_string(rules.keys_max) +
                                              " keys a call"};
    if (writes(op.kind) && !written.emplace(op.ns, op.key).second)
      return op_refusal{"kv_duplicate_key_in_call",
                        indexed(name, i) +
                          " writes a key that this call already writes"};
    out.push_back(std::move(op));
  }
  return std::nullopt;
}

void write_kv_result(json_writer& out, const domain::kv_result& result) {
  out.text("op", name_of(result.kind));
  switch (result.kind) {
  case kv_op_kind::get:
    out.boolean("found", result.found)
      .text("key", result.key)
      .raw("value", result.value)
      .number("version", result.version)
      .time("expiresAt", result.expires_at)
      .time("updatedAt", result.updated_at);
    return;
  case kv_op_kind::get_many:
    write_rows(out, result);
    out.key("missing").begin_array();
    for (const auto& key : result.missing)
      out.text(key);
    out.end_array();
    return;
  case kv_op_kind::get_prefix:
    write_rows(out, result);
    out.text_or_null("nextAfter", result.next_after)
      .boolean("truncated", result.truncated);
    return;
  case kv_op_kind::put:
  case kv_op_kind::put_if_absent:
  case kv_op_kind::erase:
  case kv_op_kind::incr:
  case kv_op_kind::check:
    break;
  }
  out.boolean("applied", result.applied);
  if (result.reason != domain::kv_reason::none)
    out.text("reason", to_string(result.reason));
  out.text("key", result.key)
    .raw("value", result.value)
    .number("version", result.version);
}

} // namespace queen::net
