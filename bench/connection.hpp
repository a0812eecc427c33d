// One keep-alive HTTP/1.1 connection of the load generator. Hand-written
// framing, since the generator shares two cores with what it measures.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace queen::bench {

namespace asio = boost::asio;

struct target {
  std::string host = "127.0.0.1";
  uint16_t port = 6632;
};

class connection : public std::enable_shared_from_this<connection> {
public:
  /// Status 0: the connection broke. The body is valid during the call only.
  using on_answer = std::function<void(int status, std::string_view body)>;

  connection(asio::io_context& io, const target& where);

  /// Errors end the process: a benchmark without its broker means nothing.
  void connect();
  /// One at a time. `head` is everything up to the content length.
  void post(std::string_view path, std::string_view body, on_answer then);
  void get(std::string_view path, on_answer then);
  void close();

private:
  void send();
  void read();
  bool complete();

  asio::ip::tcp::socket socket_;
  target where_;
  std::string out_;
  std::string in_;
  size_t filled_ = 0;
  on_answer then_;
};

} // namespace queen::bench
