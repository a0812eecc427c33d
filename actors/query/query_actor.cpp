#include "actors/query/query_actor.hpp"

#include "actors/query/queries.hpp"

#include <caf/send.hpp>

#include <chrono>
#include <set>

namespace queen::actors {

namespace {

class runner {
public:
  runner(query_actor::pointer self, context_ptr context,
         std::shared_ptr<const domain::command> what, domain::reply_to client)
    : self_(self), context_(std::move(context)), what_(std::move(what)),
      client_(std::move(client)) {}

  void start();
  void look_again(bool last);

private:
  void watch(const domain::fetch& what);
  void finish(domain::reply answer);

  query_actor::pointer self_;
  context_ptr context_;
  std::shared_ptr<const domain::command> what_;
  domain::reply_to client_;
  std::set<domain::queue_id> watched_;
  bool done_ = false;
};

void runner::finish(domain::reply answer) {
  done_ = true;
  for (auto queue : watched_)
    context_->consumers->remove(queue, self_);
  client_(std::move(answer));
  self_->quit();
}

void runner::start() {
  auto& store = *context_->store;
  auto now = context_->now();
  std::visit(
    [&](auto& what) {
      using kind = std::decay_t<decltype(what)>;
      if constexpr (std::is_same_v<kind, domain::fetch>) {
        // Registered first, read afterwards: see consumer_directory.
        if (what.max_wait_ms > 0)
          watch(what);
        look_again(what.max_wait_ms == 0);
        if (!done_)
          self_->delayed_send(
            self_, std::chrono::milliseconds(what.max_wait_ms), wake{});
      } else if constexpr (requires { queries::run(store, now, what); }) {
        finish(queries::run(store, now, what));
      } else if constexpr (requires { queries::run(store, what); }) {
        finish(queries::run(store, what));
      } else {
        finish(error{errc::internal, "not a read"});
      }
    },
    *what_);
}

void runner::watch(const domain::fetch& what) {
  for (auto& entry : what.entries) {
    auto queue =
      queries::queue_named(*context_->store, what.tenant, entry.queue);
    if (queue != 0 && watched_.insert(queue).second)
      context_->consumers->add(queue, self_);
  }
}

void runner::look_again(bool last) {
  if (done_)
    return;
  auto& what = std::get<domain::fetch>(*what_);
  uint64_t bytes = 0;
  auto reply = queries::run(*context_->store, what, bytes);
  if (last || bytes >= what.min_bytes)
    finish(std::move(reply));
}

} // namespace

query_actor::behavior_type query(query_actor::pointer self, context_ptr context,
                                 std::shared_ptr<const domain::command> what,
                                 domain::reply_to client) {
  auto run = std::make_shared<runner>(self, std::move(context), std::move(what),
                                      std::move(client));
  run->start();
  return {
    [run](const applied&) { run->look_again(false); },
    [run](const wake&) { run->look_again(true); },
  };
}

} // namespace queen::actors
