#include "net/http/handlers/fetch.hpp"

#include "net/http/handlers/fields.hpp"
#include "net/http/handlers/json_writer.hpp"

#include <algorithm>

namespace queen::net {

namespace {

constexpr size_t entries_max = 1024;
constexpr int64_t wait_ms_max = 60000;
// 64 MiB an entry: what one answer may hold in memory stays foreseeable.
constexpr int64_t bytes_max = 64 << 20;

/// The entries of both routes, or why there are none.
std::optional<rendered> read_entries(const object_body& body,
                                     element_list& out) {
  if (!body.problem.empty())
    return plain_error(errc::bad_body, body.problem);
  out = read_objects(body.document->root(), "entries");
  if (!out.present)
    return plain_error(errc::bad_request, "entries is required");
  if (!out.problem.empty())
    return plain_error(errc::bad_request, out.problem);
  if (out.elements.size() > entries_max)
    return plain_error(errc::bad_request, "at most 1024 entries a call");
  return std::nullopt;
}

template <class Entry>
void read_names(fields& in, const limits& bounds, Entry& out) {
  out.queue = in.required_text("queue");
  in.bound_name("queue", out.queue, bounds.name_bytes_max);
  out.partition = in.optional_text("partition")
                    .value_or(std::string{domain::default_partition});
  in.bound_name("partition", out.partition, bounds.name_bytes_max);
}

void read_time(fields& in, domain::time_us& out) {
  constexpr int64_t milliseconds_max = INT64_MAX / 1000;
  auto value = in.any("timestamp");
  if (!value)
    return in.fail("timestamp", "is required");
  auto iso = value->text();
  auto at = iso ? domain::parse_iso(*iso) : std::nullopt;
  auto milliseconds = value->integer();
  if (at)
    out = *at;
  else if (milliseconds && *milliseconds >= 0 &&
           *milliseconds <= milliseconds_max)
    out = *milliseconds * 1000;
  else
    in.fail("timestamp", "must be an ISO 8601 time or milliseconds since 1970");
}

} // namespace

parsed<domain::fetch> parse_fetch(const http_call& call, const limits& bounds) {
  auto body = read_object(call);
  element_list list;
  if (auto answer = read_entries(body, list))
    return std::move(*answer);
  domain::fetch out;
  out.tenant = call.tenant;
  fields top{body.document->root(), {}};
  auto wait = top.optional_integer("maxWaitMs", 0, INT64_MAX).value_or(0);
  out.max_wait_ms = static_cast<uint32_t>(std::min(wait, wait_ms_max));
  out.min_bytes = static_cast<uint32_t>(
    top.optional_integer("minBytes", 0, bytes_max).value_or(out.min_bytes));
  if (top.failed())
    return plain_error(errc::bad_request, top.why().message);
  if (list.elements.empty())
    return rendered{200, R"({"entries":[]})", {}};
  for (const auto& element : list.elements) {
    fields in{element, indexed("entries", out.entries.size())};
    domain::fetch_entry entry;
    read_names(in, bounds, entry);
    entry.offset = static_cast<domain::offset_t>(
      in.required_integer("offset", 0, INT64_MAX));
    auto bytes = in.optional_integer("maxBytes", 1, INT64_MAX);
    entry.max_bytes = static_cast<uint32_t>(
      std::min(bytes.value_or(entry.max_bytes), bytes_max));
    if (in.failed())
      return plain_error(errc::bad_request, in.why().message);
    out.entries.push_back(std::move(entry));
  }
  return out;
}

rendered render_fetch(const domain::fetch_reply& reply) {
  size_t bytes = 64;
  for (const auto& entry : reply.entries)
    for (const auto& record : entry.records)
      bytes += 160 + record.payload.size();
  json_writer out{bytes};
  out.begin_object().key("entries").begin_array();
  for (const auto& entry : reply.entries) {
    out.begin_object()
      .text("queue", entry.queue)
      .text("partition", entry.partition)
      .key("records")
      .begin_array();
    for (const auto& record : entry.records)
      out.begin_object()
        .number("offset", record.offset)
        .text("transactionId", record.transaction_id)
        .raw("payload", record.payload)
        .time("ts", record.created_at)
        .end_object();
    out.end_array()
      .number("highWatermark", entry.high_watermark)
      .number("logStartOffset", entry.log_start);
    if (!entry.error.empty())
      out.text("error", entry.error);
    out.end_object();
  }
  out.end_array().end_object();
  return {200, out.take(), {}};
}

parsed<domain::fetch_offsets> parse_fetch_offsets(const http_call& call,
                                                  const limits& bounds) {
  auto body = read_object(call);
  element_list list;
  if (auto answer = read_entries(body, list))
    return std::move(*answer);
  if (list.elements.empty())
    return rendered{200, R"({"entries":[]})", {}};
  domain::fetch_offsets out;
  out.tenant = call.tenant;
  for (const auto& element : list.elements) {
    fields in{element, indexed("entries", out.entries.size())};
    domain::fetch_offset_entry entry;
    read_names(in, bounds, entry);
    read_time(in, entry.at);
    if (in.failed())
      return plain_error(errc::bad_request, in.why().message);
    out.entries.push_back(std::move(entry));
  }
  return out;
}

rendered render_fetch_offsets(const domain::fetch_offsets_reply& reply) {
  json_writer out{64 + reply.entries.size() * 128};
  out.begin_object().key("entries").begin_array();
  for (const auto& entry : reply.entries) {
    out.begin_object()
      .text("queue", entry.queue)
      .text("partition", entry.partition)
      .number("offset", entry.offset);
    if (!entry.error.empty())
      out.text("error", entry.error);
    out.end_object();
  }
  out.end_array().end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
