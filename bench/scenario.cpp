#include "bench/scenario.hpp"

#include <algorithm>

#include <unistd.h>

namespace queen::bench {

std::string fresh_name(std::string_view what) {
  auto now = std::chrono::system_clock::now().time_since_epoch().count();
  return std::string{what} + "-" + std::to_string(::getpid()) + "-" +
         std::to_string(now % 1000000007);
}

std::string payload_of(int bytes) {
  // A JSON string of that size, quotes included.
  std::string text = "\"";
  while (static_cast<int>(text.size()) < bytes - 1)
    text.push_back(static_cast<char>('a' + text.size() % 26));
  return text + "\"";
}

void append_item(std::string& body, std::string_view queue,
                 std::string_view partition, const std::string& payload) {
  body.append("{\"queue\":\"").append(queue);
  body.append("\",\"partition\":\"").append(partition);
  body.append("\",\"payload\":").append(payload).append("}");
}

namespace {

std::string_view field(std::string_view body, std::string_view name,
                       size_t& at) {
  auto i = body.find(name, at);
  if (i == body.npos)
    return {};
  auto begin = i + name.size();
  auto end = body.find('"', begin);
  if (end == body.npos)
    return {};
  at = end;
  return body.substr(begin, end - begin);
}

} // namespace

bool read_popped(std::string_view body, popped& out) {
  out.transaction_ids.clear();
  size_t at = 0;
  out.partition_id = field(body, "\"partitionId\":\"", at);
  out.lease_id = field(body, "\"leaseId\":\"", at);
  for (;;) {
    auto id = field(body, "\"transactionId\":\"", at);
    if (id.empty())
      break;
    out.transaction_ids.push_back(id);
  }
  return !out.partition_id.empty() && !out.transaction_ids.empty();
}

void preload(const settings& s, const std::string& queue, uint64_t messages,
             outcome& out) {
  constexpr uint64_t per_call = 500;
  constexpr int connections = 8;
  asio::io_context io{1};
  auto payload = payload_of(s.payload_bytes);
  uint64_t sent = 0;
  uint64_t calls = 0;
  std::function<void(std::shared_ptr<connection>)> next =
    [&](std::shared_ptr<connection> c) {
      if (sent >= messages || !out.errors.empty())
        return c->close();
      auto count = std::min(per_call, messages - sent);
      sent += count;
      // One partition a call, so that its messages are one row.
      auto partition =
        "p" + std::to_string(calls++ % static_cast<uint64_t>(s.partitions));
      std::string body = "{\"items\":[";
      for (uint64_t i = 0; i < count; ++i) {
        if (i)
          body.push_back(',');
        append_item(body, queue, partition, payload);
      }
      body.append("]}");
      c->post("/api/v1/push", body, [&, c](int status, std::string_view text) {
        if (status != 201)
          out.errors.push_back("preload: " + std::to_string(status) + " " +
                               std::string{text.substr(0, 200)});
        next(c);
      });
    };
  for (int i = 0; i < connections; ++i) {
    auto c = std::make_shared<connection>(io, s.broker);
    c->connect();
    next(c);
  }
  io.run();
}

} // namespace queen::bench
