// Plain pushes, pops with acks, and long polls.

#include "bench/scenario.hpp"

#include <charconv>

namespace queen::bench {

namespace {

using step_fn = std::function<void(std::shared_ptr<connection>,
                                   std::function<void(uint64_t messages)>)>;

// Every worker runs `step` again and again until the time is over.
void drive(const settings& s, const stopwatch& watch, outcome& out,
           const step_fn& step) {
  asio::io_context io{1};
  watch.begin();
  auto start = clock::now();
  auto until = start + std::chrono::duration<double>(s.seconds);
  std::function<void(std::shared_ptr<connection>)> next =
    [&](std::shared_ptr<connection> c) {
      if (clock::now() >= until || !out.errors.empty())
        return c->close();
      auto began = clock::now();
      step(c, [&, c, began](uint64_t messages) {
        if (messages) {
          ++out.operations;
          out.messages += messages;
          out.latency.add(micros_since(began));
        }
        next(c);
      });
    };
  for (int i = 0; i < s.workers; ++i) {
    auto c = std::make_shared<connection>(io, s.broker);
    c->connect();
    next(c);
  }
  io.run();
  out.seconds = static_cast<double>(micros_since(start)) / 1e6;
  watch.end();
}

void complain(outcome& out, std::string_view what, int status,
              std::string_view body) {
  out.errors.push_back(std::string{what} + ": " + std::to_string(status) + " " +
                       std::string{body.substr(0, 300)});
}

} // namespace

outcome run_push(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "calls";
  auto queue = fresh_name("push");
  auto payload = payload_of(s.payload_bytes);
  uint64_t calls = 0;
  drive(s, watch, out, [&](auto c, auto then) {
    auto partition =
      "p" + std::to_string(calls++ % static_cast<uint64_t>(s.partitions));
    std::string body = "{\"items\":[";
    for (int i = 0; i < s.batch; ++i) {
      if (i)
        body.push_back(',');
      append_item(body, queue, partition, payload);
    }
    body.append("]}");
    c->post("/api/v1/push", body, [&, then](int status, std::string_view text) {
      bool good = status == 201 && text.find("\"error\"") == text.npos;
      if (!good)
        complain(out, "push", status, text);
      then(good ? static_cast<uint64_t>(s.batch) : 0);
    });
  });
  return out;
}

outcome run_pop_ack(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "pops with acks";
  auto queue = fresh_name("pop-ack");
  preload(s, queue, static_cast<uint64_t>(500000 * s.seconds), out);
  auto path =
    "/api/v1/pop/queue/" + queue + "?batch=" + std::to_string(s.batch);
  drive(s, watch, out, [&](auto c, auto then) {
    c->get(path, [&, c, then](int status, std::string_view body) {
      popped batch;
      if (status == 204)
        return then(0);
      if (status != 200 || !read_popped(body, batch)) {
        complain(out, "pop", status, body);
        return then(0);
      }
      std::string acks = "{\"acknowledgments\":[";
      for (auto id : batch.transaction_ids) {
        if (acks.back() == '}')
          acks.push_back(',');
        acks.append("{\"transactionId\":\"").append(id);
        acks.append("\",\"partitionId\":\"").append(batch.partition_id);
        acks.append("\",\"leaseId\":\"").append(batch.lease_id).append("\"}");
      }
      acks.append("]}");
      auto count = batch.transaction_ids.size();
      c->post("/api/v1/ack/batch", acks,
              [&, count, then](int code, std::string_view text) {
                bool good = code == 200 && text.find("\"success\":false") ==
                                             std::string_view::npos;
                if (!good)
                  complain(out, "ack", code, text);
                then(good ? count : 0);
              });
    });
  });
  return out;
}

// One consumer is parked, one producer pushes when the consumer has come back:
// the time from the push's first byte to the message in the consumer's hands.
outcome run_longpoll(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "messages";
  auto queue = fresh_name("longpoll");
  asio::io_context io{1};
  auto producer = std::make_shared<connection>(io, s.broker);
  auto consumer = std::make_shared<connection>(io, s.broker);
  producer->connect();
  consumer->connect();
  asio::steady_timer pause{io};
  auto path = "/api/v1/pop/queue/" + queue +
              "?wait=true&timeout=60000&autoAck="
              "true&batch=1";
  watch.begin();
  auto start = clock::now();
  auto until = start + std::chrono::duration<double>(s.seconds);
  std::string body = "{\"items\":[";
  append_item(body, queue, "p", payload_of(s.payload_bytes));
  body.append("]}");
  clock::time_point sent;
  std::function<void()> round = [&] {
    if (clock::now() >= until || !out.errors.empty()) {
      producer->close();
      consumer->close();
      io.stop();
      return;
    }
    consumer->get(path, [&](int status, std::string_view text) {
      if (status != 200)
        complain(out, "pop", status, text);
      ++out.operations;
      ++out.messages;
      out.latency.add(micros_since(sent));
      // The producer's own answer may still be on its way.
      pause.expires_after(std::chrono::milliseconds(2));
      pause.async_wait([&](auto) { round(); });
    });
    pause.expires_after(std::chrono::milliseconds(2)); // until it is parked
    pause.async_wait([&](auto) {
      sent = clock::now();
      producer->post("/api/v1/push", body,
                     [&](int status, std::string_view text) {
                       if (status != 201)
                         complain(out, "push", status, text);
                     });
    });
  };
  round();
  io.run();
  out.seconds = static_cast<double>(micros_since(start)) / 1e6;
  watch.end();
  return out;
}

outcome run_kv(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "calls";
  uint64_t calls = 0;
  drive(s, watch, out, [&](auto c, auto then) {
    // Counters of as many entities as there are partitions.
    auto key = std::to_string(calls++ % static_cast<uint64_t>(s.partitions));
    auto body =
      "{\"operations\":[{\"op\":\"incr\",\"ns\":\"bench\",\"key\":\"" + key +
      "\",\"delta\":1,\"forever\":true}]}";
    c->post("/api/v1/kv", body, [&, then](int status, std::string_view text) {
      bool good = status == 200 &&
                  text.find("\"applied\":true") != std::string_view::npos;
      if (!good)
        complain(out, "kv", status, text);
      then(good ? 1 : 0);
    });
  });
  return out;
}

// Pushes one message into each of `partitions` new partitions.
outcome run_many_partitions(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "calls";
  auto queue = fresh_name("many");
  auto payload = payload_of(s.payload_bytes);
  int next_partition = 0;
  asio::io_context io{1};
  watch.begin();
  auto start = clock::now();
  std::function<void(std::shared_ptr<connection>)> next =
    [&](std::shared_ptr<connection> c) {
      if (next_partition >= s.partitions || !out.errors.empty())
        return c->close();
      std::string body = "{\"items\":[";
      int count = 0;
      for (; count < s.batch && next_partition < s.partitions; ++count) {
        if (count)
          body.push_back(',');
        append_item(body, queue, "p" + std::to_string(next_partition++),
                    payload);
      }
      body.append("]}");
      auto began = clock::now();
      c->post("/api/v1/push", body,
              [&, c, began, count](int status, std::string_view text) {
                if (status != 201)
                  complain(out, "push", status, text);
                ++out.operations;
                out.messages += static_cast<uint64_t>(count);
                out.latency.add(micros_since(began));
                next(c);
              });
    };
  for (int i = 0; i < s.workers; ++i) {
    auto c = std::make_shared<connection>(io, s.broker);
    c->connect();
    next(c);
  }
  io.run();
  out.seconds = static_cast<double>(micros_since(start)) / 1e6;
  watch.end();
  return out;
}

} // namespace queen::bench
