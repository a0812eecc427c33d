// One client: bytes in, requests out in order, answers back in that order.
// Lives on the io thread. Talks to its server and never to the engine.

#pragma once

#include "net/http/response.hpp"
#include "net/http/server.hpp"

namespace queen::net {

class connection : public std::enable_shared_from_this<connection> {
public:
  using time_point = std::chrono::steady_clock::time_point;

  connection(asio::ip::tcp::socket socket, http_server& server);

  void start(std::list<std::shared_ptr<connection>>::iterator self);
  void put(uint64_t slot, rendered answer);
  void on_closed(uint64_t slot, std::function<void()> gone);
  /// Sends what is ready, in order.
  void flush();
  /// Closes what has taken too long.
  void check(time_point now);
  void drain();
  void close();
  outbox& answers() { return *outbox_; }

private:
  struct slot {
    std::optional<rendered> answer;
    std::function<void()> gone;
    answer_shape shape;
  };
  enum class phase { idle, head, body, refused, lingering };

  void wait_readable();
  void readable();
  void take_bytes();
  bool parse(std::string_view& bytes);
  void request_complete();
  void refuse(const error& why);
  void linger();
  void start_write();
  void written(const boost::system::error_code& ec);
  bool full() const;
  void enter(phase next);

  asio::ip::tcp::socket socket_;
  http_server& server_;
  std::shared_ptr<outbox> outbox_;
  std::list<std::shared_ptr<connection>>::iterator self_;
  std::unique_ptr<request_parser> parser_; // none between requests
  std::string pending_;                    // read, not yet parsed
  std::vector<slot> slots_;                // requests in flight, in order
  uint64_t first_slot_ = 0;
  std::string ready_;   // serialised, to be written next
  std::string writing_; // with the kernel
  time_point since_;    // when the phase began
  phase phase_ = phase::idle;
  size_t lingered_bytes_ = 0;
  bool waiting_ = false;
  bool last_request_ = false; // no further request is read
  bool close_after_ = false;  // the answer that says so is serialised
  bool closed_ = false;
};

} // namespace queen::net
