#include "net/http/handlers/queues.hpp"

#include "net/http/handlers/configure.hpp"

namespace queen::net {

namespace {

/// The queue that the path names, or why it cannot be one.
std::string read_path(const http_call& call, const limits& bounds,
                      std::string& queue) {
  if (!call.path.empty())
    queue = call.path[0];
  return path_problem("queue", queue, bounds);
}

void write_counts(json_writer& out, uint64_t pending, uint64_t processing,
                  uint64_t completed) {
  out.number("pending", pending)
    .number("processing", processing)
    .number("completed", completed);
}

void write_summary(json_writer& out, const domain::queue_summary& summary) {
  const auto& queue = summary.queue;
  out.digits("id", queue.id)
    .text("name", queue.name)
    .text("queue", queue.name)
    .text("namespace", queue.name_space)
    .text("task", queue.task)
    .time("createdAt", queue.created_at)
    .number("messages", summary.messages);
  write_counts(out, summary.pending, summary.processing, summary.completed);
  out.number("deadLetter", summary.dead_letter);
}

void write_partition(json_writer& out, const domain::partition_counts& counts) {
  out.begin_object()
    .digits("id", counts.id)
    .text("name", counts.name)
    .text("partition", counts.name)
    .digits("partitionId", counts.id)
    .key("offsets")
    .begin_object()
    .number("start", counts.log_start)
    .number("next", counts.next)
    .end_object();
  write_counts(out, counts.pending, counts.processing, counts.completed);
  out.end_object();
}

} // namespace

domain::list_queues parse_list_queues(const http_call& call) {
  return {call.tenant};
}

rendered render_list_queues(const domain::list_queues_reply& reply) {
  json_writer out{64 + reply.queues.size() * 400};
  out.begin_object().key("queues").begin_array();
  for (const auto& summary : reply.queues) {
    out.begin_object();
    write_summary(out, summary);
    out.number("partitions", summary.partitions).end_object();
  }
  out.end_array().end_object();
  return {200, out.take(), {}};
}

parsed<domain::describe_queue> parse_describe_queue(const http_call& call,
                                                    const limits& bounds) {
  domain::describe_queue out;
  out.tenant = call.tenant;
  auto wrong = read_path(call, bounds, out.queue);
  if (!wrong.empty())
    return plain_error(errc::bad_request, wrong);
  return out;
}

rendered render_describe_queue(const domain::describe_queue& asked,
                               const domain::describe_queue_reply& reply) {
  if (!reply.queue)
    return plain_error(errc::not_found, "no queue is named " + asked.queue);
  const auto& summary = *reply.queue;
  json_writer out{1024 + summary.detail.size() * 240};
  out.begin_object();
  write_summary(out, summary);
  out.number("partitionCount", summary.partitions).key("options");
  write_options(out, summary.queue.options);
  out.key("partitions").begin_array();
  for (const auto& counts : summary.detail)
    write_partition(out, counts);
  out.end_array().end_object();
  return {200, out.take(), {}};
}

parsed<domain::delete_queue> parse_delete_queue(const http_call& call,
                                                const limits& bounds) {
  domain::delete_queue out;
  out.tenant = call.tenant;
  auto wrong = read_path(call, bounds, out.queue);
  if (!wrong.empty())
    return plain_error(errc::bad_request, wrong);
  return out;
}

rendered render_delete_queue(const domain::delete_queue& asked,
                             const domain::delete_queue_reply& reply) {
  json_writer out;
  out.begin_object()
    .boolean("deleted", reply.existed)
    .boolean("existed", reply.existed)
    .text("queue", asked.queue)
    .end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
