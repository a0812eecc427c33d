// A real node for the process tests: started, killed and started again on one
// data directory, and spoken to over HTTP as any client would.

#pragma once

#include <rapidjson/document.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace queen::test {

struct answer {
  int status = 0; // 0: the connection broke before the whole answer
  std::string body;
  std::map<std::string, std::string> headers; // names in lower case

  /// Ends the test when the body is no JSON.
  rapidjson::Document json() const;
};

/// One keep-alive connection. Reconnects when it broke before a request, never
/// sends a request twice.
class client {
public:
  explicit client(uint16_t port);
  ~client();
  client(client&&) noexcept;

  answer call(std::string_view method, std::string_view path,
              std::string_view body = {}, std::string_view more_headers = {});
  answer get(std::string_view path) { return call("GET", path); }
  answer post(std::string_view path, std::string_view body) {
    return call("POST", path, body);
  }
  /// Sends bytes as they are and reads one answer.
  answer raw(std::string_view bytes);
  /// Sends and does not wait for the answer: for clients that go.
  void send(std::string_view bytes);
  void send_call(std::string_view method, std::string_view path,
                 std::string_view body);
  void close();

private:
  static std::string request(std::string_view method, std::string_view path,
                             std::string_view body,
                             std::string_view more_headers);
  struct connection;
  std::unique_ptr<connection> connection_;
};

class broker {
public:
  using environment = std::map<std::string, std::string>;

  /// A fresh data directory, a free port on 127.0.0.1; starts and waits until
  /// it is healthy. `more` are further variables.
  explicit broker(environment more = {});
  /// Kills it and removes its data.
  ~broker();
  broker(const broker&) = delete;
  broker& operator=(const broker&) = delete;

  void start();
  void kill();     // SIGKILL, and waits until it is gone
  int terminate(); // SIGTERM; its exit status
  /// Starts it where a refusal is expected: what it printed, and its status.
  std::pair<int, std::string> start_refused();

  uint16_t port() const { return port_; }
  pid_t pid() const { return pid_; }
  const std::string& directory() const { return directory_; }
  client connect() const { return client{port_}; }
  uint64_t resident_bytes() const;

private:
  pid_t spawn(const std::string& output);

  environment environment_;
  std::string directory_;
  uint16_t port_ = 0;
  pid_t pid_ = 0;
};

/// A number that QUEEN_TEST_<NAME> replaces: long runs are the same tests.
uint64_t scale(const char* name, uint64_t usual);

} // namespace queen::test
