#include "actors/kv/kv_state.hpp"

#include "actors/kv/kv_number.hpp"

#include <algorithm>

namespace queen::actors {

using namespace domain;

namespace {

// Bytes of rows in one answer to a read of several keys: beyond it a prefix
// read says that it is truncated.
constexpr size_t prefix_bytes_max = 8 << 20;

bool writes(kv_op_kind kind) {
  switch (kind) {
  case kv_op_kind::put:
  case kv_op_kind::put_if_absent:
  case kv_op_kind::erase:
  case kv_op_kind::incr:
    return true;
  case kv_op_kind::get:
  case kv_op_kind::get_many:
  case kv_op_kind::get_prefix:
  case kv_op_kind::check:
    return false;
  }
  return false;
}

bool reads_rows(kv_op_kind kind) {
  return !writes(kind) && kind != kv_op_kind::check;
}

std::string key_of(const std::string& ns, const std::string& key) {
  std::string out = ns;
  out += '\0'; // in no namespace
  return out += key;
}

bool alive(const kv_row& row, time_us now) {
  return row.expires_at == 0 || row.expires_at > now;
}

time_us expiry(const kv_op& op, time_us from) {
  return op.ttl_seconds == 0 ? 0 : from + int64_t{op.ttl_seconds} * 1000000;
}

void show(const kv_row& row, kv_result& out) {
  out.value = row.value;
  out.version = row.version;
  out.expires_at = row.expires_at;
  out.updated_at = row.updated_at;
}

kv_row_view view_of(const std::string& key, const kv_row& row, bool keys_only) {
  kv_row_view out;
  out.key = key;
  if (!keys_only)
    out.value = row.value;
  out.version = row.version;
  out.expires_at = row.expires_at;
  out.updated_at = row.updated_at;
  return out;
}

// Why a condition on the key's version does not hold; none: it does.
kv_reason unmet(const std::optional<version_t>& expect,
                const std::optional<kv_row>& row) {
  if (!expect)
    return kv_reason::none;
  if (*expect == 0)
    return row ? kv_reason::exists : kv_reason::none;
  if (!row)
    return kv_reason::absent;
  return row->version == *expect ? kv_reason::none : kv_reason::version;
}

} // namespace

kv_footprint footprint_of(const transaction& call,
                          const std::vector<uint32_t>& items) {
  kv_footprint out;
  for (auto item : items) {
    auto& op = call.kv[item];
    if (writes(op.kind))
      out.written_spaces.insert(op.ns);
    if (op.kind == kv_op_kind::get_prefix)
      out.read_spaces.insert(op.ns);
    else if (op.kind == kv_op_kind::get_many)
      for (auto& key : op.keys)
        out.keys.push_back(key_of(op.ns, key));
    else
      out.keys.push_back(key_of(op.ns, op.key));
  }
  return out;
}

struct kv_state::reading {
  time_us now;
  overlay own; // what this call writes
  std::vector<effect> effects;
  bool on_planned = false;
};

kv_state::kv_state(const uuid& tenant, const persistence::store& store)
  : tenant_(tenant), store_(store) {
  auto row = store_.get(key::kv_version(tenant_));
  if (row && *row)
    if (auto last = decode_number(**row))
      last_version_ = *last;
}

std::optional<kv_row> kv_state::find(reading& at, const std::string& ns,
                                     const std::string& key) const {
  std::optional<kv_row> row;
  auto own = at.own.find({ns, key});
  auto planned = planned_.find({ns, key});
  if (own != at.own.end()) {
    row = own->second.row;
  } else if (planned != planned_.end()) {
    at.on_planned = true;
    row = planned->second.row;
  } else {
    auto bytes = store_.get(key::kv(tenant_, ns, key));
    if (bytes && *bytes)
      if (auto decoded = decode_kv(**bytes))
        row = std::move(*decoded);
  }
  if (row && !alive(*row, at.now))
    row.reset();
  return row;
}

// -- reads --------------------------------------------------------------------

kv_result kv_state::read(reading& at, const kv_op& op) const {
  kv_result out;
  out.kind = op.kind;
  out.key = op.key;
  if (op.kind == kv_op_kind::get) {
    if (auto row = find(at, op.ns, op.key)) {
      out.found = true;
      show(*row, out);
    }
  } else if (op.kind == kv_op_kind::get_prefix) {
    read_prefix(at, op, out);
  } else {
    auto keys = op.keys;
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    for (auto& key : keys) {
      if (auto row = find(at, op.ns, key))
        out.rows.push_back(view_of(key, *row, op.keys_only));
      else
        out.missing.push_back(key);
    }
  }
  return out;
}

// Stored rows and the rows over them, both in key order, merged.
void kv_state::read_prefix(reading& at, const kv_op& op, kv_result& out) const {
  auto begin = std::max(op.prefix, op.after);
  auto has_prefix = [&](const std::string& text) {
    return text.compare(0, op.prefix.size(), op.prefix) == 0;
  };
  overlay over; // of this prefix; what the call wrote hides what was planned
  for (const overlay* source :
       {static_cast<const overlay*>(&at.own), &planned_})
    for (auto i = source->lower_bound({op.ns, begin});
         i != source->end() && i->first.first == op.ns &&
         has_prefix(i->first.second);
         ++i)
      over.insert(*i);
  auto above = over.begin();
  auto space = key::kv_of(tenant_, op.ns);
  auto rows = store_.scan(space, key::prefix_end(space));
  rows->seek(key::kv(tenant_, op.ns, begin));
  std::string stored_key;
  auto stored = [&] {
    uuid tenant;
    std::string ns;
    return rows->valid() &&
           key::parse_kv(rows->key(), tenant, ns, stored_key) &&
           has_prefix(stored_key);
  };
  auto planned = [&] { return above != over.end(); };
  size_t bytes = 0;
  for (bool from_store = stored(), from_plan = planned();
       from_store || from_plan; from_store = stored(), from_plan = planned()) {
    bool take_plan =
      from_plan && (!from_store || above->first.second <= stored_key);
    auto key = take_plan ? above->first.second : stored_key;
    std::optional<kv_row> row;
    if (take_plan) {
      if (from_store && stored_key == key)
        rows->next(); // hidden by what is planned
      at.on_planned = at.on_planned || !at.own.count(above->first);
      row = above->second.row;
      ++above;
    } else {
      if (auto decoded = decode_kv(rows->value()))
        row = std::move(*decoded);
      rows->next();
    }
    if (!row || !alive(*row, at.now) || (!op.after.empty() && key <= op.after))
      continue;
    if (out.rows.size() == op.limit || bytes > prefix_bytes_max) {
      out.truncated = true;
      out.next_after = out.rows.back().key;
      return;
    }
    bytes += row->value.size();
    out.rows.push_back(view_of(key, *row, op.keys_only));
  }
}

// -- writes -------------------------------------------------------------------

void kv_state::plan_put(reading& at, const kv_op& op,
                        const std::optional<kv_row>& before, slice value,
                        time_us expires_at, kv_result& out) {
  put_kv effect;
  effect.tenant = tenant_;
  effect.ns = op.ns;
  effect.key = op.key;
  effect.version = ++last_version_;
  effect.expires_at = expires_at;
  kv_row row;
  row.value = value.view;
  row.version = effect.version;
  row.expires_at = expires_at;
  row.created_at = before ? before->created_at : at.now;
  row.updated_at = at.now;
  effect.value = std::move(value);
  out.applied = true;
  show(row, out);
  at.own[{op.ns, op.key}] = {std::move(row), effect.version};
  at.effects.push_back(std::move(effect));
}

kv_result kv_state::put(reading& at, const kv_op& op) {
  kv_result out;
  auto row = find(at, op.ns, op.key);
  auto expect = op.kind == kv_op_kind::put_if_absent
                  ? std::optional<version_t>{0}
                  : op.expect;
  out.reason = unmet(expect, row);
  if (out.reason == kv_reason::none)
    plan_put(at, op, row, op.value, expiry(op, at.now), out);
  else if (row)
    show(*row, out);
  return out;
}

kv_result kv_state::erase(reading& at, const kv_op& op) {
  kv_result out;
  auto row = find(at, op.ns, op.key);
  out.reason = unmet(op.expect, row);
  if (out.reason == kv_reason::none && !row)
    out.reason = kv_reason::absent;
  if (out.reason != kv_reason::none) {
    if (row)
      show(*row, out);
    return out;
  }
  erase_kv effect{tenant_, op.ns, op.key, ++last_version_};
  at.own[{op.ns, op.key}] = {std::nullopt, effect.version};
  out.applied = true;
  out.version = effect.version;
  at.effects.push_back(std::move(effect));
  return out;
}

kv_result kv_state::increment(reading& at, const kv_op& op) {
  kv_result out;
  auto row = find(at, op.ns, op.key);
  number zero;
  auto before = row ? parse_number(row->value) : std::optional{zero};
  if (row)
    show(*row, out);
  if (!before) {
    out.reason = kv_reason::type;
    return out;
  }
  auto after = add(*before, op.delta);
  if (!after || (op.max && less(*op.max, *after)) ||
      (op.min && less(*after, *op.min))) {
    out.reason = kv_reason::limit;
    return out;
  }
  // A counter's time runs from its first increment: later ones prolong
  // nothing.
  auto expires_at = row ? row->expires_at : expiry(op, at.now);
  plan_put(at, op, row, slice::own(to_json(*after)), expires_at, out);
  return out;
}

kv_result kv_state::write(reading& at, const kv_op& op) {
  kv_result out;
  switch (op.kind) {
  case kv_op_kind::put:
  case kv_op_kind::put_if_absent:
    out = put(at, op);
    break;
  case kv_op_kind::erase:
    out = erase(at, op);
    break;
  case kv_op_kind::incr:
    out = increment(at, op);
    break;
  case kv_op_kind::check: {
    auto row = find(at, op.ns, op.key);
    out.reason = unmet(op.expect.value_or(0), row);
    out.applied = out.reason == kv_reason::none;
    if (row)
      show(*row, out);
    break;
  }
  case kv_op_kind::get:
  case kv_op_kind::get_many:
  case kv_op_kind::get_prefix:
    break;
  }
  out.kind = op.kind;
  out.key = op.key;
  return out;
}

kv_state::verdict kv_state::judge(const transaction& call,
                                  const std::vector<uint32_t>& items,
                                  time_us now) {
  verdict out;
  reading at;
  at.now = now;
  out.results.resize(items.size());
  // In a transaction reads are answered from the state after the whole call
  // (spec/transaction.md, kv); on their own route they see what stands before.
  bool reads_last = call.kind == call_kind::transaction;
  for (size_t i = 0; i < items.size(); ++i) {
    auto& op = call.kv[items[i]];
    if (reads_rows(op.kind)) {
      if (!reads_last)
        out.results[i] = read(at, op);
      continue;
    }
    if (op.value_too_large) {
      out.reason = refusal::payload_too_large;
      out.error = "the value of key '" + op.key + "' is over its ceiling";
      return out;
    }
    out.results[i] = write(at, op);
    if (op.required && !out.results[i].applied) {
      out.reason = refusal::kv_precondition;
      out.error = "a required operation on key '" + op.key + "' lost";
      out.failed = items[i];
      out.lost = std::move(out.results[i]);
      out.on_planned = at.on_planned;
      return out;
    }
  }
  if (reads_last)
    for (size_t i = 0; i < items.size(); ++i)
      if (auto& op = call.kv[items[i]]; reads_rows(op.kind))
        out.results[i] = read(at, op);
  out.effects = std::move(at.effects);
  out.writes = std::move(at.own);
  out.on_planned = at.on_planned;
  return out;
}

// -- what became of it --------------------------------------------------------

void kv_state::fold(overlay writes) {
  for (auto& [where, row] : writes)
    planned_.insert_or_assign(where, std::move(row));
}

void kv_state::applied(const applied_entry& entry) {
  for (auto& row : entry.kv) {
    if (row.tenant != tenant_)
      continue;
    auto i = planned_.find({row.ns, row.key});
    if (i != planned_.end() && i->second.version <= row.version)
      planned_.erase(i);
  }
}

} // namespace queen::actors
