// The HTTP edge over real sockets on 127.0.0.1, the server in its own thread.

#include "net/http/server.hpp"
#include "tests/support/http_client.hpp"

#include <boost/asio/post.hpp>
#include <catch2/catch.hpp>

#include <future>
#include <thread>

using namespace queen::net;
using queen::test::http_client;

namespace {

// "/echo" answers the body; "/hold" waits for the next "/release"; "/gone"
// reports its client's leaving.
struct edge {
  explicit edge(server_options options = {}) {
    options.address = "127.0.0.1";
    options.sweep_every = std::chrono::milliseconds{20};
    server = std::make_unique<http_server>(
      io, options, [this](http_request&& r, responder to) {
        if (r.path() == "/hold")
          held.push_back(to);
        else if (r.path() == "/gone")
          to.on_closed([this] { gone.set_value(); });
        else if (r.path() == "/thread")
          std::thread([to] { to.send({200, "other", {}}); }).detach();
        else
          to.send({200, *r.body, {}});
        if (r.path() == "/release")
          for (auto& each : std::exchange(held, {}))
            each.send({200, "held", {}});
      });
    port = *server->listen();
    loop = std::thread([this] { io.run(); });
  }
  ~edge() {
    io.stop();
    loop.join();
  }

  asio::io_context io{1};
  std::unique_ptr<http_server> server;
  std::vector<responder> held;
  std::promise<void> gone;
  uint16_t port = 0;
  std::thread loop;
};

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

constexpr auto patience = std::chrono::seconds{5};

} // namespace

TEST_CASE("a connection serves request after request") {
  edge at;
  http_client client{at.port};
  for (auto body : {"one", "two", "three"})
    CHECK(client.post("/echo", body).body == body);
  CHECK(client.get("/thread").body == "other");
}

TEST_CASE("pipelined answers keep the order of the requests") {
  edge at;
  http_client client{at.port};
  client.send_raw("GET /hold HTTP/1.1\r\n\r\n"
                  "POST /release HTTP/1.1\r\nContent-Length: 3\r\n\r\nnow");
  CHECK(client.read_answer().body == "held");
  CHECK(client.read_answer().body == "now");
}

TEST_CASE("a chunked body arrives whole, and over the ceiling is 413") {
  server_options options;
  options.body_bytes_max = 1000;
  edge at{options};
  http_client client{at.port};
  client.send_chunked("/echo", std::string(900, 'x'), 7);
  CHECK(client.read_answer().body == std::string(900, 'x'));
  client.send_chunked("/echo", std::string(1100, 'x'), 300);
  auto answer = client.read_answer();
  CHECK(answer.status == 413);
  CHECK(has(answer.body, "payload_too_large"));
}

TEST_CASE("a refusal is JSON and closes the connection") {
  server_options options;
  options.body_bytes_max = 1000;
  edge at{options};
  auto refused = [&](std::string request) {
    http_client client{at.port};
    client.send_raw(request);
    auto answer = client.read_answer();
    CHECK(has(answer.head, "connection: close"));
    CHECK(has(answer.body, "\"code\""));
    CHECK(client.closed_by_server());
    return answer.status;
  };
  CHECK(refused("POST / HTTP/1.1\r\nContent-Length: 5000\r\n\r\n") == 413);
  CHECK(refused("nonsense\r\n\r\n") == 400);
  CHECK(refused("GET / HTTP/1.1\r\nA: " + std::string(20000, 'a')) == 431);
  CHECK(refused("GET / HTTP/1.1\r\nExpect: more\r\n\r\n") == 417);
  CHECK(refused("POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n") == 501);
}

TEST_CASE("a body that stalls is 408") {
  server_options options;
  options.body_timeout = std::chrono::milliseconds{50};
  edge at{options};
  http_client client{at.port};
  client.send_raw("POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nab");
  CHECK(client.read_answer().status == 408);
}

TEST_CASE("a client that expects 100 is told to go on") {
  edge at;
  http_client client{at.port};
  client.send_raw("POST /echo HTTP/1.1\r\nContent-Length: 2\r\n"
                  "Expect: 100-continue\r\n\r\n");
  CHECK(client.read_answer().status == 100);
  client.send_raw("hi");
  CHECK(client.read_answer().body == "hi");
}

TEST_CASE("who waits for an answer learns that the client has gone") {
  edge at;
  http_client client{at.port};
  client.send_raw("GET /gone HTTP/1.1\r\n\r\n");
  client.close();
  CHECK(at.gone.get_future().wait_for(patience) == std::future_status::ready);
}

TEST_CASE("HTTP/1.0 and Connection: close end the connection") {
  edge at;
  for (auto request : {"GET / HTTP/1.0\r\n\r\n",
                       "GET / HTTP/1.1\r\nConnection: close\r\n\r\n"}) {
    http_client client{at.port};
    client.send_raw(request);
    CHECK(has(client.read_answer().head, "connection: close"));
    CHECK(client.closed_by_server());
  }
}

TEST_CASE("a drain closes idle connections and answers those in flight") {
  edge at;
  http_client idle{at.port};
  CHECK(idle.get("/").status == 200);
  http_client busy{at.port};
  busy.send_raw("GET / HTTP/1.1\r\n\r\nGET /hold HTTP/1.1\r\n\r\n");
  CHECK(busy.read_answer().status == 200);
  std::promise<void> done;
  asio::post(at.io, [&] { at.server->drain([&] { done.set_value(); }); });
  CHECK(idle.closed_by_server());
  asio::post(at.io, [&] { at.held.at(0).send({200, "last", {}}); });
  CHECK(has(busy.read_answer().head, "connection: close"));
  busy.close();
  CHECK(done.get_future().wait_for(patience) == std::future_status::ready);
}

TEST_CASE("four hundred open connections leave the server answering") {
  edge at;
  std::vector<std::unique_ptr<http_client>> many;
  for (int i = 0; i < 400; ++i)
    many.push_back(std::make_unique<http_client>(at.port));
  for (auto& each : many)
    REQUIRE(each->get("/").status == 200);
}
