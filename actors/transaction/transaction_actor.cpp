#include "actors/transaction/transaction_actor.hpp"

#include <caf/send.hpp>

namespace queen::actors {

namespace {

// Enough to know that the limit holds without encoding twice: payloads are
// what makes an entry large.
uint64_t payload_bytes(const std::vector<domain::effect>& effects) {
  uint64_t bytes = 0;
  for (auto& e : effects) {
    if (auto a = std::get_if<domain::append>(&e)) {
      for (auto& m : a->messages)
        bytes += 96 + m.payload.view.size() + m.transaction_id.size();
    } else if (auto kv = std::get_if<domain::put_kv>(&e)) {
      bytes += 96 + kv->value.view.size() + kv->key.size();
    } else if (auto t = std::get_if<domain::put_timer>(&e)) {
      bytes += 128 + t->timer.payload.view.size();
    } else {
      bytes += 128;
    }
  }
  return bytes;
}

struct running {
  transaction_state state;
  std::shared_ptr<open_call> call;
};

} // namespace

transaction_actor::behavior_type transaction(transaction_actor::pointer self,
                                             std::shared_ptr<open_call> call) {
  auto run = std::make_shared<running>(
    running{transaction_state{call->what, call->extend, call->seats,
                              std::move(call->preamble)},
            call});
  return {
    [self, run](vote& v) {
      if (!run->state.add(std::move(v)))
        return;
      auto& call = *run->call;
      auto verdict = run->state.decide();
      bool too_large = payload_bytes(verdict.effects) > call.max_entry_bytes;
      bool logged = verdict.commit && verdict.writes && !too_large;
      auto tell_participants = [&] {
        for (auto& p : call.participants)
          self->send(p, decided{call.call, logged});
      };
      auto waiting = [&] {
        auto out = std::make_shared<in_flight>();
        out->call = call.call;
        out->listener = self;
        if (logged)
          for (auto& p : call.participants)
            out->participants.push_back({call.call, p});
        return out;
      };
      if (logged) {
        auto entry = std::make_shared<domain::log_entry>();
        entry->stamp = call.now;
        if (call.what)
          entry->request_id = call.what->request_id;
        entry->effects = std::move(verdict.effects);
        // The entry first: whoever builds on it proposes after it.
        self->send(call.raft, propose{std::move(entry), waiting()});
        tell_participants();
        return;
      }
      tell_participants();
      if (too_large) {
        domain::transaction_reply reply;
        reply.reason = domain::refusal::too_large;
        reply.error = "the planned entry is over QUEEN_RAFT_ENTRY_MAX_BYTES";
        call.client(std::move(reply));
        self->quit();
      } else if (verdict.on_planned) {
        self->send(call.raft, propose{nullptr, waiting()});
      } else {
        call.client(run->state.answer(nullptr));
        self->quit();
      }
    },
    [self, run](const applied& a) {
      auto& entry = a.calls.front().entry;
      run->call->client(run->state.answer(entry.get()));
      self->quit();
    },
  };
}

} // namespace queen::actors
