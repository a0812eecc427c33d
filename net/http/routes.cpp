#include "net/http/routes.hpp"

#include "net/http/handlers/ack.hpp"
#include "net/http/handlers/configure.hpp"
#include "net/http/handlers/dlq.hpp"
#include "net/http/handlers/fetch.hpp"
#include "net/http/handlers/kv.hpp"
#include "net/http/handlers/lease.hpp"
#include "net/http/handlers/pop.hpp"
#include "net/http/handlers/push.hpp"
#include "net/http/handlers/queues.hpp"
#include "net/http/handlers/timers.hpp"
#include "net/http/handlers/transaction.hpp"

#include <algorithm>

namespace queen::net {

namespace {

using domain::command;
using domain::reply;

template <class Command>
parsed_call lift(parsed<Command> from) {
  if (auto answer = std::get_if<rendered>(&from))
    return std::move(*answer);
  return std::make_shared<const command>(std::get<0>(std::move(from)));
}

// Handlers take what they need of (call, bounds, ids); this calls them with it.
template <auto Parse>
parsed_call parse(const http_call& call, const limits& bounds, id_source& ids) {
  if constexpr (std::is_invocable_v<decltype(Parse), const http_call&,
                                    const limits&, id_source&>)
    return lift(Parse(call, bounds, ids));
  else if constexpr (std::is_invocable_v<decltype(Parse), const http_call&,
                                         const limits&>)
    return lift(Parse(call, bounds));
  else if constexpr (std::is_invocable_v<decltype(Parse), const http_call&,
                                         id_source&>)
    return lift(Parse(call, ids));
  else if constexpr (std::is_same_v<
                       std::invoke_result_t<decltype(Parse), const http_call&>,
                       domain::list_queues>)
    return std::make_shared<const command>(Parse(call));
  else
    return lift(Parse(call));
}

rendered wrong_reply() {
  return plain_error(errc::internal, "the engine gave no answer of this kind");
}

// Handlers render from (asked, reply) or from the reply alone.
template <class Asked, class Reply, auto Render>
rendered render(const command& asked, const reply& given) {
  if (auto failed = std::get_if<error>(&given))
    return render_error(*failed);
  auto what = std::get_if<Asked>(&asked);
  auto answer = std::get_if<Reply>(&given);
  if (!what || !answer)
    return wrong_reply();
  if constexpr (std::is_invocable_v<decltype(Render), const Asked&,
                                    const Reply&>)
    return Render(*what, *answer);
  else
    return Render(*answer);
}

template <auto Render>
constexpr auto of_transaction =
  &render<domain::transaction, domain::transaction_reply, Render>;

rendered render_step(const command& asked, const reply& given) {
  if (auto failed = std::get_if<error>(&given))
    return render_transaction_error(
      std::get<domain::transaction>(asked).request_id, *failed);
  return of_transaction<&render_transaction>(asked, given);
}

rendered refuse_step(const error& why) {
  return render_transaction_error({}, why);
}

const route table[] = {
  {"POST", "/api/v1/transaction", &parse<&parse_transaction>, &render_step,
   &refuse_step},
  {"POST", "/api/v1/push", &parse<&parse_push>, of_transaction<&render_push>,
   &render_error},
  {"GET", "/api/v1/pop", &parse<&parse_pop>,
   &render<domain::pop, domain::pop_reply, &render_pop>, &render_error},
  {"GET", "/api/v1/pop/queue/:queue", &parse<&parse_pop>,
   &render<domain::pop, domain::pop_reply, &render_pop>, &render_error},
  {"GET", "/api/v1/pop/queue/:queue/partition/:partition", &parse<&parse_pop>,
   &render<domain::pop, domain::pop_reply, &render_pop>, &render_error},
  {"POST", "/api/v1/ack", &parse<&parse_ack>, of_transaction<&render_ack>,
   &render_error},
  {"POST", "/api/v1/ack/batch", &parse<&parse_ack_batch>,
   of_transaction<&render_ack>, &render_error},
  {"POST", "/api/v1/lease/:leaseId/extend", &parse<&parse_extend>,
   &render<domain::extend_lease, domain::extend_reply, &render_extend>,
   &render_error},
  {"POST", "/api/v1/configure", &parse<&parse_configure>,
   &render<domain::configure_queue, domain::configure_reply, &render_configure>,
   &render_error},
  {"GET", "/api/v1/resources/queues", &parse<&parse_list_queues>,
   &render<domain::list_queues, domain::list_queues_reply, &render_list_queues>,
   &render_error},
  {"GET", "/api/v1/resources/queues/:queue", &parse<&parse_describe_queue>,
   &render<domain::describe_queue, domain::describe_queue_reply,
           &render_describe_queue>,
   &render_error},
  {"DELETE", "/api/v1/resources/queues/:queue", &parse<&parse_delete_queue>,
   &render<domain::delete_queue, domain::delete_queue_reply,
           &render_delete_queue>,
   &render_error},
  {"GET", "/api/v1/dlq", &parse<&parse_dlq>,
   &render<domain::list_dead_letters, domain::dead_letters_reply, &render_dlq>,
   &render_error},
  {"POST", "/api/v1/kv", &parse<&parse_kv>, of_transaction<&render_kv>,
   &render_error},
  {"GET", "/api/v1/kv/:ns/*key", &parse<&parse_kv_get>,
   of_transaction<&render_kv_single>, &render_error},
  {"PUT", "/api/v1/kv/:ns/*key", &parse<&parse_kv_put>,
   of_transaction<&render_kv_single>, &render_error},
  {"DELETE", "/api/v1/kv/:ns/*key", &parse<&parse_kv_delete>,
   of_transaction<&render_kv_single>, &render_error},
  {"POST", "/api/v1/timers", &parse<&parse_timers>,
   of_transaction<&render_timers>, &render_error},
  {"DELETE", "/api/v1/timers/:queue/*timerKey", &parse<&parse_timer_cancel>,
   of_transaction<&render_timer_cancel>, &render_error},
  {"GET", "/api/v1/timers/:queue/*timerKey", &parse<&parse_timer_peek>,
   &render<domain::peek_timer, domain::peek_timer_reply, &render_timer_peek>,
   &render_error},
  {"GET", "/api/v1/timers/:queue", &parse<&parse_timer_list>,
   &render<domain::list_timers, domain::list_timers_reply, &render_timer_list>,
   &render_error},
  {"POST", "/api/v1/fetch", &parse<&parse_fetch>,
   &render<domain::fetch, domain::fetch_reply, &render_fetch>, &render_error},
  {"POST", "/api/v1/fetch/offsets", &parse<&parse_fetch_offsets>,
   &render<domain::fetch_offsets, domain::fetch_offsets_reply,
           &render_fetch_offsets>,
   &render_error},
};

} // namespace

std::span<const route> routes() {
  return table;
}

bool grows(const command& what) {
  if (std::holds_alternative<domain::configure_queue>(what))
    return true;
  auto step = std::get_if<domain::transaction>(&what);
  if (!step)
    return false;
  auto writes = [](const domain::kv_op& op) {
    return op.kind == domain::kv_op_kind::put ||
           op.kind == domain::kv_op_kind::put_if_absent ||
           op.kind == domain::kv_op_kind::incr;
  };
  auto schedules = [](const domain::timer_op& op) {
    return op.kind != domain::timer_op_kind::cancel;
  };
  return !step->pushes.empty() ||
         std::any_of(step->kv.begin(), step->kv.end(), writes) ||
         std::any_of(step->timers.begin(), step->timers.end(), schedules);
}

} // namespace queen::net
