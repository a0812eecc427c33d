#include "bench/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace queen::bench {

connection::connection(asio::io_context& io, const target& where)
  : socket_(io), where_(where), in_(65536, '\0') {}

void connection::connect() {
  boost::system::error_code failed;
  socket_.connect({asio::ip::make_address(where_.host), where_.port}, failed);
  if (failed) {
    std::fprintf(stderr, "cannot connect to %s:%u: %s\n", where_.host.c_str(),
                 where_.port, failed.message().c_str());
    std::exit(1);
  }
  socket_.set_option(asio::ip::tcp::no_delay(true));
}

void connection::post(std::string_view path, std::string_view body,
                      on_answer then) {
  out_.clear();
  out_.append("POST ").append(path);
  out_.append(" HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
              "Content-Length: ");
  out_.append(std::to_string(body.size())).append("\r\n\r\n").append(body);
  then_ = std::move(then);
  send();
}

void connection::get(std::string_view path, on_answer then) {
  out_.clear();
  out_.append("GET ").append(path).append(" HTTP/1.1\r\nHost: bench\r\n\r\n");
  then_ = std::move(then);
  send();
}

void connection::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
}

void connection::send() {
  filled_ = 0;
  asio::async_write(socket_, asio::buffer(out_),
                    [self = shared_from_this()](auto failed, size_t) {
                      if (failed)
                        return self->then_(0, {});
                      self->read();
                    });
}

void connection::read() {
  if (filled_ == in_.size())
    in_.resize(in_.size() * 2);
  socket_.async_read_some(
    asio::buffer(in_.data() + filled_, in_.size() - filled_),
    [self = shared_from_this()](auto failed, size_t bytes) {
      if (failed)
        return self->then_(0, {});
      self->filled_ += bytes;
      if (!self->complete())
        self->read();
    });
}

bool connection::complete() {
  std::string_view all{in_.data(), filled_};
  auto end = all.find("\r\n\r\n");
  if (end == all.npos || all.size() < 12)
    return false;
  auto head = all.substr(0, end);
  int status = 0;
  std::from_chars(head.data() + 9, head.data() + 12, status);
  size_t length = 0;
  for (size_t at = 0; (at = head.find("ontent-", at)) != head.npos; ++at) {
    auto name = head.substr(at + 7, 8);
    if (name != "Length: " && name != "length: ")
      continue;
    std::from_chars(head.data() + at + 15, head.data() + head.size(), length);
    break;
  }
  if (all.size() < end + 4 + length)
    return false;
  auto then = std::move(then_);
  then(status, all.substr(end + 4, length));
  return true;
}

} // namespace queen::bench
