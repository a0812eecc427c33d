#include "tests/support/broker.hpp"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace queen::test {

namespace asio = boost::asio;
namespace fs = std::filesystem;
using asio::ip::tcp;

rapidjson::Document answer::json() const {
  rapidjson::Document out;
  out.Parse(body.data(), body.size());
  INFO("status " << status << ", body " << body);
  REQUIRE_FALSE(out.HasParseError());
  return out;
}

struct client::connection {
  asio::io_context io;
  tcp::socket socket{io};
  tcp::endpoint where;
  std::string buffered;

  bool open() {
    if (socket.is_open())
      return true;
    boost::system::error_code failed;
    socket.connect(where, failed);
    if (failed) {
      socket.close(failed);
      return false;
    }
    socket.set_option(tcp::no_delay(true));
    // A test that waits for ever says nothing: bounded instead.
    timeval patience{90, 0};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience,
                 sizeof patience);
    return true;
  }
  void close() {
    boost::system::error_code ignored;
    socket.close(ignored);
    buffered.clear();
  }
  bool more() {
    char piece[65536];
    auto got = ::recv(socket.native_handle(), piece, sizeof piece, 0);
    if (got <= 0)
      return false;
    buffered.append(piece, static_cast<size_t>(got));
    return true;
  }
  answer read();
};

answer client::connection::read() {
  answer out;
  size_t end = 0;
  for (;;) {
    while ((end = buffered.find("\r\n\r\n")) == std::string::npos)
      if (!more())
        return close(), answer{};
    out = {};
    out.status = std::atoi(buffered.c_str() + 9);
    size_t at = buffered.find("\r\n") + 2;
    while (at < end + 2) {
      auto line_end = buffered.find("\r\n", at);
      auto line = buffered.substr(at, line_end - at);
      auto colon = line.find(':');
      auto name = line.substr(0, colon);
      std::transform(name.begin(), name.end(), name.begin(), ::tolower);
      auto value = line.substr(std::min(line.size(), colon + 1));
      out.headers[name] =
        value.substr(std::min(value.size(), value.find_first_not_of(' ')));
      at = line_end + 2;
    }
    if (out.status != 100)
      break;
    buffered.erase(0, end + 4);
  }
  size_t length = 0;
  if (auto given = out.headers.find("content-length");
      given != out.headers.end())
    length = std::stoull(given->second);
  while (buffered.size() < end + 4 + length)
    if (!more())
      return close(), answer{};
  out.body = buffered.substr(end + 4, length);
  buffered.erase(0, end + 4 + length);
  if (out.headers["connection"] == "close")
    close();
  return out;
}

client::client(uint16_t port) : connection_(new connection) {
  connection_->where = {asio::ip::make_address("127.0.0.1"), port};
}
client::~client() = default;
client::client(client&&) noexcept = default;

void client::close() {
  connection_->close();
}

void client::send(std::string_view bytes) {
  if (!connection_->open())
    return;
  boost::system::error_code failed;
  asio::write(connection_->socket, asio::buffer(bytes.data(), bytes.size()),
              failed);
}

void client::send_call(std::string_view method, std::string_view path,
                       std::string_view body) {
  send(request(method, path, body, {}));
}

answer client::raw(std::string_view bytes) {
  send(bytes);
  if (!connection_->socket.is_open())
    return {};
  // An early refusal may close before all was sent; its answer counts.
  return connection_->read();
}

answer client::call(std::string_view method, std::string_view path,
                    std::string_view body, std::string_view more_headers) {
  return raw(request(method, path, body, more_headers));
}

std::string client::request(std::string_view method, std::string_view path,
                            std::string_view body,
                            std::string_view more_headers) {
  std::string out;
  out.append(method).append(" ").append(path).append(" HTTP/1.1\r\n");
  out.append("Host: test\r\n").append(more_headers);
  if (!body.empty() || method == "POST" || method == "PUT")
    out.append("Content-Type: application/json\r\nContent-Length: ")
      .append(std::to_string(body.size()))
      .append("\r\n");
  out.append("\r\n").append(body);
  return out;
}

// -- the process --------------------------------------------------------------

namespace {

uint16_t free_port() {
  asio::io_context io;
  tcp::acceptor probe{io, {asio::ip::make_address("127.0.0.1"), 0}};
  return probe.local_endpoint().port();
}

std::string fresh_directory() {
  static std::atomic<int> count{0};
  auto base = std::getenv("QUEEN_TEST_DIR");
  auto out = (base ? fs::path{base} : fs::temp_directory_path()) /
             ("queen-test-" + std::to_string(::getpid()) + "-" +
              std::to_string(++count));
  fs::remove_all(out);
  fs::create_directories(out);
  return out.string();
}

} // namespace

broker::broker(environment more)
  : environment_(std::move(more)), directory_(fresh_directory()) {
  start();
}

broker::~broker() {
  if (pid_ > 0)
    kill();
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

pid_t broker::spawn(const std::string& output) {
  port_ = free_port();
  auto given = environment_;
  given.emplace("LOG_LEVEL", "warn");
  given["PORT"] = std::to_string(port_);
  given["QUEEN_BIND_ADDR"] = "127.0.0.1";
  given["QUEEN_RAFT_DIR"] = directory_ + "/data";
  std::vector<std::string> texts;
  for (auto& [name, value] : given)
    texts.push_back(name + "=" + value);
  // Kept: sanitizers read their options from here.
  for (const char* kept : {"PATH", "HOME", "ASAN_OPTIONS", "UBSAN_OPTIONS",
                           "TSAN_OPTIONS", "LD_LIBRARY_PATH"})
    if (auto value = std::getenv(kept))
      texts.push_back(std::string{kept} + "=" + value);
  std::vector<char*> environment;
  for (auto& t : texts)
    environment.push_back(t.data());
  environment.push_back(nullptr);
  auto pid = ::fork();
  if (pid == 0) {
    auto to = ::open(output.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
    ::dup2(to, 1);
    ::dup2(to, 2);
    char name[] = QUEEND_BINARY;
    char* words[] = {name, nullptr};
    ::execve(QUEEND_BINARY, words, environment.data());
    ::_exit(127);
  }
  return pid;
}

void broker::start() {
  auto output = directory_ + "/output";
  pid_ = spawn(output);
  for (int i = 0; i < 6000; ++i) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = 0;
      std::ifstream text{output};
      FAIL("queend ended at boot: "
           << std::string{std::istreambuf_iterator<char>{text}, {}});
    }
    if (connect().get("/health").status == 200)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  FAIL("queend did not become healthy");
}

void broker::kill() {
  ::kill(pid_, SIGKILL);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
}

int broker::terminate() {
  ::kill(pid_, SIGTERM);
  int status = 0;
  ::waitpid(pid_, &status, 0);
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::pair<int, std::string> broker::start_refused() {
  auto output = directory_ + "/refused";
  fs::remove(output);
  auto pid = spawn(output);
  int status = 0;
  for (int i = 0; i < 6000 && ::waitpid(pid, &status, WNOHANG) == 0; ++i) {
    if (connect().get("/health").status == 200)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  if (::kill(pid, SIGKILL) == 0 && ::waitpid(pid, &status, 0) == pid)
    FAIL("queend came up where a refusal was expected");
  std::ifstream text{output};
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          std::string{std::istreambuf_iterator<char>{text}, {}}};
}

uint64_t broker::resident_bytes() const {
  std::ifstream statm{"/proc/" + std::to_string(pid_) + "/statm"};
  uint64_t pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
}

uint64_t scale(const char* name, uint64_t usual) {
  auto given = std::getenv((std::string{"QUEEN_TEST_"} + name).c_str());
  return given ? std::strtoull(given, nullptr, 10) : usual;
}

} // namespace queen::test
