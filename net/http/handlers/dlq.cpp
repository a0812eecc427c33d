#include "net/http/handlers/dlq.hpp"

#include "net/http/handlers/json_writer.hpp"

namespace queen::net {

parsed<domain::list_dead_letters> parse_dlq(const http_call& call) {
  query_reader query{call.query};
  domain::list_dead_letters out;
  out.tenant = call.tenant;
  out.queue = query.text("queue");
  out.group = query.text("consumerGroup");
  out.limit =
    static_cast<uint32_t>(query.integer("limit", 1, 1000).value_or(out.limit));
  out.offset =
    static_cast<uint32_t>(query.integer("offset", 0, UINT32_MAX).value_or(0));
  if (query.failed())
    return plain_error(errc::bad_request, query.problem());
  return out;
}

rendered render_dlq(const domain::dead_letters_reply& reply) {
  size_t bytes = 64;
  for (const auto& letter : reply.messages)
    bytes += 400 + letter.payload.size() + letter.error.size();
  json_writer out{bytes};
  out.begin_object().key("messages").begin_array();
  for (const auto& letter : reply.messages)
    out.begin_object()
      .id("id", letter.id)
      .text("queue", letter.queue)
      .text("partition", letter.partition)
      .digits("partitionId", letter.partition_number)
      .text("transactionId", letter.transaction_id)
      .text("consumerGroup", letter.group)
      .text_or_null("errorMessage", letter.error)
      .number("retryCount", letter.retry_count)
      .time("failedAt", letter.failed_at)
      .raw("data", letter.payload)
      .end_object();
  out.end_array().number("total", reply.total).end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
