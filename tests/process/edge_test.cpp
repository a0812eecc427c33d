// Clients that behave badly: they get a clear answer, and others are unharmed.

#include "tests/support/broker.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include <arpa/inet.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace queen::test;

namespace {

// A bare socket: an idle client costs the test no more than a number.
int connect_bare(uint16_t port) {
  int fd = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&where), sizeof where) != 0) {
    ::close(fd);
    return -1;
  }
  return fd;
}

void serves(broker& node, const char* queue) {
  auto api = node.connect();
  REQUIRE(api
            .post("/api/v1/push", std::string{R"({"items":[{"queue":")"} +
                                    queue + R"(","payload":1}]})")
            .status == 201);
  REQUIRE(api.get(std::string{"/api/v1/pop/queue/"} + queue + "?autoAck=true")
            .status == 200);
}

} // namespace

TEST_CASE("ten thousand idle connections") {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  auto count =
    std::min<uint64_t>(scale("CONNECTIONS", 10000),
                       files.rlim_cur > 200 ? files.rlim_cur - 200 : 0);
  broker node;
  auto before = node.resident_bytes();
  std::vector<int> idle;
  for (uint64_t i = 0; i < count; ++i) {
    idle.push_back(connect_bare(node.port()));
    REQUIRE(idle.back() >= 0);
  }
  serves(node, "q");
  auto each = (node.resident_bytes() - before) / std::max<uint64_t>(count, 1);
  INFO(each << " bytes a connection");
  CHECK(each < 4096);
  for (auto fd : idle)
    ::close(fd);
  serves(node, "q");
}

TEST_CASE("a client that sends a byte now and then holds up nobody") {
  broker node;
  std::string request = "POST /api/v1/push HTTP/1.1\r\nHost: x\r\n"
                        "Content-Length: 40\r\n\r\n{\"items\":[]}";
  std::vector<int> slow;
  for (int i = 0; i < 20; ++i)
    slow.push_back(connect_bare(node.port()));
  std::atomic<bool> over{false};
  std::thread dripping{[&] {
    for (size_t at = 0; at < request.size() && !over; ++at) {
      for (auto fd : slow)
        (void)!::send(fd, &request[at], 1, MSG_NOSIGNAL);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }};
  for (int i = 0; i < 50; ++i)
    serves(node, "q");
  over = true;
  dripping.join();
  for (auto fd : slow)
    ::close(fd);
}

TEST_CASE("a body at the ceiling is taken, one over it is refused") {
  auto bytes = scale("BODY_BYTES", 64u << 20);
  broker node{{{"QUEEN_MAX_BODY_BYTES", std::to_string(bytes)}}};
  auto api = node.connect();
  std::string head = R"({"items":[{"queue":"big","payload":")", tail = "\"}]}";
  auto body = head + std::string(bytes - head.size() - tail.size(), 'x') + tail;
  REQUIRE(body.size() == bytes);
  REQUIRE(api.post("/api/v1/push", body).status == 201);
  auto got = api.get("/api/v1/pop/queue/big?autoAck=true");
  REQUIRE(got.status == 200);
  REQUIRE(got.body.size() > bytes - 100);
  auto over = api.post("/api/v1/push", body + " ");
  // The node may close before the client has sent it all.
  REQUIRE((over.status == 413 || over.status == 0));
  serves(node, "q");
  // Nothing of the refused one is there.
  REQUIRE(node.connect().get("/api/v1/pop/queue/big").status == 204);
}

TEST_CASE("what is no HTTP, and half of what is") {
  broker node;
  const char* requests[] = {
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello\r\n\r\n",
    "GET / HTTP/3.0\r\n\r\n",
    "POST /api/v1/push HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "POST /api/v1/push HTTP/1.1\r\nContent-Length: "
    "99999999999999999999\r\n\r\n",
    "POST /api/v1/push HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: "
    "6\r\n\r\n",
    "POST /api/v1/push HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET /api/v1/\x01 HTTP/1.1\r\n\r\n",
    "GET  /health  HTTP/1.1\r\n\r\n",
  };
  for (auto bytes : requests) {
    auto api = node.connect();
    auto got = api.raw(bytes);
    INFO(bytes << " -> " << got.status << " " << got.body);
    CHECK(got.status >= 400);
    CHECK(got.status < 500);
    CHECK(got.body.find("\"error\"") != std::string::npos);
  }
  auto api = node.connect();
  auto long_header =
    "GET /health HTTP/1.1\r\nX: " + std::string(70000, 'x') + "\r\n\r\n";
  CHECK(api.raw(long_header).status == 431);
  auto chunked = api.raw("POST /api/v1/push HTTP/1.1\r\nHost: x\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n"
                         "6\r\n{\"item\r\n6\r\ns\":[]}\r\n0\r\n\r\n");
  CHECK(chunked.status == 201);
  CHECK(chunked.body == "[]");
  // Two at once are answered in order.
  auto first = api.raw("GET /health HTTP/1.1\r\nHost: x\r\n\r\n"
                       "GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n");
  CHECK(first.status == 200);
  CHECK(api.raw("").status == 404);
  // A half that never ends is cut off with the node's next stop, not before.
  auto half = node.connect();
  half.send("POST /api/v1/push HTTP/1.1\r\nContent-Le");
  CHECK(node.terminate() == 0);
}

TEST_CASE("SIGTERM answers what is in flight and parked, then ends") {
  broker node;
  std::thread parked{[port = node.port()] {
    client api{port};
    auto got = api.get("/api/v1/pop/queue/none?wait=true&timeout=60000");
    // Handed back or told to try again; never left without an answer.
    if (got.status != 204 && got.status != 503)
      std::abort();
  }};
  auto api = node.connect();
  // Until the pop is parked: its group is there.
  for (int i = 0; i < 1000; ++i)
    REQUIRE(api.get("/health").status == 200);
  CHECK(node.terminate() == 0);
  parked.join();
  node.start();
  serves(node, "q");
}
