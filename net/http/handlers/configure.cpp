#include "net/http/handlers/configure.hpp"

#include "net/http/handlers/fields.hpp"

namespace queen::net {

namespace {

using domain::queue_options;

constexpr int64_t any_number = UINT32_MAX;

/// One option of the spec's table. `number` or `flag` is where it lives.
struct option {
  std::string_view name;
  uint32_t queue_options::*number = nullptr;
  bool queue_options::*flag = nullptr;
  int64_t min = 0;
  int64_t max = seconds_max;
};

constexpr option table[] = {
  // A lease of no length would hand a message out for ever.
  {"leaseTime", &queue_options::lease_time, nullptr, 1},
  {"retryLimit", &queue_options::retry_limit},
  {"deadLetterQueue", nullptr, &queue_options::dead_letter_queue},
  {"dlqAfterMaxRetries", nullptr, &queue_options::dlq_after_max_retries},
  {"dedupWindowSeconds", &queue_options::dedup_window_seconds},
  {"delayedProcessing", &queue_options::delayed_processing},
  {"windowBuffer", &queue_options::window_buffer},
  {"retentionEnabled", nullptr, &queue_options::retention_enabled},
  {"retentionSeconds", &queue_options::retention_seconds},
  {"completedRetentionSeconds", &queue_options::completed_retention_seconds},
  {"maxWaitTimeSeconds", &queue_options::max_wait_time_seconds},
  {"encryptionEnabled", nullptr, &queue_options::encryption_enabled},
  {"priority", &queue_options::priority, nullptr, 0, any_number},
  {"retryDelay", &queue_options::retry_delay},
  {"ttl", &queue_options::ttl},
  {"maxSize", &queue_options::max_size, nullptr, 0, any_number},
  {"minPopWaitTime", &queue_options::min_pop_wait_time},
};

void read_option(fields& in, const option& known,
                 domain::configure_queue& out) {
  auto value = in.any(known.name);
  if (!value)
    return;
  domain::option_change change;
  change.name = known.name;
  if (value->is(json_kind::null)) {
    change.reset = true;
  } else if (known.flag) {
    change.number = in.optional_boolean(known.name).value_or(false) ? 1 : 0;
    // This node has no QUEEN_ENCRYPTION_KEY: it must not promise what it
    // cannot do.
    if (known.flag == &queue_options::encryption_enabled && change.number == 1)
      in.fail(known.name,
              "needs QUEEN_ENCRYPTION_KEY, which this node has not");
  } else {
    change.number = static_cast<uint32_t>(
      in.optional_integer(known.name, known.min, known.max).value_or(0));
  }
  out.options.push_back(std::move(change));
}

/// A null resets, which is the empty label.
void read_label(fields& in, std::string_view name, const limits& bounds,
                std::optional<std::string>& out) {
  auto value = in.any(name);
  if (!value)
    return;
  out = in.optional_text(name).value_or(std::string{});
  in.bound_text(name, *out, bounds.name_bytes_max);
}

void read_mode(fields& in, domain::configure_queue& out) {
  auto mode = in.optional_text("mode").value_or("merge");
  if (mode != "merge" && mode != "replace")
    in.fail("mode", "must be merge or replace");
  out.replace = mode == "replace";
}

} // namespace

parsed<domain::configure_queue> parse_configure(const http_call& call,
                                                const limits& bounds) {
  auto body = read_object(call);
  if (!body.problem.empty())
    return plain_error(errc::bad_body, body.problem);
  auto root = body.document->root();
  fields in{root, {}};
  domain::configure_queue out;
  out.tenant = call.tenant;
  out.queue = in.required_text("queue");
  in.bound_name("queue", out.queue, bounds.name_bytes_max);
  read_label(in, "namespace", bounds, out.name_space);
  read_label(in, "task", bounds, out.task);
  read_mode(in, out);
  auto options = in.any("options");
  if (options && !options->is(json_kind::object) &&
      !options->is(json_kind::null))
    in.fail("options", "must be an object, not " +
                         std::string{article_of(options->kind())});
  if (in.failed())
    return plain_error(errc::bad_request, in.why().message);
  if (options && options->is(json_kind::object)) {
    fields members{*options, "options"};
    for (const auto& known : table)
      read_option(members, known, out);
    if (!out.name_space)
      read_label(members, "namespace", bounds, out.name_space);
    if (!out.task)
      read_label(members, "task", bounds, out.task);
    if (members.failed())
      return plain_error(errc::bad_option, members.why().message);
  }
  return out;
}

void write_options(json_writer& out, const queue_options& options) {
  out.begin_object();
  for (const auto& known : table)
    if (known.flag)
      out.boolean(known.name, options.*known.flag);
    else
      out.number(known.name, options.*known.number);
  out.end_object();
}

rendered render_configure(const domain::configure_reply& reply) {
  const auto& queue = reply.queue;
  json_writer out{1024};
  out.begin_object()
    .boolean("configured", true)
    .digits("queueId", queue.id)
    .text("queue", queue.name)
    .text("namespace", queue.name_space)
    .text("task", queue.task)
    .key("options");
  write_options(out, queue.options);
  out.end_object();
  return {200, out.take(), {}};
}

} // namespace queen::net
