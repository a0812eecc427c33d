#include "net/http/handlers/pop.hpp"

#include "net/http/handlers/json_writer.hpp"

#include <algorithm>

namespace queen::net {

namespace {

constexpr uint32_t timeout_ms_max = 60000;
constexpr uint32_t partitions_max = 64;
// What the broker claims at once for a client that leaves the choice to it:
// enough that a queue of many small partitions does not cost a call each.
constexpr uint32_t autopilot_partitions = 16;

rendered refused(std::string_view message) {
  json_writer out;
  out.begin_object()
    .boolean("success", false)
    .text("error", message)
    .key("messages")
    .begin_array()
    .end_array()
    .end_object();
  return {400, out.take(), {}};
}

void read_subscription(query_reader& in, domain::pop& out) {
  using domain::subscription_mode;
  if (auto mode = in.text("subscriptionMode")) {
    if (*mode == "new")
      out.mode = subscription_mode::from_new;
    else if (*mode == "all" || *mode == "from_beginning")
      out.mode = subscription_mode::all;
    else
      in.fail("subscriptionMode must be new, all or from_beginning");
  }
  auto from = in.text("subscriptionFrom");
  if (!from)
    return;
  if (*from == "now") {
    out.mode = subscription_mode::from_new;
  } else if (auto at = domain::parse_iso(*from)) {
    out.mode = subscription_mode::timestamp;
    out.from = *at;
  } else {
    in.fail("subscriptionFrom must be now or an ISO 8601 time");
  }
}

void read_size(query_reader& in, domain::pop& out) {
  out.batch = static_cast<uint32_t>(
    in.integer("batch", 1, UINT32_MAX).value_or(out.batch));
  auto partitions = in.integer("partitions", 1, partitions_max);
  bool chosen = in.boolean("autopilot").value_or(false);
  if (out.partition)
    return; // that one only
  out.autopilot = chosen && !partitions;
  if (out.autopilot)
    out.partitions = autopilot_partitions;
  else
    out.partitions = static_cast<uint32_t>(partitions.value_or(1));
}

void read_timing(query_reader& in, domain::pop& out) {
  out.wait = in.boolean("wait").value_or(false);
  // A longer wait than the broker grants ends sooner; no client needs to know.
  auto timeout = in.integer("timeout", 0, INT64_MAX);
  out.timeout_ms = static_cast<uint32_t>(
    std::min<int64_t>(timeout.value_or(out.timeout_ms), timeout_ms_max));
  if (auto seconds = in.integer("leaseSeconds", 1, seconds_max))
    out.lease_seconds = static_cast<uint32_t>(*seconds);
}

void read_delivery(query_reader& in, domain::pop& out) {
  auto auto_ack = in.boolean("autoAck");
  auto alias = in.boolean("commitOnDelivery");
  out.auto_ack = auto_ack.value_or(alias.value_or(false));
  out.conflation = in.boolean("conflation").value_or(false);
  if (out.conflation && out.group == domain::queue_mode_group)
    in.fail("conflation needs a consumerGroup");
  if (out.conflation && out.auto_ack)
    in.fail("conflation cannot be combined with autoAck");
}

void write_message(json_writer& out, const domain::popped_partition& from,
                   const domain::message_view& message,
                   const domain::pop_reply& reply) {
  bool again = message.offset < from.seen_below;
  out.begin_object()
    .id("id", message.message_id)
    .text("transactionId", message.transaction_id)
    .key("traceId");
  if (message.trace_id)
    out.id(*message.trace_id);
  else
    out.null();
  out.raw("data", message.payload)
    .text_or_null("producerSub", message.producer_sub)
    .time("createdAt", message.created_at)
    .digits("partitionId", from.id)
    .text("partition", from.partition)
    .text("queue", from.queue)
    .number("offset", message.offset)
    .id_or_null("leaseId", reply.lease_id)
    .text("consumerGroup", reply.group)
    .number("deliveryAttempt", again ? from.attempt : 1)
    .end_object();
}

size_t expected_bytes(const domain::pop_reply& reply) {
  size_t bytes = 512;
  for (const auto& from : reply.partitions)
    for (const auto& message : from.messages)
      bytes += 440 + message.payload.size() + message.transaction_id.size() +
               from.queue.size() + from.partition.size() + reply.group.size();
  return bytes;
}

} // namespace

parsed<domain::pop> parse_pop(const http_call& call, const limits& bounds,
                              id_source& ids) {
  domain::pop out;
  out.request_id = ids.next();
  out.tenant = call.tenant;
  out.mode = bounds.default_mode;
  query_reader in{call.query};
  if (!call.path.empty())
    out.queue = call.path[0];
  if (call.path.size() > 1)
    out.partition = call.path[1];
  for (const auto& name : call.path) {
    auto wrong = path_problem(&name == &call.path[0] ? "queue" : "partition",
                              name, bounds);
    if (!wrong.empty())
      in.fail(std::move(wrong));
  }
  if (!out.queue) {
    out.name_space = in.text("namespace").value_or(std::string{});
    out.task = in.text("task").value_or(std::string{});
    if (out.name_space.empty() && out.task.empty())
      in.fail("namespace or task is required");
  }
  if (auto group = in.text("consumerGroup"))
    out.group = std::move(*group);
  if (out.group.size() > bounds.name_bytes_max)
    in.fail("consumerGroup is longer than " +
            std::to_string(bounds.name_bytes_max) + " bytes");
  read_size(in, out);
  read_timing(in, out);
  read_subscription(in, out);
  read_delivery(in, out);
  if (in.failed())
    return refused(in.problem());
  return out;
}

rendered render_pop(const domain::pop& asked, const domain::pop_reply& reply) {
  bool any = std::any_of(reply.partitions.begin(), reply.partitions.end(),
                         [](const auto& p) { return !p.messages.empty(); });
  if (!any)
    return {204, {}, {}};
  const auto& first = reply.partitions.front();
  json_writer out{expected_bytes(reply)};
  out.begin_object()
    .boolean("success", true)
    .text("queue", first.queue)
    .text("partition", first.partition)
    .digits("partitionId", first.id)
    .id_or_null("leaseId", reply.lease_id)
    .text("consumerGroup", reply.group)
    .number("partitionsClaimed", reply.partitions.size());
  if (asked.autopilot)
    out.key("autopilot")
      .begin_object()
      .number("partitions", asked.partitions)
      .number("batch", asked.batch)
      .number("waitMs", asked.wait ? asked.timeout_ms : 0)
      .end_object();
  out.key("messages").begin_array();
  for (const auto& from : reply.partitions)
    for (const auto& message : from.messages)
      write_message(out, from, message, reply);
  out.end_array().end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
