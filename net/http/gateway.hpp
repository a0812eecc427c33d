// Between the HTTP edge and the engine: a request becomes a command for its
// tenant's raft group, the engine's reply becomes a response. Lives on the io
// thread; only `deliver` is called from elsewhere. Bounds what is in flight,
// closes the gate when the disk is full, and answers `timeout` when the engine
// does not (spec/transaction.md, Retries; spec/operate.md, Configuration).

#pragma once

#include "actors/node/node.hpp"
#include "net/http/routes.hpp"
#include "net/http/server.hpp"

#include <deque>
#include <map>
#include <mutex>
#include <unordered_map>

namespace queen::net {

struct gateway_settings {
  limits bounds;
  std::map<domain::uuid, uint32_t> pinned_tenants;
  std::chrono::milliseconds request_timeout{30000};
  // Requests wait so long for room before they are refused.
  std::chrono::milliseconds admission_hold{1000};
  uint64_t admitted_bytes_max = 128ull << 20;
  uint32_t disk_high_percent = 85;
  std::chrono::milliseconds ready_lag{5000};
};

class gateway : public domain::reply_port,
                public std::enable_shared_from_this<gateway> {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// All must outlive the io context's run.
  gateway(asio::io_context& io, actors::node& node, actors::environment& env,
          gateway_settings settings);

  /// What the server calls for each request; the path has been routed.
  void handle(const route& to, http_call call, responder client);
  /// At the end of a turn of the io loop: hands over what the turn read.
  void flush();
  /// Every 100 ms: deadlines and admission. `disk_used_percent` of the data
  /// directory's file system.
  void tick(time_point now, unsigned disk_used_percent);
  rendered health() const;
  /// Answers what is parked, and parks nothing any more.
  void drain();

  void deliver(uint64_t request, domain::reply answer) override;

private:
  struct open_request {
    const route* to;
    command_ptr what;
    responder client;
    uint64_t bytes;
    uint32_t group;
    std::multimap<time_point, uint64_t>::iterator deadline;
  };
  struct held_request {
    const route* to;
    command_ptr what;
    responder client;
    uint64_t bytes;
    time_point since;
  };
  class minting : public id_source {
  public:
    explicit minting(actors::environment& env) : env_(env) {}
    domain::uuid next() override { return env_.new_uuid(); }

  private:
    actors::environment& env_;
  };

  uint32_t group_of(const domain::uuid& tenant) const;
  void admit(const route& to, command_ptr what, responder client,
             uint64_t bytes);
  void answer_arrived();
  void finish(uint64_t request, const domain::reply& answer);
  void gone(uint64_t request);
  void hand_back(const open_request& from);
  void give_up(uint64_t request, const error& why);

  asio::io_context& io_;
  actors::node& node_;
  minting ids_;
  gateway_settings settings_;
  std::unordered_map<uint64_t, open_request> open_;
  std::multimap<time_point, uint64_t> deadlines_;
  std::deque<held_request> held_;
  std::vector<std::vector<actors::request>> turn_; // by group
  // What had committed at some time and was not applied when last looked.
  struct lag_mark {
    uint64_t index = 0;
    time_point since{};
  };
  std::vector<lag_mark> lag_; // by group
  uint64_t last_request_ = 0;
  uint64_t admitted_bytes_ = 0;
  time_point now_{};
  bool disk_full_ = false;
  bool draining_ = false;

  std::mutex mutex_;
  std::vector<std::pair<uint64_t, domain::reply>> arrived_;
};

} // namespace queen::net
