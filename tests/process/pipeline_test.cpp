// The four-stage pipeline of seeds/transactional-pipeline.txt with consumers
// that die at random, and the fan-in and fan-out of transaction-endpoint.txt.
// QUEEN_TEST_PIPELINE=300 is a minute and more of it.

#include "tests/process/ledger.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <random>
#include <thread>

using namespace queen::test;

namespace {

constexpr int partitions = 200;
constexpr int consumers_a_stage = 4;
const char* const stages[] = {"stage-1", "stage-2", "stage-3", "stage-4"};

std::string partition_name(int p) {
  return "entity-" + std::to_string(p);
}

void push_inputs(client& api, uint64_t each) {
  for (uint64_t n = 0; n < each; ++n) {
    std::string body = R"({"items":[)";
    for (int p = 0; p < partitions; ++p) {
      auto name = partition_name(p);
      if (p)
        body += ",";
      body += R"({"queue":"stage-1","partition":")" + name +
              R"(","transactionId":")" + name + "#" + std::to_string(n) +
              R"(","payload":{"n":)" + std::to_string(n) + "}}";
    }
    REQUIRE(api.post("/api/v1/push", body + "]}").status == 201);
  }
}

// One worker's step: what was popped is acked and pushed on, and counted.
std::string step_of(const rapidjson::Document& popped, int stage) {
  std::string operations, lease = popped["leaseId"].GetString();
  auto& messages = popped["messages"];
  for (auto& m : messages.GetArray()) {
    std::string id = m["transactionId"].GetString();
    if (!operations.empty())
      operations += ",";
    operations += R"({"type":"ack","transactionId":")" + id +
                  R"(","partitionId":")" + m["partitionId"].GetString() +
                  R"(","consumerGroup":"g","leaseId":")" + lease +
                  R"("},{"type":"push","queue":")" + stages[stage + 1] +
                  R"(","partition":")" + m["partition"].GetString() +
                  R"(","transactionId":")" + id + R"(","payload":{"s":)" +
                  std::to_string(stage) + "}}";
  }
  return R"({"operations":[)" + operations +
         R"(],"kv":[{"op":"incr","ns":"done","key":"stage-)" +
         std::to_string(stage) + R"(","delta":)" +
         std::to_string(messages.Size()) + R"(,"forever":true}]})";
}

struct consumer {
  uint16_t port;
  int stage;
  unsigned seed;
  std::atomic<bool>& over;
  ledger& book;

  void run() {
    std::mt19937 chance{seed};
    client api{port};
    auto path = std::string{"/api/v1/pop/queue/"} + stages[stage] +
                "?consumerGroup=g&subscriptionMode=all&batch=5&partitions=4"
                "&leaseSeconds=1&wait=true&timeout=500";
    while (!over) {
      // Dies while its pop is parked, or its answer on the way.
      if (chance() % 100 == 0) {
        api.send("GET " + path + " HTTP/1.1\r\nHost: test\r\n\r\n");
        api.close();
        continue;
      }
      auto got = api.get(path);
      if (got.status == 204)
        continue;
      if (got.status != 200) {
        book.complain("pop: " + std::to_string(got.status) + got.body);
        continue;
      }
      rapidjson::Document popped;
      popped.Parse(got.body);
      switch (chance() % 50) {
      case 0: // dies with the batch in its hands
        api.close();
        continue;
      case 1: // dies before it hears what became of its step
        api.send_call("POST", "/api/v1/transaction", step_of(popped, stage));
        api.close();
        continue;
      case 2: // is slow: its lease runs out, and its step must be refused
        std::this_thread::sleep_for(std::chrono::milliseconds(1300));
        break;
      default:
        break;
      }
      auto done = api.post("/api/v1/transaction", step_of(popped, stage));
      bool good = done.body.find("\"success\":true") != std::string::npos;
      bool late = done.body.find("rejected_ack") != std::string::npos;
      if (!good && !late)
        book.complain("step: " + done.body);
    }
  }
};

} // namespace

TEST_CASE("a pipeline whose consumers die brings every input through once") {
  auto each = scale("PIPELINE", 10);
  broker node;
  ledger book;
  auto api = node.connect();
  push_inputs(api, each);
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  std::random_device device;
  for (int i = 0; i < 3 * consumers_a_stage; ++i)
    threads.emplace_back([&, i, seed = device()] {
      consumer{node.port(), i / consumers_a_stage, seed, over, book}.run();
    });
  auto total = each * partitions;
  auto count_of = [&](const char* stage) {
    auto found = api.get(std::string{"/api/v1/kv/done/"} + stage).json();
    return found["found"].GetBool() ? found["value"].GetUint64() : 0;
  };
  for (int i = 0; i < 60000 && count_of("stage-2") < total; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  over = true;
  for (auto& t : threads)
    t.join();
  for (auto& c : book.complaints())
    FAIL_CHECK(c);
  for (auto stage : {"stage-0", "stage-1", "stage-2"})
    CHECK(count_of(stage) == total);
  for (int p = 0; p < partitions; ++p) {
    auto name = partition_name(p);
    std::vector<std::string> expected;
    for (uint64_t n = 0; n < each; ++n)
      expected.push_back(name + "#" + std::to_string(n));
    REQUIRE(ids_of(api, "stage-4", name) == expected);
  }
}

TEST_CASE(
  "acks of several partitions and queues, pushes to several: one commit") {
  broker node;
  auto api = node.connect();
  REQUIRE(api
            .post("/api/v1/push", R"({"items":[
    {"queue":"left","partition":"a","transactionId":"la","payload":1},
    {"queue":"left","partition":"b","transactionId":"lb","payload":1},
    {"queue":"right","partition":"c","transactionId":"rc","payload":1}]})")
            .status == 201);
  std::string acks;
  for (auto path : {"left?partitions=2", "right?partitions=1"}) {
    auto popped = api.get(std::string{"/api/v1/pop/queue/"} + path).json();
    for (auto& m : popped["messages"].GetArray())
      acks += std::string{R"({"type":"ack","transactionId":")"} +
              m["transactionId"].GetString() + R"(","partitionId":")" +
              m["partitionId"].GetString() + R"(","leaseId":")" +
              m["leaseId"].GetString() + R"("},)";
  }
  auto call = [&](const std::string& last) {
    return api
      .post("/api/v1/transaction", R"({"operations":[)" + acks +
                                     R"({"type":"push","items":[
              {"queue":"x","partition":"1","transactionId":"o1","payload":1},
              {"queue":"x","partition":"2","transactionId":"o2","payload":1},
              {"queue":"y","partition":"1","transactionId":")" +
                                     last + R"(","payload":1}]}]})")
      .json();
  };
  REQUIRE(api
            .post("/api/v1/push", R"({"items":[
    {"queue":"y","partition":"1","transactionId":"there","payload":1}]})")
            .status == 201);
  // The last push is refused: nothing of the call is there.
  REQUIRE(call("there")["reason"] == "duplicate");
  REQUIRE(ids_of(api, "x", "1").empty());
  auto done = call("o3");
  REQUIRE(done["success"].GetBool());
  REQUIRE(done["results"].Size() == 6);
  REQUIRE(ids_of(api, "x", "1") == std::vector<std::string>{"o1"});
  REQUIRE(ids_of(api, "x", "2") == std::vector<std::string>{"o2"});
  REQUIRE(ids_of(api, "y", "1") == std::vector<std::string>{"there", "o3"});
  REQUIRE(api.get("/api/v1/pop/queue/left?partitions=2").status == 204);
  REQUIRE(api.get("/api/v1/pop/queue/right").status == 204);
}
