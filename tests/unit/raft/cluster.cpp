#include "cluster.hpp"

namespace queen::raft::testing {

cluster::cluster(size_t size, uint64_t seed) : random_(seed) {
  for (node_id id = 1; id <= size; ++id)
    nodes_[id];
}

void cluster::remember(node_id id, hard_state state, std::vector<entry> log) {
  at(id).state = state;
  at(id).disk = std::move(log);
}

void cluster::start(node_id id) {
  auto& n = at(id);
  options given;
  given.self = id;
  given.voters.clear();
  for (auto& [other, _] : nodes_)
    given.voters.insert(other);
  given.append_entries_max = 4; // small, so that windows and batches are met
  given.appends_in_flight_max = 3;
  given.seed = random_();
  n.applied.clear();
  n.raft = std::make_unique<core>(given, restored{n.state, 0, 0, n.disk});
  take(id);
}

void cluster::start_all() {
  for (auto& [id, n] : nodes_)
    start(id);
}

void cluster::crash(node_id id) {
  at(id).raft.reset();
  at(id).writing.clear();
}

void cluster::check(node_id id) {
  auto& r = raft(id);
  if (r.is_leader()) {
    auto [i, fresh] = leaders_.emplace(r.term(), id);
    if (i->second != id)
      FAIL("two leaders in term " << r.term());
  }
}

void cluster::take(node_id id) {
  auto& n = at(id);
  check(id);
  auto out = n.raft->take_output();
  for (auto& m : out.appends)
    net.push_back(m);
  for (auto& e : out.committed) {
    if (e.index != n.applied.size() + 1)
      FAIL("a gap in what is applied, at " << e.index);
    n.applied.push_back(e);
    if (e.index > committed.size()) {
      committed.push_back(e);
    } else if (auto& was = committed[e.index - 1];
               was.term != e.term || bool(was.payload) != bool(e.payload) ||
               (e.payload && *was.payload != *e.payload)) {
      FAIL("two entries were committed at " << e.index);
    }
  }
  for (auto& r : out.reads)
    n.reads.push_back(r);
  if (out.state || !out.entries.empty() || !out.messages.empty())
    n.writing.push_back(std::move(out));
}

void cluster::sync(node_id id) {
  auto& n = at(id);
  auto out = std::move(n.writing.front());
  n.writing.pop_front();
  if (out.state)
    n.state = *out.state;
  for (auto& e : out.entries) {
    n.disk.resize(e.index - 1);
    n.disk.push_back(e);
  }
  for (auto& m : out.messages)
    net.push_back(m);
  if (!out.entries.empty())
    n.raft->persisted(out.entries.back().term, out.entries.back().index);
  take(id);
}

void cluster::deliver(size_t which) {
  auto m = net[which];
  net.erase(net.begin() + which);
  if (cut_.count(m.from) || cut_.count(m.to) || !up(m.to))
    return;
  raft(m.to).step(m);
  take(m.to);
}

void cluster::settle() {
  for (size_t bound = 0; bound < 100000; ++bound) {
    bool idle = true;
    for (auto& [id, n] : nodes_)
      while (n.raft && !n.writing.empty()) {
        idle = false;
        sync(id);
      }
    if (!net.empty()) {
      idle = false;
      deliver(0);
    }
    if (idle)
      return;
  }
  FAIL("the cores never stop talking");
}

void cluster::tick(node_id id) {
  raft(id).tick();
  take(id);
}

void cluster::run(size_t ticks) {
  for (; ticks > 0; --ticks) {
    for (auto& [id, n] : nodes_)
      if (n.raft)
        tick(id);
    settle();
  }
}

void cluster::expire(node_id id) {
  for (int i = 0; i < 20 && raft(id).role() != role::candidate; ++i)
    tick(id);
}

void cluster::elect(node_id id) {
  for (auto& [other, n] : nodes_) // they no longer hear the old leader
    if (other != id && n.raft && !n.raft->is_leader())
      for (int i = 0; i < 10; ++i)
        n.raft->tick();
  for (auto& [other, n] : nodes_)
    if (other != id && n.raft && n.raft->role() != role::candidate)
      take(other);
  expire(id);
  settle();
}

void cluster::chaos(size_t steps) {
  auto below = [&](uint64_t n) { return random_() % n; };
  for (; steps > 0; --steps) {
    node_id id = 1 + below(nodes_.size());
    auto what = below(100);
    if (what < 2) {
      // Rare enough that leaders are elected and commit in between.
      if (up(id) && below(10) == 0)
        crash(id);
    } else if (what < 8) {
      if (!up(id))
        start(id);
    } else if (what < 9) {
      cut(id);
    } else if (what < 11) {
      heal();
    } else if (what < 26) {
      if (up(id))
        tick(id);
    } else if (what < 36) {
      if (up(id) && raft(id).propose(bytes(std::to_string(++proposed_))))
        take(id);
    } else if (what < 37) {
      if (up(id) && raft(id).transfer(1 + below(nodes_.size())))
        take(id);
    } else if (what < 55) {
      if (up(id) && !at(id).writing.empty())
        sync(id);
    } else if (!net.empty()) {
      auto which = below(net.size());
      if (what < 58) {
        drop(which);
      } else if (what < 61) {
        net.push_back(net[which]);
      } else {
        deliver(which);
      }
    }
  }
}

node_id cluster::leader() {
  node_id found = 0;
  for (auto& [id, n] : nodes_)
    if (n.raft && n.raft->is_leader() &&
        (found == 0 || n.raft->term() > raft(found).term()))
      found = id;
  return found;
}

} // namespace queen::raft::testing
