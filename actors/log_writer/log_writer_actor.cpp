#include "actors/log_writer/log_writer_actor.hpp"

#include <caf/send.hpp>

namespace queen::actors {

namespace {

struct gathered {
  std::vector<persistence::log_append> records;
  std::vector<std::pair<write_listener, uint64_t>> waiting;
  bool armed = false;
  bool failed = false;
};

} // namespace

log_writer_actor::behavior_type
log_writer(log_writer_actor::pointer self, persistence::log* log,
           std::shared_ptr<log_writer_stats> stats,
           std::function<void(const error&)> fatal) {
  auto run = std::make_shared<gathered>();
  auto fail = [run, fatal = std::move(fatal)](const error& why) {
    run->failed = true;
    fatal(why);
  };
  return {
    [self, run](write_records& w) {
      if (run->records.empty())
        run->records = std::move(w.records);
      else
        std::move(w.records.begin(), w.records.end(),
                  std::back_inserter(run->records));
      // One group's later token covers its earlier ones.
      auto same = std::find_if(run->waiting.begin(), run->waiting.end(),
                               [&](auto& x) { return x.first == w.listener; });
      if (same != run->waiting.end())
        same->second = w.token;
      else
        run->waiting.emplace_back(std::move(w.listener), w.token);
      // What is in the mailbox by now joins the same sync.
      if (!std::exchange(run->armed, true))
        self->send(self, write_now{});
    },
    [run, log, fail](const release_log& r) {
      if (run->failed)
        return;
      if (auto released = log->release(r.group, r.index); !released)
        fail(released.reason());
    },
    [self, run, log, stats, fail](const write_now&) {
      run->armed = false;
      if (run->failed)
        return;
      auto records = std::exchange(run->records, {});
      auto waiting = std::exchange(run->waiting, {});
      if (auto appended = log->append(records); !appended)
        return fail(appended.reason());
      stats->syncs.fetch_add(1, std::memory_order_relaxed);
      stats->records.fetch_add(records.size(), std::memory_order_relaxed);
      for (auto& [who, token] : waiting)
        self->send(who, written{token});
      if (auto prepared = log->prepare_spare(); !prepared)
        fail(prepared.reason());
    },
  };
}

} // namespace queen::actors
