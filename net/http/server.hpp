// The HTTP/1.1 edge: one io thread owns the listener and all connections, and
// nothing blocks it. Requests go to one function; answers come back from any
// thread, in any order, and leave in the order of the requests. The only
// clock here is steady_clock, read by one sweep for all time-outs.

#pragma once

#include "net/http/request.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <mutex>

namespace queen::net {

namespace asio = boost::asio;

class connection;
class http_server;

struct server_options {
  std::string address = "0.0.0.0";
  uint16_t port = 0; // 0: any free one
  uint64_t body_bytes_max = 64ull << 20;
  size_t header_bytes_max = 16384;
  std::chrono::milliseconds header_timeout{10000};
  std::chrono::milliseconds body_timeout{30000}; // the whole request
  std::chrono::milliseconds idle_timeout{75000};
  std::chrono::milliseconds sweep_every{1000};
  size_t connections_max = 20000;
  // Per connection; the server reads no further while they are in flight.
  size_t pipelined_max = 64;
};

/// Owned by the io thread.
struct server_counters {
  uint64_t requests = 0;
  uint64_t answers[6] = {}; // by status class; [0] stays 0
  uint64_t connections_accepted = 0;
  uint64_t connections_open = 0;
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
};

/// Answers that wait for the io thread: many sends, one post.
class outbox : public std::enable_shared_from_this<outbox> {
public:
  explicit outbox(asio::io_context& io) : io_(io) {}
  void put(std::shared_ptr<connection> to, uint64_t slot, rendered answer);

private:
  struct item {
    std::shared_ptr<connection> to;
    uint64_t slot;
    rendered answer;
  };
  void drain();

  asio::io_context& io_;
  std::mutex mutex_;
  std::vector<item> items_;
};

/// The way back to whoever asked. Cheap to copy; only the first answer counts,
/// and one to a client that has gone is dropped.
class responder {
public:
  responder() = default;
  responder(std::shared_ptr<connection> to, uint64_t slot)
    : to_(std::move(to)), slot_(slot) {}

  /// From any thread, while the io context lives.
  void send(rendered answer) const;
  /// From the io thread: `gone` is called there when the client goes before
  /// its answer.
  void on_closed(std::function<void()> gone) const;

private:
  std::shared_ptr<connection> to_;
  uint64_t slot_ = 0;
};

class http_server {
public:
  using handler = std::function<void(http_request&&, responder)>;

  /// Must outlive the run of `io`. All but `send` happens on its thread.
  http_server(asio::io_context& io, server_options options, handler handle);
  ~http_server();

  /// The port. Fails with io_failed.
  result<uint16_t> listen();
  /// Accepts no more, closes idle connections, lets requests in flight be
  /// answered with `Connection: close`; then calls `done`, once.
  void drain(std::function<void()> done);
  /// Renders the answer to a request that is refused before all of it was
  /// read; without one it is the plain error.
  using refusal = std::function<rendered(const error&, std::string_view method,
                                         std::string_view path)>;
  void set_refusal(refusal render) { refuse_ = std::move(render); }
  /// Called after each turn of the loop that handed over a request.
  void set_turn_hook(std::function<void()> hook) { hook_ = std::move(hook); }
  const server_counters& counters() const { return counters_; }

private:
  friend class connection;

  void accept();
  void sweep();
  void removed(std::list<std::shared_ptr<connection>>::iterator at);
  void request_handed_over();

  asio::io_context& io_;
  server_options options_;
  handler handle_;
  refusal refuse_;
  std::function<void()> hook_;
  std::function<void()> drained_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer timer_;
  std::shared_ptr<outbox> outbox_;
  std::list<std::shared_ptr<connection>> connections_;
  // All connections read here: an idle one holds no buffer.
  std::vector<char> scratch_;
  server_counters counters_;
  bool accepting_ = false;
  bool draining_ = false;
  bool hook_posted_ = false;
};

} // namespace queen::net
