#include "tests/support/http_client.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace queen::test {

namespace asio = boost::asio;

http_client::http_client(uint16_t port, int timeout_s) {
  boost::system::error_code ec;
  socket_.connect({asio::ip::address_v4::loopback(), port}, ec);
  timeval limit{timeout_s, 0};
  ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit,
               sizeof limit);
}

http_answer http_client::get(std::string_view target) {
  send_raw("GET " + std::string{target} + " HTTP/1.1\r\nHost: t\r\n\r\n");
  return read_answer();
}

http_answer http_client::post(std::string_view target, std::string_view json) {
  send_raw("POST " + std::string{target} +
           " HTTP/1.1\r\nHost: t\r\nContent-Type: application/json\r\n"
           "Content-Length: " +
           std::to_string(json.size()) + "\r\n\r\n" + std::string{json});
  return read_answer();
}

bool http_client::send_raw(std::string_view bytes) {
  while (!bytes.empty()) {
    auto sent =
      ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

bool http_client::send_chunked(std::string_view target, std::string_view body,
                               size_t chunk_bytes) {
  std::string out = "POST " + std::string{target} +
                    " HTTP/1.1\r\nHost: t\r\n"
                    "Transfer-Encoding: chunked\r\n\r\n";
  for (size_t at = 0; at < body.size(); at += chunk_bytes) {
    auto piece = body.substr(at, chunk_bytes);
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", piece.size());
    out += size;
    out += piece;
    out += "\r\n";
  }
  return send_raw(out + "0\r\n\r\n");
}

bool http_client::more() {
  char part[65536];
  auto count = ::recv(socket_.native_handle(), part, sizeof part, 0);
  if (count <= 0)
    return false;
  bytes_.append(part, static_cast<size_t>(count));
  return true;
}

http_answer http_client::read_answer(bool head_only) {
  size_t end = 0;
  while ((end = bytes_.find("\r\n\r\n")) == std::string::npos)
    if (!more())
      return {};
  http_answer out;
  out.head = bytes_.substr(0, end + 2);
  bytes_.erase(0, end + 4);
  std::transform(out.head.begin(), out.head.end(), out.head.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  out.status = static_cast<unsigned>(std::atoi(out.head.c_str() + 9));
  auto length = out.head.find("content-length: ");
  if (head_only || length == std::string::npos)
    return out;
  size_t size = std::strtoull(out.head.c_str() + length + 16, nullptr, 10);
  while (bytes_.size() < size)
    if (!more())
      return {};
  out.body = bytes_.substr(0, size);
  bytes_.erase(0, size);
  return out;
}

bool http_client::closed_by_server() {
  char byte;
  return bytes_.empty() && ::recv(socket_.native_handle(), &byte, 1, 0) == 0;
}

void http_client::close() {
  boost::system::error_code ec;
  socket_.close(ec);
}

} // namespace queen::test
