#include "net/http/handlers/timer_ops.hpp"

#include "net/http/handlers/base64.hpp"
#include "net/http/handlers/json_text.hpp"

#include <cmath>
#include <set>

namespace queen::net {

namespace {

using domain::timer_op_kind;

constexpr size_t ops_max = 256;

bool server_owned(std::string_view name) {
  for (auto owned :
       {"producerSub", "messageId", "deliverAt", "attempts", "tenant"})
    if (name == owned)
      return true;
  return !name.empty() && name[0] == '_';
}

/// Bytes that a client had encoded: JSON where they are JSON, else a string.
std::string as_json(std::string bytes, std::string_view encoded) {
  if (is_json(bytes)) {
    auto text = domain::slice::own(std::move(bytes));
    // White space around the value is no part of it.
    size_t from = text.view.find_first_not_of(" \t\r\n");
    size_t to = text.view.find_last_not_of(" \t\r\n");
    return std::string{text.view.substr(from, to - from + 1)};
  }
  std::string out;
  append_quoted(out, is_utf8(bytes) ? std::string_view{bytes} : encoded);
  return out;
}

class timer_reader {
public:
  timer_reader(json_value object, std::string where, const limits& bounds)
    : object_(object), where_(std::move(where)), bounds_(bounds) {}

  std::optional<timer_refusal> read(domain::timer_op& out, id_source& ids) {
    refuse_owned();
    read_kind(out.kind);
    read_names(out);
    if (auto txn = text("txn", "timers_bad_txn"))
      out.txn = std::move(*txn);
    if (out.txn.size() > transaction_id_bytes_max)
      refuse("timers_bad_txn", "txn", "is longer than 65535 bytes");
    if (out.kind != timer_op_kind::cancel) {
      read_delay(out);
      read_payload(out);
      out.message_id = ids.next();
      if (out.txn.empty())
        out.txn = domain::to_string(out.message_id);
    }
    return refusal_;
  }

private:
  void refuse(std::string_view reason, std::string_view member,
              std::string_view message) {
    if (!refusal_)
      refusal_ = timer_refusal{
        timer_refusal::kind::malformed, std::string{reason},
        where_ + "." + std::string{member} + " " + std::string{message}};
  }

  void refuse_owned() {
    object_.each([&](json_value member) {
      auto name = member.key();
      if (name && server_owned(*name))
        refuse("timers_server_owned_field", *name, "is set by the broker");
      return !refusal_;
    });
  }

  std::optional<json_value> present(std::string_view name) const {
    auto value = object_.find(name);
    if (value && value->is(json_kind::null))
      return std::nullopt;
    return value;
  }

  std::optional<std::string> text(std::string_view name,
                                  std::string_view reason) {
    auto value = present(name);
    if (!value)
      return std::nullopt;
    auto text = value->text();
    if (!text)
      refuse(reason, name, "must be a string");
    return text;
  }

  void read_kind(timer_op_kind& out) {
    auto word = text("op", "timers_bad_op").value_or(std::string{});
    if (word == "schedule")
      out = timer_op_kind::schedule;
    else if (word == "reschedule")
      out = timer_op_kind::reschedule;
    else if (word == "cancel")
      out = timer_op_kind::cancel;
    else
      refuse("timers_bad_op", "op", "must be schedule, reschedule or cancel");
  }

  std::string required(std::string_view name, std::optional<std::string> value,
                       std::string_view reason) {
    if (!value || value->empty())
      refuse(reason, name, "must be a string that is not empty");
    else
      bound(name, *value);
    return value.value_or(std::string{});
  }

  void bound(std::string_view name, const std::string& value) {
    if (value.size() > bounds_.name_bytes_max && !refusal_)
      refusal_ = timer_refusal{
        timer_refusal::kind::name_too_long, "timers_name_too_long",
        where_ + "." + std::string{name} + " is longer than " +
          std::to_string(bounds_.name_bytes_max) + " bytes"};
  }

  void read_names(domain::timer_op& out) {
    out.queue = required("queue", text("queue", "timers_queue_required"),
                         "timers_queue_required");
    auto key = text("timerKey", "timers_key_required");
    if (!key)
      key = text("key", "timers_key_required");
    out.timer_key = required("timerKey", std::move(key), "timers_key_required");
    if (auto partition = text("partition", "timers_bad_partition"))
      out.partition = std::move(*partition);
    bound("partition", out.partition);
  }

  void read_delay(domain::timer_op& out) {
    auto milliseconds = present("delayMs");
    auto seconds = present("delaySeconds");
    if (!milliseconds && !seconds)
      return refuse("timers_delay_required", "delayMs",
                    "or delaySeconds is required");
    if (milliseconds && seconds)
      return refuse("timers_bad_delay", "delayMs",
                    "and delaySeconds exclude each other");
    std::string_view name = milliseconds ? "delayMs" : "delaySeconds";
    auto value = (milliseconds ? milliseconds : seconds)->number();
    double unit = milliseconds ? 1e3 : 1e6;
    double delay_us =
      value
        ? (value->integral ? static_cast<double>(value->whole) : value->real) *
            unit
        : -1;
    if (!(delay_us >= 0))
      return refuse("timers_bad_delay", name, "must be a number of 0 or above");
    double horizon_us = static_cast<double>(bounds_.timer_horizon_s) * 1e6;
    out.beyond_horizon = delay_us > horizon_us;
    // The delay is a floor: a fraction of a microsecond rounds up.
    out.delay_us =
      static_cast<int64_t>(std::ceil(std::min(delay_us, horizon_us)));
  }

  void read_payload(domain::timer_op& out) {
    auto payload = object_.find("payload");
    if (!payload)
      return refuse("timers_payload_required", "payload", "is required");
    if (payload->is(json_kind::string))
      return read_encoded(*payload, out);
    out.payload = payload->raw_slice();
    if (out.payload.view.size() > bounds_.timer_payload_bytes_max)
      drop_payload(out);
  }

  void read_encoded(json_value payload, domain::timer_op& out) {
    auto zstd = present("payloadZstd");
    if (zstd && !zstd->boolean())
      return refuse("timers_bad_payload_zstd", "payloadZstd",
                    "must be true or false");
    auto encoded = payload.text();
    auto bytes = encoded ? from_base64(*encoded) : std::nullopt;
    if (!bytes)
      return refuse("timers_payload_not_base64", "payload",
                    "is a string that is not base64");
    if (zstd && *zstd->boolean()) {
      auto unpacked = from_zstd(*bytes, bounds_.timer_payload_bytes_max);
      if (auto* wrong = std::get_if<unpack_error>(&unpacked)) {
        if (*wrong == unpack_error::too_large)
          return drop_payload(out);
        return refuse("timers_payload_not_zstd", "payload",
                      "holds no whole zstd frame");
      }
      bytes = std::get<std::string>(std::move(unpacked));
    }
    if (bytes->size() > bounds_.timer_payload_bytes_max)
      return drop_payload(out);
    out.payload = domain::slice::own(as_json(std::move(*bytes), *encoded));
  }

  void drop_payload(domain::timer_op& out) {
    out.payload = domain::slice::own("null");
    out.payload_too_large = true;
  }

  json_value object_;
  std::string where_;
  const limits& bounds_;
  std::optional<timer_refusal> refusal_;
};

std::string_view word_of(domain::timer_status status) {
  switch (status) {
  case domain::timer_status::scheduled:
    return "scheduled";
  case domain::timer_status::rescheduled:
    return "rescheduled";
  case domain::timer_status::cancelled:
    return "cancelled";
  case domain::timer_status::absent:
    return "absent";
  }
  return "";
}

} // namespace

std::optional<timer_refusal>
read_timer_ops(const std::vector<json_value>& elements, std::string_view name,
               const limits& bounds, id_source& ids,
               std::vector<domain::timer_op>& out) {
  if (elements.size() > ops_max)
    return timer_refusal{timer_refusal::kind::malformed, "timers_too_many_ops",
                         std::to_string(elements.size()) +
                           " operations, at most 256 a call"};
  std::set<std::pair<std::string, std::string>> named;
  out.reserve(elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    domain::timer_op op;
    timer_reader reader{elements[i], indexed(name, i), bounds};
    if (auto refusal = reader.read(op, ids))
      return refusal;
    if (!named.emplace(op.queue, op.timer_key).second)
      return timer_refusal{
        timer_refusal::kind::malformed, "timers_duplicate_key_in_call",
        indexed(name, i) + " names a timer that this call already names"};
    out.push_back(std::move(op));
  }
  return std::nullopt;
}

void write_timer_result(json_writer& out, const domain::timer_op& asked,
                        const domain::timer_result& result) {
  bool pending = result.status == domain::timer_status::scheduled ||
                 result.status == domain::timer_status::rescheduled;
  const auto& txn = result.txn.empty() ? asked.txn : result.txn;
  out.boolean("ok", result.status != domain::timer_status::absent)
    .text("status", word_of(result.status))
    .text("queue", asked.queue)
    .text("timerKey", asked.timer_key)
    .text_or_null("txn", txn);
  if (pending)
    out.id("messageId", result.message_id).time("deliverAt", result.deliver_at);
}

} // namespace queen::net
