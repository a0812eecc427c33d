// Every field of every route with what it should not hold: a clear answer,
// nothing written when it is a 4xx, and a node that goes on.

#include "tests/support/broker.hpp"

#include <catch2/catch.hpp>
#include <rapidjson/pointer.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <vector>

using namespace queen::test;

namespace {

using rapidjson::Document;
using rapidjson::Value;

struct request {
  const char* method;
  const char* path;
  const char* body; // QUEUE is replaced by a name of its own each time
};

const request requests[] = {
  {"POST", "/api/v1/push",
   R"({"items":[{"queue":"QUEUE","partition":"p","payload":{"a":1},"transactionId":"t","traceId":"0190aaaa-0000-7000-8000-000000000001"}]})"},
  {"POST", "/api/v1/transaction",
   R"({"operations":[{"type":"push","items":[{"queue":"QUEUE","partition":"p","payload":1,"transactionId":"t"}]},{"type":"ack","transactionId":"t","partitionId":"1","consumerGroup":"g","leaseId":"0190aaaa-0000-7000-8000-000000000001","status":"completed","error":"e"}],"requiredLeases":["0190aaaa-0000-7000-8000-000000000001"],"kv":[{"op":"put","ns":"n","key":"k","value":1,"ttlSeconds":5,"expect":0,"required":true},{"op":"incr","ns":"n","key":"c","delta":1,"min":0,"max":9,"forever":true},{"op":"getMany","ns":"n","keys":["a"]}],"timers":[{"op":"schedule","queue":"QUEUE","timerKey":"t","partition":"p","delayMs":100000,"txn":"x","payload":"eyJ4IjoxfQ==","payloadZstd":false}]})"},
  {"POST", "/api/v1/ack",
   R"({"transactionId":"t","partitionId":"1","consumerGroup":"g","leaseId":"l","status":"completed","error":"e"})"},
  {"POST", "/api/v1/ack/batch",
   R"({"consumerGroup":"g","acknowledgments":[{"transactionId":"t","partitionId":"1","consumerGroup":"g","leaseId":"l","status":"completed","error":"e"}]})"},
  {"POST", "/api/v1/lease/0190aaaa-0000-7000-8000-000000000001/extend",
   R"({"seconds":5})"},
  {"POST", "/api/v1/configure",
   R"({"queue":"QUEUE","namespace":"n","task":"t","mode":"merge","options":{"leaseTime":5,"retryLimit":1,"deadLetterQueue":true,"dedupWindowSeconds":5,"delayedProcessing":1,"windowBuffer":1,"retentionEnabled":false,"priority":1,"encryptionEnabled":false}})"},
  {"POST", "/api/v1/kv",
   R"({"operations":[{"op":"put","ns":"n","key":"k","value":1,"ttlSeconds":5,"expect":0,"required":false},{"op":"getPrefix","ns":"n","prefix":"a","limit":5,"after":"a","keysOnly":true},{"op":"delete","ns":"n","key":"x","expect":1}]})"},
  {"PUT", "/api/v1/kv/n/k", R"({"value":1,"ttlSeconds":5,"expect":0})"},
  {"POST", "/api/v1/timers",
   R"({"operations":[{"op":"schedule","queue":"QUEUE","timerKey":"t","partition":"p","delaySeconds":1000,"txn":"x","payload":{"a":1}}]})"},
  {"POST", "/api/v1/fetch",
   R"({"entries":[{"queue":"QUEUE","partition":"p","offset":0,"maxBytes":5}],"maxWaitMs":1,"minBytes":1})"},
  {"POST", "/api/v1/fetch/offsets",
   R"({"entries":[{"queue":"QUEUE","partition":"p","timestamp":"2026-01-01T00:00:00Z"}]})"},
};

std::vector<std::string> bad_values() {
  std::string deep(3000, '[');
  deep += std::string(3000, ']');
  return {"null",
          "true",
          "0",
          "-1",
          "1.5",
          "1e308",
          "1e400",
          "123456789012345678901234567890",
          R"("")",
          R"("x")",
          R"("\u0000")",
          "\"\xff\xfe\"",
          R"("\ud800")",
          "\"" + std::string(70000, 'x') + "\"",
          "[]",
          "{}",
          "[null]",
          R"({"a":{"b":[1]}})",
          deep,
          "nul",
          ""};
}

void collect(const Value& at, const std::string& path,
             std::vector<std::string>& out) {
  if (!path.empty())
    out.push_back(path);
  if (at.IsObject())
    for (auto& m : at.GetObject())
      collect(m.value, path + "/" + m.name.GetString(), out);
  if (at.IsArray())
    for (rapidjson::SizeType i = 0; i < at.Size(); ++i)
      collect(at[i], path + "/" + std::to_string(i), out);
}

std::string text_of(const Value& v) {
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer> writer{out};
  v.Accept(writer);
  return out.GetString();
}

std::string replaced(std::string text, const std::string& what,
                     const std::string& with) {
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos;
       at += with.size())
    text.replace(at, what.size(), with);
  return text;
}

// The body with one field replaced by raw text, left out, and given twice.
std::vector<std::string> variants(const char* body) {
  Document whole;
  whole.Parse(body);
  REQUIRE_FALSE(whole.HasParseError());
  std::vector<std::string> fields, out;
  collect(whole, "", fields);
  for (auto& field : fields) {
    rapidjson::Pointer pointer{field};
    Document copy;
    copy.CopyFrom(whole, copy.GetAllocator());
    auto old = text_of(*pointer.Get(copy));
    pointer.Set(copy, "@@");
    auto marked = text_of(copy);
    for (auto& bad : bad_values())
      out.push_back(replaced(marked, "\"@@\"", bad));
    auto name = field.substr(field.rfind('/') + 1);
    if (!std::isdigit(name[0]))
      out.push_back(
        replaced(marked, "\"@@\"", old + ",\"" + name + "\":" + old));
    pointer.Erase(copy);
    out.push_back(text_of(copy));
  }
  return out;
}

} // namespace

TEST_CASE("every field of every route with what it should not hold") {
  broker node;
  auto api = node.connect();
  uint64_t number = 0, refused = 0;
  for (auto& r : requests)
    for (auto& variant : variants(r.body)) {
      auto queue = "bad-" + std::to_string(number++);
      auto body = replaced(variant, "QUEUE", queue);
      auto got = api.call(r.method, r.path, body);
      INFO(r.path << " " << body.substr(0, 600));
      INFO("answer " << got.status << " " << got.body.substr(0, 600));
      REQUIRE(got.status >= 200);
      REQUIRE(got.status < 500);
      auto answer = got.json();
      if (got.status < 400)
        continue;
      ++refused;
      REQUIRE(answer.IsObject());
      REQUIRE(answer.HasMember("error"));
      if (std::string{r.path} == "/api/v1/transaction") {
        REQUIRE(answer["success"].IsFalse());
        REQUIRE(answer["results"].Empty());
        REQUIRE(answer["reason"] == answer["code"]);
      }
      REQUIRE(api.get("/api/v1/resources/queues/" + queue).status == 404);
    }
  CHECK(number > 1500);
  CHECK(refused > number / 3);
  CHECK(api.get("/health").status == 200);
  CHECK(api.post("/api/v1/push", R"({"items":[{"queue":"q","payload":1}]})")
          .status == 201);
}

TEST_CASE("query parameters of a pop with what they should not hold") {
  broker node;
  auto api = node.connect();
  const char* names[] = {"batch",
                         "partitions",
                         "wait",
                         "timeout",
                         "leaseSeconds",
                         "consumerGroup",
                         "subscriptionMode",
                         "subscriptionFrom",
                         "autoAck",
                         "autopilot",
                         "conflation"};
  const std::string values[] = {"",
                                "-1",
                                "0",
                                "1.5",
                                "x",
                                "%00",
                                "%ff",
                                "%zz",
                                "true",
                                "99999999999999999999",
                                std::string(5000, 'a')};
  for (std::string name : names)
    for (auto& value : values) {
      if (name == "wait" && value == "true")
        continue;
      auto got = api.get("/api/v1/pop/queue/q?" + name + "=" + value);
      INFO(name << "=" << value.substr(0, 50) << ": " << got.status << " "
                << got.body.substr(0, 300));
      CHECK((got.status == 204 || got.status == 400));
      if (got.status == 400)
        CHECK(got.json().HasMember("error"));
    }
  CHECK(api.get("/health").status == 200);
}
