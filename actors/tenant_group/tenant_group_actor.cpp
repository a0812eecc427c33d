#include "actors/tenant_group/tenant_group_actor.hpp"

#include "actors/tenant_group/sequencer.hpp"

#include <deque>
#include <optional>

namespace queen::actors {

namespace {

// Commands that came before this node was ready to lead wait here: at boot
// that is the time of the first election. Past the bound they are refused.
constexpr size_t waiting_max = 65536;

struct door_state {
  std::unique_ptr<sequencer> leader;
  std::deque<request> waiting;
  bool sweeping = false; // for as long as the actor lives
};

} // namespace

tenant_group_actor::behavior_type tenant_group(tenant_group_actor::pointer self,
                                               context_ptr base) {
  auto state = std::make_shared<door_state>();
  // Monitored, not linked: a link is held at both ends, and here it would be
  // looked for among those of all loaded actors when one of them goes.
  self->set_down_handler([self, state, base](const caf::down_msg& m) {
    if (m.reason == caf::exit_reason::normal ||
        m.reason == caf::exit_reason::user_shutdown || !state->leader)
      return;
    // What the failed actor had reserved is known to nobody now, so every
    // reservation goes. Calls that were decided still commit and are answered.
    base->status->restarts.fetch_add(1);
    state->leader->stop();
    state->leader.reset();
    self->send(base->raft, propose{nullptr, nullptr});
  });
  return {
    [state](submit& batch) {
      for (auto& r : batch.requests) {
        if (state->leader)
          state->leader->run(std::move(r));
        else if (state->waiting.size() < waiting_max)
          state->waiting.push_back(std::move(r));
        else
          r.client(error{errc::no_leader, "the group has no leader yet"});
      }
    },
    [state](const offer_rest& offer) {
      if (state->leader)
        state->leader->offered(offer);
    },
    [state](route_claim& claim) {
      if (state->leader)
        state->leader->route(std::move(claim));
    },
    [state](const applied& a) {
      if (state->leader)
        state->leader->on_applied(a);
    },
    [self, state, base](const leading& start) {
      // A context of its own for this term: see group_context.
      auto context = std::make_shared<group_context>(*base);
      context->clock.start(*context->env, start.last_stamp);
      state->leader = std::make_unique<sequencer>(self, context, start);
      for (auto waiting = std::move(state->waiting); auto& r : waiting)
        state->leader->run(std::move(r));
      state->waiting.clear();
      if (!std::exchange(state->sweeping, true))
        state->leader->sweep();
    },
    [state](const following&) {
      if (state->leader)
        state->leader->stop();
      state->leader.reset();
    },
    [state](const forget_request& f) {
      auto pop = std::get_if<domain::pop>(f.what.get());
      if (pop && state->leader)
        state->leader->forget(*pop);
    },
    [state](const wake&) {
      if (state->leader)
        state->leader->tick();
    },
    [state](const sweep&) {
      state->sweeping = state->leader != nullptr;
      if (state->leader)
        state->leader->sweep();
    },
    [self, state](const stop_group&) {
      if (state->leader)
        state->leader->stop();
      state->leader.reset();
      self->quit(caf::exit_reason::user_shutdown);
    },
  };
}

} // namespace queen::actors
