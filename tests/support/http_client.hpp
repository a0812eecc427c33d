// A small blocking HTTP/1.1 client for tests.

#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace queen::test {

struct http_answer {
  unsigned status = 0; // 0: closed or no answer within the time-out
  std::string head;    // lower case, status line included
  std::string body;
};

class http_client {
public:
  explicit http_client(uint16_t port, int timeout_s = 5);

  http_answer get(std::string_view target);
  http_answer post(std::string_view target, std::string_view json);
  /// As it is; false when the server has closed.
  bool send_raw(std::string_view bytes);
  bool send_chunked(std::string_view target, std::string_view body,
                    size_t chunk_bytes);
  http_answer read_answer(bool head_only = false);
  /// Whether the server closes with nothing more to read.
  bool closed_by_server();
  void close();

private:
  bool more();

  boost::asio::io_context io_;
  boost::asio::ip::tcp::socket socket_{io_};
  std::string bytes_;
};

} // namespace queen::test
