#include "net/http/connection.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/error.hpp>

namespace queen::net {

namespace {

using tcp = asio::ip::tcp;

// After a refusal the client may still be sending: reading so much of it keeps
// the kernel from resetting the connection before the answer is read.
constexpr size_t linger_bytes_max = 4 << 20;
constexpr std::chrono::seconds linger_time{5};
// Answers that a client does not read stop the reading of its requests.
constexpr size_t unread_bytes_max = 1 << 20;
constexpr size_t kept_capacity = 4096;

} // namespace

connection::connection(tcp::socket socket, http_server& server)
  : socket_(std::move(socket)), server_(server), outbox_(server.outbox_),
    since_(std::chrono::steady_clock::now()) {}

void connection::start(std::list<std::shared_ptr<connection>>::iterator self) {
  self_ = self;
  boost::system::error_code ec;
  socket_.set_option(tcp::no_delay(true), ec);
  socket_.non_blocking(true, ec);
  wait_readable();
}

void connection::enter(phase next) {
  phase_ = next;
  since_ = std::chrono::steady_clock::now();
}

bool connection::full() const {
  return slots_.size() >= server_.options_.pipelined_max ||
         ready_.size() + writing_.size() > unread_bytes_max;
}

void connection::wait_readable() {
  if (waiting_ || closed_ || phase_ == phase::refused ||
      (phase_ != phase::lingering && full()))
    return;
  waiting_ = true;
  socket_.async_wait(tcp::socket::wait_read,
                     [self = shared_from_this()](auto ec) {
                       self->waiting_ = false;
                       if (ec)
                         return self->close();
                       self->readable();
                     });
}

void connection::readable() {
  if (closed_ || phase_ == phase::refused)
    return;
  boost::system::error_code ec;
  auto& scratch = server_.scratch_;
  size_t count = socket_.read_some(asio::buffer(scratch), ec);
  if (ec == asio::error::would_block)
    return wait_readable();
  if (ec)
    return close();
  server_.counters_.bytes_in += count;
  if (phase_ == phase::lingering) {
    lingered_bytes_ += count;
    return lingered_bytes_ > linger_bytes_max ? close() : wait_readable();
  }
  if (last_request_) // what follows the last request is not read as one
    return (lingered_bytes_ += count) > linger_bytes_max ? close()
                                                         : wait_readable();
  std::string_view bytes{scratch.data(), count};
  if (pending_.empty()) {
    while (!bytes.empty() && !full() && parse(bytes)) {
    }
    if (!closed_ && !last_request_)
      pending_.assign(bytes);
  } else {
    pending_.append(bytes);
    take_bytes();
  }
  if (!closed_)
    wait_readable();
}

void connection::take_bytes() {
  // Taken out first: a write that ends while parsing must not parse again.
  std::string held = std::exchange(pending_, {});
  std::string_view bytes{held};
  while (!bytes.empty() && !full() && parse(bytes)) {
  }
  if (!closed_ && !last_request_)
    pending_.assign(bytes);
}

// Takes at most one request off `bytes`; false when it needs more of them.
bool connection::parse(std::string_view& bytes) {
  if (last_request_)
    return false;
  if (!parser_) {
    // Empty lines between requests are skipped (RFC 9112, 2.2).
    auto begin = bytes.find_first_not_of("\r\n");
    bytes.remove_prefix(begin == std::string_view::npos ? bytes.size() : begin);
    if (bytes.empty())
      return false;
    parser_ = std::make_unique<request_parser>(
      server_.options_.header_bytes_max, server_.options_.body_bytes_max);
    enter(phase::head);
  }
  beast::error_code ec;
  size_t used = parser_->put(asio::buffer(bytes.data(), bytes.size()), ec);
  bytes.remove_prefix(used);
  if (ec && ec != beast::http::error::need_more) {
    refuse(parser_->refusal(ec));
    return false;
  }
  if (parser_->is_done()) {
    request_complete();
    return true;
  }
  if (parser_->is_header_done() && phase_ == phase::head) {
    phase_ = phase::body; // since_ stays: the limit is for the whole request
    if (parser_->wants_continue() && bytes.empty() && slots_.empty()) {
      parser_->continued();
      ready_ += "HTTP/1.1 100 Continue\r\n\r\n";
      start_write();
    }
  }
  // A body is parsed piece by piece; a head only when it is complete.
  return used > 0 && !bytes.empty();
}

void connection::request_complete() {
  http_request request = parser_->take();
  parser_.reset();
  enter(phase::idle);
  last_request_ = !request.keep_alive || server_.draining_;
  answer_shape shape{request.method == "HEAD", last_request_, request.http_1_0};
  slots_.push_back({std::nullopt, {}, shape});
  ++server_.counters_.requests;
  uint64_t id = first_slot_ + slots_.size() - 1;
  server_.handle_(std::move(request), responder{shared_from_this(), id});
  server_.request_handed_over();
}

void connection::refuse(const error& why) {
  auto answer =
    parser_ && server_.refuse_
      ? server_.refuse_(why, parser_->so_far().method, parser_->so_far().path())
      : render_error(why);
  parser_.reset();
  last_request_ = true;
  enter(phase::refused);
  slots_.push_back({std::move(answer), {}, {false, true, false}});
  flush();
}

void connection::put(uint64_t id, rendered answer) {
  if (closed_ || id < first_slot_ || id - first_slot_ >= slots_.size())
    return;
  auto& at = slots_[id - first_slot_];
  if (!at.answer)
    at.answer = std::move(answer);
  at.gone = nullptr;
}

void connection::on_closed(uint64_t id, std::function<void()> gone) {
  if (closed_)
    return gone();
  if (id >= first_slot_ && id - first_slot_ < slots_.size())
    slots_[id - first_slot_].gone = std::move(gone);
}

void connection::flush() {
  if (closed_ || close_after_)
    return;
  size_t count = 0;
  for (; count < slots_.size() && slots_[count].answer; ++count) {
    auto& [answer, gone, shape] = slots_[count];
    shape.close =
      shape.close || (server_.draining_ && slots_.size() == count + 1);
    close_after_ = shape.close;
    auto kind = answer->status / 100;
    if (kind < 6)
      ++server_.counters_.answers[kind];
    append_response(ready_, *answer, shape);
  }
  if (count == 0)
    return;
  last_request_ = last_request_ || close_after_;
  slots_.erase(slots_.begin(), slots_.begin() + static_cast<long>(count));
  first_slot_ += count;
  if (!parser_ && phase_ == phase::idle)
    since_ = std::chrono::steady_clock::now();
  start_write();
}

void connection::start_write() {
  if (!writing_.empty() || ready_.empty() || closed_)
    return;
  writing_.swap(ready_);
  // Most answers fit the kernel's buffer: no handler, no turn of the loop.
  boost::system::error_code ec;
  size_t count = socket_.write_some(asio::buffer(writing_), ec);
  if (ec && ec != asio::error::would_block)
    return written(ec);
  if (!ec && count == writing_.size())
    return written({});
  asio::async_write(socket_, asio::buffer(writing_) + (ec ? 0 : count),
                    [self = shared_from_this()](auto failed, size_t) {
                      self->written(failed);
                    });
}

void connection::written(const boost::system::error_code& ec) {
  if (closed_)
    return;
  if (ec)
    return close();
  server_.counters_.bytes_out += writing_.size();
  writing_.clear();
  if (writing_.capacity() > kept_capacity)
    writing_ = {};
  if (!ready_.empty())
    return start_write();
  if (close_after_)
    return linger();
  if (server_.draining_ && phase_ == phase::idle && slots_.empty())
    return close();
  if (!pending_.empty())
    take_bytes();
  wait_readable();
}

void connection::linger() {
  boost::system::error_code ec;
  socket_.shutdown(tcp::socket::shutdown_send, ec);
  pending_ = {};
  enter(phase::lingering);
  wait_readable();
}

void connection::check(time_point now) {
  auto age = now - since_;
  auto& limits = server_.options_;
  switch (phase_) {
  case phase::idle: // also a client that reads no answer
    if (slots_.empty() && age > limits.idle_timeout)
      close();
    return;
  case phase::head:
    if (slots_.empty() && age > limits.header_timeout)
      refuse({errc::request_timeout, {}});
    return;
  case phase::body:
    if (age > limits.body_timeout)
      refuse({errc::request_timeout, {}});
    return;
  case phase::refused:
    if (slots_.empty() && age > limits.idle_timeout)
      close();
    return;
  case phase::lingering:
    if (age > linger_time)
      close();
    return;
  }
}

void connection::drain() {
  // The head of a request is nothing yet that anyone has promised.
  if ((phase_ == phase::idle || phase_ == phase::head) && slots_.empty() &&
      writing_.empty())
    close();
}

void connection::close() {
  if (closed_)
    return;
  closed_ = true;
  auto self = shared_from_this(); // the server's list may hold the last one
  boost::system::error_code ec;
  socket_.close(ec);
  auto left = std::move(slots_);
  slots_.clear();
  for (auto& at : left)
    if (!at.answer && at.gone)
      at.gone();
  server_.removed(self_);
}

} // namespace queen::net
