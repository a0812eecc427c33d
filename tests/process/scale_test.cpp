// What a node holds costs it disk, not memory, and no time at its next boot.
// The full size: QUEEN_TEST_PARTITIONS=1000000 QUEEN_TEST_MESSAGES=10000000.

#include "tests/process/ledger.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <thread>

using namespace queen::test;

namespace {

constexpr int connections = 8;

// Calls `body(first)` for every `step`th number below `count`, from several
// connections, and posts what it gives to /api/v1/push.
void push_all(const broker& node, uint64_t count, uint64_t step,
              const std::function<std::string(uint64_t)>& body) {
  ledger book;
  std::atomic<uint64_t> next{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i)
    threads.emplace_back([&] {
      auto api = node.connect();
      for (auto at = next.fetch_add(step); at < count;
           at = next.fetch_add(step))
        if (auto got = api.post("/api/v1/push", body(at)); got.status != 201)
          return book.complain(std::to_string(got.status) + got.body);
    });
  for (auto& t : threads)
    t.join();
  for (auto& c : book.complaints())
    FAIL(c);
}

} // namespace

TEST_CASE("many partitions cost no memory when idle, and pops find them all") {
  auto partitions = scale("PARTITIONS", 50000);
  broker node{{{"QUEEN_CONSUME_IDLE_UNLOAD_S", "1"}}};
  push_all(node, partitions, 500, [&](uint64_t first) {
    std::string body = R"({"items":[)";
    for (auto p = first; p < std::min(partitions, first + 500); ++p)
      body += std::string{p > first ? "," : ""} +
              R"({"queue":"many","partition":"p)" + std::to_string(p) +
              R"(","transactionId":"m)" + std::to_string(p) +
              R"(","payload":1})";
    return body + "]}";
  });
  // The loaded ones go within two seconds; the allocator follows.
  uint64_t resident = 0;
  for (int i = 0; i < 300; ++i) {
    resident = node.resident_bytes();
    if (resident < (200u << 20) + partitions * 200)
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  WARN(partitions << " partitions: " << (resident >> 20) << " MiB resident");
  CHECK(resident < (200u << 20) + partitions * 200);
  std::set<std::string> seen;
  auto api = node.connect();
  while (seen.size() < partitions) {
    auto got = api.get("/api/v1/pop/queue/many?batch=64&partitions=64"
                       "&autoAck=true");
    INFO(seen.size() << " of " << partitions);
    REQUIRE(got.status == 200);
    auto popped = got.json();
    for (auto& m : popped["messages"].GetArray())
      REQUIRE(seen.insert(m["transactionId"].GetString()).second);
  }
  CHECK(api.get("/api/v1/pop/queue/many").status == 204);
}

TEST_CASE("a node with many messages is up again at once, with all of them") {
  auto messages = scale("MESSAGES", 200000);
  broker node;
  push_all(node, messages, 1000, [&](uint64_t first) {
    std::string body = R"({"items":[)";
    for (auto m = first; m < std::min(messages, first + 1000); ++m)
      body += std::string{m > first ? "," : ""} +
              R"({"queue":"big","partition":"p)" +
              std::to_string(first / 1000 % 20) + R"(","payload":{"n":)" +
              std::to_string(m) + "}}";
    return body + "]}";
  });
  node.kill();
  auto before = std::chrono::steady_clock::now();
  node.start();
  auto seconds =
    std::chrono::duration<double>(std::chrono::steady_clock::now() - before)
      .count();
  WARN(messages << " messages: up after " << seconds << " s with "
                << (node.resident_bytes() >> 20) << " MiB resident");
  auto queue = node.connect().get("/api/v1/resources/queues/big").json();
  CHECK(queue["messages"].GetUint64() == messages);
}
