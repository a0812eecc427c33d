// A worker's step against a real node: whole, or not at all, and so after
// SIGKILL.

#include "tests/support/broker.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using queen::test::broker;

namespace {

std::string push_of(const std::string& queue, const std::string& id) {
  return R"({"items":[{"queue":")" + queue + R"(","transactionId":")" + id +
         R"(","payload":{"n":1}}]})";
}

uint64_t records_of(queen::test::client& api, const std::string& queue) {
  auto got =
    api
      .post("/api/v1/fetch", R"({"entries":[{"queue":")" + queue +
                               R"(","partition":"Default","offset":0}]})")
      .json();
  return got["entries"][0]["records"].Size();
}

// The ack of `lease`, a receipt, and a gate on the key `order`.
std::string step_of(const std::string& id, const std::string& lease) {
  return R"({"operations":[{"type":"ack","transactionId":")" + id +
         R"(","partitionId":"1","leaseId":")" + lease +
         R"("},{"type":"push","items":[{"queue":"receipts","payload":1,"transactionId":"receipt-)" +
         id + R"("}]}],"kv":[{"op":"putIfAbsent","ns":"orders","key":")" + id +
         R"(","value":"paid","forever":true,"required":true}]})";
}

} // namespace

TEST_CASE("a step commits once, and its repeat is refused whole") {
  broker node;
  auto api = node.connect();
  REQUIRE(api.post("/api/v1/push", push_of("orders", "o1")).status == 201);
  auto popped = api.get("/api/v1/pop/queue/orders").json();
  std::string lease = popped["leaseId"].GetString();
  auto first = api.post("/api/v1/transaction", step_of("o1", lease)).json();
  REQUIRE(first["success"].GetBool());
  REQUIRE(first["results"].Size() == 3);
  auto again = api.post("/api/v1/transaction", step_of("o1", lease)).json();
  REQUIRE_FALSE(again["success"].GetBool());
  REQUIRE(again["reason"] == "rejected_ack");
  REQUIRE(records_of(api, "receipts") == 1);
}

TEST_CASE("a lost gate leaves the lease, and the ack alone still goes") {
  broker node;
  auto api = node.connect();
  REQUIRE(
    api
      .call("PUT", "/api/v1/kv/orders/o1", R"({"value":"paid","forever":true})")
      .status == 200);
  REQUIRE(api.post("/api/v1/push", push_of("orders", "o1")).status == 201);
  std::string lease =
    api.get("/api/v1/pop/queue/orders").json()["leaseId"].GetString();
  auto lost = api.post("/api/v1/transaction", step_of("o1", lease)).json();
  REQUIRE_FALSE(lost["success"].GetBool());
  REQUIRE(lost["reason"] == "kv_precondition");
  REQUIRE(lost["kvReason"] == "exists");
  auto ack = api
               .post("/api/v1/ack",
                     R"({"transactionId":"o1","partitionId":"1","leaseId":")" +
                       lease + R"("})")
               .json();
  REQUIRE(ack[0]["success"].GetBool());
  REQUIRE(api.get("/api/v1/pop/queue/orders").status == 204);
}

TEST_CASE("what was answered survives kill -9, and no step is half there") {
  broker node;
  uint64_t steps = 0;
  auto kills = queen::test::scale("KILLS", 5);
  for (uint64_t round = 0; round < kills; ++round) {
    {
      auto api = node.connect();
      for (int i = 0; i < 20; ++i) {
        auto id = "s" + std::to_string(steps);
        auto body =
          R"({"operations":[{"type":"push","items":[{"queue":"a","payload":1,"transactionId":")" +
          id + R"("},{"queue":"b","payload":1,"transactionId":")" + id +
          R"("}]}],"kv":[{"op":"incr","ns":"n","key":"steps","delta":1,"forever":true}]})";
        auto done = api.post("/api/v1/transaction", body).json();
        REQUIRE(done["success"].GetBool());
        ++steps;
      }
    }
    node.kill();
    node.start();
    auto api = node.connect();
    REQUIRE(records_of(api, "a") == steps);
    REQUIRE(records_of(api, "b") == steps);
    REQUIRE(api.get("/api/v1/kv/n/steps").json()["value"].GetUint64() == steps);
  }
}
