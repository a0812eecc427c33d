#include "net/http/server.hpp"

#include "net/http/connection.hpp"

#include <boost/asio/post.hpp>

namespace queen::net {

namespace {

using tcp = asio::ip::tcp;

constexpr size_t scratch_bytes = 65536;
constexpr int backlog = 4096;

} // namespace

void outbox::put(std::shared_ptr<connection> to, uint64_t slot,
                 rendered answer) {
  bool first = false;
  {
    std::lock_guard lock{mutex_};
    first = items_.empty();
    items_.push_back({std::move(to), slot, std::move(answer)});
  }
  if (first)
    asio::post(io_, [self = shared_from_this()] { self->drain(); });
}

void outbox::drain() {
  std::vector<item> items;
  {
    std::lock_guard lock{mutex_};
    items.swap(items_);
  }
  for (auto& each : items)
    each.to->put(each.slot, std::move(each.answer));
  // After all are in place, so that pipelined answers leave together.
  for (auto& each : items)
    each.to->flush();
}

void responder::send(rendered answer) const {
  to_->answers().put(to_, slot_, std::move(answer));
}

void responder::on_closed(std::function<void()> gone) const {
  to_->on_closed(slot_, std::move(gone));
}

http_server::http_server(asio::io_context& io, server_options options,
                         handler handle)
  : io_(io), options_(std::move(options)), handle_(std::move(handle)),
    acceptor_(io), timer_(io), outbox_(std::make_shared<outbox>(io)),
    scratch_(scratch_bytes) {}

http_server::~http_server() = default;

result<uint16_t> http_server::listen() {
  boost::system::error_code ec;
  auto address = asio::ip::make_address(options_.address, ec);
  tcp::endpoint at{address, options_.port};
  if (!ec)
    acceptor_.open(at.protocol(), ec);
  if (!ec)
    acceptor_.set_option(tcp::acceptor::reuse_address(true), ec);
  if (!ec)
    acceptor_.bind(at, ec);
  if (!ec)
    acceptor_.listen(backlog, ec);
  if (ec)
    return error{errc::io_failed, "listening on " + options_.address + ":" +
                                    std::to_string(options_.port) + ": " +
                                    ec.message()};
  accept();
  sweep();
  return acceptor_.local_endpoint(ec).port();
}

void http_server::accept() {
  if (accepting_ || draining_ ||
      connections_.size() >= options_.connections_max)
    return;
  accepting_ = true;
  acceptor_.async_accept([this](auto ec, tcp::socket socket) {
    if (ec == asio::error::operation_aborted)
      return;
    accepting_ = false;
    // Out of descriptors, for one: the next sweep tries again.
    if (ec)
      return;
    ++counters_.connections_accepted;
    auto added = std::make_shared<connection>(std::move(socket), *this);
    connections_.push_front(added);
    counters_.connections_open = connections_.size();
    added->start(connections_.begin());
    accept();
  });
}

void http_server::sweep() {
  auto now = std::chrono::steady_clock::now();
  for (auto at = connections_.begin(); at != connections_.end();) {
    auto each = *at++; // it may take itself off the list
    each->check(now);
  }
  accept();
  timer_.expires_after(options_.sweep_every);
  timer_.async_wait([this](auto ec) {
    if (!ec)
      sweep();
  });
}

void http_server::removed(std::list<std::shared_ptr<connection>>::iterator at) {
  connections_.erase(at);
  counters_.connections_open = connections_.size();
  if (!draining_)
    return accept();
  if (connections_.empty()) {
    timer_.cancel();
    if (auto done = std::exchange(drained_, nullptr))
      asio::post(io_, std::move(done));
  }
}

void http_server::drain(std::function<void()> done) {
  draining_ = true;
  drained_ = std::move(done);
  boost::system::error_code ec;
  acceptor_.close(ec);
  for (auto at = connections_.begin(); at != connections_.end();) {
    auto each = *at++;
    each->drain();
  }
  if (connections_.empty()) {
    timer_.cancel();
    if (auto all_gone = std::exchange(drained_, nullptr))
      asio::post(io_, std::move(all_gone));
  }
}

void http_server::request_handed_over() {
  if (hook_posted_ || !hook_)
    return;
  hook_posted_ = true;
  asio::post(io_, [this] {
    hook_posted_ = false;
    hook_();
  });
}

} // namespace queen::net
