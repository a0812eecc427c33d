// Transactions that want the same things from 64 connections: one wins, the
// others are told why, nobody waits for ever (spec/transaction.md, Verdict).

#include "tests/process/ledger.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

using namespace queen::test;

namespace {

constexpr int connections = 64;

void in_parallel(int count, const std::function<void(int)>& run) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i)
    threads.emplace_back([&, i] { run(i); });
  for (auto& t : threads)
    t.join();
}

// Pushes of one id to four partitions, for every second one in opposite order.
std::string pushes(const std::string& id, bool backwards) {
  std::string out;
  for (int i = 0; i < 4; ++i) {
    auto p = std::to_string(backwards ? 3 - i : i);
    out += std::string{i ? "," : ""} +
           R"({"type":"push","queue":"q","partition":"p)" + p +
           R"(","transactionId":")" + id + R"(","payload":1})";
  }
  return out;
}

bool has(const answer& got, const char* what) {
  return got.body.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("of all that want the same key, lease and ids exactly one wins") {
  auto rounds = scale("CONFLICTS", 30);
  broker node;
  ledger book;
  auto main = node.connect();
  std::vector<client> clients;
  for (int i = 0; i < connections; ++i)
    clients.push_back(node.connect());
  for (uint64_t round = 0; round < rounds; ++round) {
    auto name = "r" + std::to_string(round);
    REQUIRE(
      main
        .post("/api/v1/push", R"({"items":[{"queue":"in","transactionId":")" +
                                name + R"(","payload":1}]})")
        .status == 201);
    auto popped = main.get("/api/v1/pop/queue/in").json();
    std::string ack = R"({"type":"ack","transactionId":")" + name +
                      R"(","partitionId":")" +
                      popped["partitionId"].GetString() + R"(","leaseId":")" +
                      popped["leaseId"].GetString() + R"("},)";
    std::string key = R"({"op":"putIfAbsent","ns":"n","key":")" + name +
                      R"(","value":1,"forever":true,"required":true})";
    std::atomic<int> won{0};
    in_parallel(connections, [&](int i) {
      // A third fights for the lease, a third for the ids, a third for the key.
      auto body =
        R"({"operations":[)" + (i % 3 == 0 ? ack : "") +
        pushes(i % 3 == 2 ? name + "-" + std::to_string(i) : name, i % 2 == 1) +
        R"(],"kv":[)" + key + "]}";
      auto got =
        clients[static_cast<size_t>(i)].post("/api/v1/transaction", body);
      won += has(got, "\"success\":true");
      bool told = has(got, "\"success\":true") || has(got, "kv_precondition") ||
                  (i % 3 != 2 && has(got, "\"duplicate\"")) ||
                  (i % 3 == 0 && has(got, "rejected_ack"));
      if (got.status != 200 || !told)
        book.complain(name + ": " + std::to_string(got.status) + got.body);
    });
    REQUIRE(won == 1);
    // Whoever won did not ack it, perhaps.
    main.post("/api/v1/ack", R"({"transactionId":")" + name +
                               R"(","partitionId":")" +
                               popped["partitionId"].GetString() + R"("})");
  }
  for (auto& c : book.complaints())
    FAIL_CHECK(c);
  auto first = ids_of(main, "q", "p0");
  REQUIRE(first.size() == rounds);
  for (auto p : {"p1", "p2", "p3"})
    REQUIRE(ids_of(main, "q", p) == first);
}

TEST_CASE("transfers in opposite directions keep their sum and end") {
  constexpr int accounts = 5;
  auto each = scale("TRANSFERS", 60);
  broker node;
  ledger book;
  auto main = node.connect();
  for (int a = 0; a < accounts; ++a)
    REQUIRE(main
              .call("PUT", "/api/v1/kv/bank/a" + std::to_string(a),
                    R"({"value":20,"forever":true})")
              .status == 200);
  std::atomic<int> moved{0}, refused{0};
  in_parallel(connections, [&](int i) {
    auto api = node.connect();
    for (uint64_t n = 0; n < each; ++n) {
      auto from = (static_cast<uint64_t>(i) + n) % accounts;
      auto to =
        (from + 1 + static_cast<uint64_t>(i) % (accounts - 1)) % accounts;
      auto entry = [](uint64_t account, const char* amount) {
        return R"({"op":"incr","ns":"bank","key":"a)" +
               std::to_string(account) + R"(","delta":)" + amount +
               R"(,"min":0,"forever":true,"required":true})";
      };
      auto got = api.post(
        "/api/v1/transaction",
        R"({"operations":[{"type":"push","queue":"journal","partition":"p)" +
          std::to_string(from) + R"(","payload":1}],"kv":[)" +
          entry(from, "-7") + "," + entry(to, "7") + "]}");
      bool done = has(got, "\"success\":true");
      moved += done;
      refused += !done;
      if (got.status != 200 || (!done && !has(got, "\"limit\"")))
        book.complain(std::to_string(got.status) + got.body);
    }
  });
  for (auto& c : book.complaints())
    FAIL_CHECK(c);
  int sum = 0;
  size_t journal = 0;
  for (int a = 0; a < accounts; ++a) {
    auto found = main.get("/api/v1/kv/bank/a" + std::to_string(a)).json();
    REQUIRE(found["value"].GetInt() >= 0);
    sum += found["value"].GetInt();
    journal += ids_of(main, "journal", "p" + std::to_string(a)).size();
  }
  REQUIRE(sum == accounts * 20);
  REQUIRE(journal == static_cast<size_t>(moved.load()));
  REQUIRE(moved > 0);
  REQUIRE(refused > 0);
}

TEST_CASE("a step acks what another one has just refused to") {
  broker node;
  auto main = node.connect();
  auto rounds = scale("CONFLICTS", 30);
  // Both act on one batch; the ack route and the transaction route race.
  for (uint64_t round = 0; round < rounds; ++round) {
    auto name = "m" + std::to_string(round);
    REQUIRE(
      main
        .post("/api/v1/push", R"({"items":[{"queue":"race","transactionId":")" +
                                name + R"(","payload":1}]})")
        .status == 201);
    auto popped = main.get("/api/v1/pop/queue/race").json();
    REQUIRE(popped["messages"].Size() == 1);
    std::string address =
      R"("transactionId":")" + name + R"(","partitionId":")" +
      popped["partitionId"].GetString() + R"(","leaseId":")" +
      popped["leaseId"].GetString() + R"(")";
    std::atomic<int> committed{0}, retried{0};
    in_parallel(8, [&](int i) {
      auto api = node.connect();
      if (i % 2 == 0) {
        auto got =
          api.post("/api/v1/transaction",
                   R"({"operations":[{"type":"ack",)" + address +
                     R"(},{"type":"push","queue":"raced","payload":1}]})");
        committed += has(got, "\"success\":true");
      } else {
        auto got =
          api.post("/api/v1/ack", "{" + address + R"(,"status":"retry"})");
        retried += has(got, "\"success\":true");
      }
    });
    REQUIRE(committed + retried == 1);
    auto again = main.get("/api/v1/pop/queue/race");
    REQUIRE((again.status == 200) == (retried == 1));
    if (retried == 1)
      REQUIRE(main
                .post("/api/v1/ack",
                      R"({"transactionId":")" + name + R"(","partitionId":")" +
                        popped["partitionId"].GetString() + R"("})")
                .status == 200);
  }
}
