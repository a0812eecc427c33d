#include "tests/sim/world.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/send.hpp>

#include <catch2/catch.hpp>

namespace queen::sim {

namespace {

// Small, so that segments are recycled and checkpoints are made in short runs.
constexpr uint64_t segment_bytes = 16 * persistence::unbuffered_block;
constexpr uint64_t checkpoint_bytes = 4 * segment_bytes;

} // namespace

// What the node answers, until it dies.
class world::port : public domain::reply_port {
public:
  explicit port(world& to) : to_(&to) {}
  void deliver(uint64_t request, domain::reply answer) override {
    if (to_)
      arrived.emplace_back(request, std::move(answer));
  }
  void cut() { to_ = nullptr; }
  std::vector<std::pair<uint64_t, domain::reply>> arrived;

private:
  world* to_;
};

world::world(options what) : options_(what), chance_(what.seed) {
  config_.set("scheduler.policy", caf::atom("testing"));
  system_ = std::make_unique<caf::actor_system>(config_);
  scheduler_ =
    &dynamic_cast<caf::scheduler::test_coordinator&>(system_->scheduler());
  alarm_ = system_->spawn([this](caf::event_based_actor*) -> caf::behavior {
    return {[this](uint64_t id) {
      auto i = alarms_.find(id);
      auto then = std::move(i->second);
      alarms_.erase(i);
      then();
    }};
  });
  boot();
}

world::~world() {
  dying_ = true;
  port_->cut();
  disk_.fail_from(0);
  node_->abandon();
  caf::anon_send_exit(alarm_, caf::exit_reason::kill);
  alarm_ = nullptr;
  run_ready();
  node_.reset();
  run_ready();
}

int64_t world::now_us() const {
  return std::chrono::duration_cast<std::chrono::microseconds>(
           const_cast<caf::actor_system&>(*system_)
             .clock()
             .now()
             .time_since_epoch())
    .count();
}

void world::boot() {
  actors::node_settings settings;
  settings.directory = "node";
  settings.groups = options_.groups;
  settings.checkpoint_bytes = checkpoint_bytes;
  settings.log.segment_bytes = segment_bytes;
  settings.log.incarnation_seed = chance_() | 1;
  settings.limits.idle_unload_us = 3'000'000;
  actors::node_parts parts;
  parts.env = this;
  parts.disk = &disk_;
  parts.open_store = [this](const std::string& directory)
    -> result<std::unique_ptr<persistence::store>> {
    return std::unique_ptr<persistence::store>(
      new persistence::memory_store(volume_, directory));
  };
  parts.fatal = [this](const error& why) {
    INFO("seed " << options_.seed << ": " << why.detail);
    REQUIRE(dying_);
  };
  auto node = actors::node::boot(*system_, settings, parts);
  INFO("seed " << options_.seed);
  if (!node)
    FAIL(node.reason().detail);
  node_ = std::move(*node);
  port_ = std::make_shared<port>(*this);
}

void world::run_ready() {
  while (scheduler_->has_job())
    scheduler_->run_once();
}

void world::crash() {
  dying_ = true;
  port_->cut();
  disk_.fail_from(0);
  node_->abandon();
  run_ready();
  node_.reset();
  disk_.crash(chance_());
  dying_ = false;
  boot();
  // The clients notice in any order.
  std::vector<answer> lost;
  for (auto& [id, then] : open_)
    lost.push_back(std::move(then));
  open_.clear();
  std::shuffle(lost.begin(), lost.end(), chance_);
  for (auto& then : lost)
    then(std::nullopt);
}

void world::ask(domain::command what, answer then) {
  auto id = ++last_id_;
  open_.emplace(id, std::move(then));
  auto tenant =
    std::visit([](auto& c) -> const domain::uuid& { return c.tenant; }, what);
  auto group = tenant.bytes[15] % options_.groups;
  caf::anon_send(
    node_->door(group),
    actors::submit{{{std::make_shared<const domain::command>(std::move(what)),
                     {port_, id}}}});
}

void world::after(int64_t us, std::function<void()> then) {
  auto id = ++last_id_;
  alarms_.emplace(id, std::move(then));
  system_->clock().schedule_message(
    system_->clock().now() + std::chrono::microseconds(us),
    caf::actor_cast<caf::strong_actor_ptr>(alarm_),
    caf::make_mailbox_element(nullptr, caf::make_message_id(), {}, id));
}

void world::note(uint64_t what) {
  trace_ = (trace_ ^ what) * 0x9e3779b97f4a7c15;
}

bool world::step() {
  ++steps_;
  auto& jobs = scheduler_->jobs;
  if (!jobs.empty()) {
    auto chosen = static_cast<long>(random_below(jobs.size()));
    note(jobs.size() * 1000003 + static_cast<uint64_t>(chosen));
    std::rotate(jobs.begin(), jobs.begin() + chosen, jobs.begin() + chosen + 1);
    scheduler_->run_once();
  } else if (!scheduler_->trigger_timeout()) {
    return false;
  }
  note(static_cast<uint64_t>(now_us()));
  auto arrived = std::exchange(port_->arrived, {});
  for (auto& [id, reply] : arrived) {
    auto i = open_.find(id);
    REQUIRE(i != open_.end()); // answered once
    auto then = std::move(i->second);
    open_.erase(i);
    note(id);
    then(std::move(reply));
  }
  return true;
}

} // namespace queen::sim
