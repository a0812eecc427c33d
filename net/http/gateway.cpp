#include "net/http/gateway.hpp"

#include "net/http/handlers/json_writer.hpp"

#include <boost/asio/post.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace queen::net {

namespace {

// A pop that waits is asked to answer by its own timeout; the engine has this
// much more before the edge answers for it.
std::chrono::milliseconds patience(const domain::command& what) {
  if (auto pop = std::get_if<domain::pop>(&what); pop && pop->wait)
    return std::chrono::milliseconds{pop->timeout_ms};
  if (auto fetch = std::get_if<domain::fetch>(&what))
    return std::chrono::milliseconds{fetch->max_wait_ms};
  return std::chrono::milliseconds{0};
}

const domain::uuid& tenant_of(const domain::command& what) {
  return std::visit([](auto& c) -> const domain::uuid& { return c.tenant; },
                    what);
}

} // namespace

gateway::gateway(asio::io_context& io, actors::node& node,
                 actors::environment& env, gateway_settings settings)
  : io_(io), node_(node), ids_(env), settings_(std::move(settings)),
    turn_(node.groups()), lag_(node.groups()) {}

uint32_t gateway::group_of(const domain::uuid& tenant) const {
  auto pinned = settings_.pinned_tenants.find(tenant);
  if (pinned != settings_.pinned_tenants.end())
    return pinned->second;
  std::string_view bytes{reinterpret_cast<const char*>(tenant.bytes.data()),
                         tenant.bytes.size()};
  return static_cast<uint32_t>(domain::id_hash(bytes) % node_.groups());
}

void gateway::handle(const route& to, http_call call, responder client) {
  auto tenant = resolve_tenant(call.header, settings_.bounds);
  if (auto refused = std::get_if<rendered>(&tenant))
    return client.send(std::move(*refused));
  call.tenant = std::get<domain::uuid>(tenant);
  uint64_t bytes = call.body ? call.body->size() : 0;
  auto asked = to.parse(call, settings_.bounds, ids_);
  if (auto answer = std::get_if<rendered>(&asked))
    return client.send(std::move(*answer));
  auto what = std::get<command_ptr>(std::move(asked));
  if (draining_ && patience(*what).count() > 0)
    return client.send(
      to.refuse({errc::shutting_down, "this node is shutting down"}));
  if (disk_full_ && grows(*what))
    return client.send(to.refuse(
      {errc::storage_full, "the disk is over QUEEN_RAFT_DISK_HIGH_PCT"}));
  if (!held_.empty() ||
      (admitted_bytes_ > 0 &&
       admitted_bytes_ + bytes > settings_.admitted_bytes_max)) {
    held_.push_back({&to, std::move(what), std::move(client), bytes, now_});
    return;
  }
  admit(to, std::move(what), std::move(client), bytes);
}

void gateway::admit(const route& to, command_ptr what, responder client,
                    uint64_t bytes) {
  auto id = ++last_request_;
  auto group = group_of(tenant_of(*what));
  admitted_bytes_ += bytes;
  auto deadline =
    deadlines_.emplace(now_ + settings_.request_timeout + patience(*what), id);
  turn_[group].push_back({what, {shared_from_this(), id}});
  client.on_closed([weak = weak_from_this(), id] {
    if (auto self = weak.lock())
      self->gone(id);
  });
  open_.emplace(id, open_request{&to, std::move(what), std::move(client), bytes,
                                 group, deadline});
}

void gateway::flush() {
  for (uint32_t g = 0; g < turn_.size(); ++g)
    if (!turn_[g].empty())
      caf::anon_send(node_.door(g),
                     actors::submit{std::exchange(turn_[g], {})});
}

void gateway::deliver(uint64_t request, domain::reply answer) {
  bool first = false;
  {
    std::lock_guard lock{mutex_};
    first = arrived_.empty();
    arrived_.emplace_back(request, std::move(answer));
  }
  // One wake-up of the io thread serves all that arrives until it looks.
  if (first)
    asio::post(io_, [self = shared_from_this()] { self->answer_arrived(); });
}

void gateway::answer_arrived() {
  std::vector<std::pair<uint64_t, domain::reply>> arrived;
  {
    std::lock_guard lock{mutex_};
    arrived.swap(arrived_);
  }
  for (auto& [request, reply] : arrived)
    finish(request, reply);
}

void gateway::finish(uint64_t request, const domain::reply& answer) {
  auto i = open_.find(request);
  if (i == open_.end())
    return; // its client went, or its time was over
  auto done = std::move(i->second);
  open_.erase(i);
  deadlines_.erase(done.deadline);
  admitted_bytes_ -= done.bytes;
  done.client.send(done.to->render(*done.what, answer));
  while (!held_.empty() &&
         (admitted_bytes_ == 0 || admitted_bytes_ + held_.front().bytes <=
                                    settings_.admitted_bytes_max)) {
    auto next = std::move(held_.front());
    held_.pop_front();
    admit(*next.to, std::move(next.what), std::move(next.client), next.bytes);
  }
  flush();
}

// Whatever it asked for is done or not; only a pop has something to give back.
void gateway::hand_back(const open_request& from) {
  if (std::holds_alternative<domain::pop>(*from.what))
    caf::anon_send(node_.door(from.group), actors::forget_request{from.what});
}

void gateway::give_up(uint64_t request, const error& why) {
  hand_back(open_.at(request));
  finish(request, why);
}

void gateway::drain() {
  draining_ = true;
  std::vector<uint64_t> parked;
  for (auto& [id, open] : open_)
    if (patience(*open.what).count() > 0)
      parked.push_back(id);
  for (auto id : parked)
    give_up(id, {errc::shutting_down, "this node is shutting down"});
}

void gateway::gone(uint64_t request) {
  auto i = open_.find(request);
  if (i == open_.end())
    return;
  hand_back(i->second);
  admitted_bytes_ -= i->second.bytes;
  deadlines_.erase(i->second.deadline);
  open_.erase(i);
}

void gateway::tick(time_point now, unsigned disk_used_percent) {
  now_ = now;
  for (uint32_t g = 0; g < lag_.size(); ++g) {
    auto& s = node_.status(g);
    // Commit first: read after it, applied can only be nearer.
    uint64_t commit = s.commit.load();
    if (s.applied.load() >= lag_[g].index)
      lag_[g] = {commit, now};
  }
  disk_full_ = disk_used_percent >= settings_.disk_high_percent;
  while (!deadlines_.empty() && deadlines_.begin()->first <= now) {
    auto id = deadlines_.begin()->second;
    bool leads = node_.status(open_.find(id)->second.group).leads.load();
    give_up(id, leads ? error{errc::timeout, "the outcome was not known before "
                                             "QUEEN_STMT_TIMEOUT_MS"}
                      : error{errc::no_leader,
                              "the tenant's raft group has no leader"});
  }
  while (!held_.empty() &&
         held_.front().since + settings_.admission_hold <= now) {
    auto late = std::move(held_.front());
    held_.pop_front();
    late.client.send(late.to->refuse(
      {errc::overloaded, "too many bytes are in flight already"}));
  }
}

rendered gateway::health() const {
  json_writer out{512};
  bool ready = !draining_;
  uint64_t term = 0, applied = 0, commit = 0, lag = 0;
  for (uint32_t g = 0; g < node_.groups(); ++g) {
    auto& s = node_.status(g);
    uint64_t done = s.applied.load(), agreed = s.commit.load();
    auto behind = agreed > done ? agreed - done : 0;
    ready &= s.leads.load() && (done >= lag_[g].index ||
                                now_ - lag_[g].since <= settings_.ready_lag);
    term = std::max(term, s.term.load());
    applied += done;
    commit += agreed;
    lag = std::max(lag, behind);
  }
  auto role = [](bool leads) { return leads ? "leader" : "candidate"; };
  out.begin_object()
    .text("status", ready ? "healthy" : "unhealthy")
    .text("engine", "raft")
    .text("version", QUEEN_VERSION);
  if (!ready)
    out.text("reason", draining_ ? "this node is shutting down"
                                 : "a raft group is not ready");
  out.key("raft").begin_object();
  out.text("role", role(node_.status(0).leads.load()))
    .number("leader", 1)
    .number("term", term)
    .number("applied", applied)
    .number("commit", commit)
    .number("lag", lag);
  out.key("groups").begin_array();
  for (uint32_t g = 0; g < node_.groups(); ++g) {
    auto& s = node_.status(g);
    out.begin_object()
      .number("group", g)
      .text("role", role(s.leads.load()))
      .number("leader", 1)
      .number("term", s.term.load())
      .number("applied", s.applied.load())
      .number("commit", s.commit.load())
      .number("restarts", s.restarts.load())
      .end_object();
  }
  out.end_array().end_object().end_object();
  return {ready ? 200u : 503u, out.take(), {}};
}

} // namespace queen::net
