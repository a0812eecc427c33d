// A worker's whole step, over and over: pop a batch under a lease, then one
// transaction that acks it and pushes as many to another queue. `txn` runs as
// fast as the workers can; `latency` starts steps at a fixed rate and counts
// each from when it should have started (coordinated omission corrected).

#include "bench/scenario.hpp"

#include <deque>

namespace queen::bench {

namespace {

class stepper {
public:
  stepper(const settings& s, outcome& out)
    : s_(s), out_(out), from_(fresh_name("in")), to_(fresh_name("out")),
      payload_(payload_of(s.payload_bytes)),
      pop_path_("/api/v1/pop/queue/" + from_ +
                "?consumerGroup=bench&subscriptionMode=all&batch=" +
                std::to_string(s.batch)) {}

  void fill(uint64_t steps) {
    preload(s_, from_, steps * static_cast<uint64_t>(s_.batch), out_);
  }

  /// `then(true)` when the step committed.
  void step(std::shared_ptr<connection> c, std::function<void(bool)> then) {
    auto popped_at = clock::now();
    c->get(pop_path_, [this, c, popped_at, then = std::move(then)](
                        int status, std::string_view body) {
      popped batch;
      if (status == 204) {
        ++empty_;
        return then(false);
      }
      if (status != 200 || !read_popped(body, batch)) {
        fail("pop", status, body);
        return then(false);
      }
      pop_latency_.add(micros_since(popped_at));
      auto count = batch.transaction_ids.size();
      auto sent_at = clock::now();
      c->post("/api/v1/transaction", transaction(batch),
              [this, count, sent_at, then](int code, std::string_view text) {
                bool good = code == 200 && text.find("\"success\":true") !=
                                             std::string_view::npos;
                if (!good)
                  fail("transaction", code, text);
                messages_ += count;
                commit_latency_.add(micros_since(sent_at));
                then(good);
              });
    });
  }

  bool failed() const { return !out_.errors.empty(); }
  void finish() {
    out_.messages = messages_;
    out_.extra["empty pops"] = static_cast<double>(empty_);
    out_.extra["pop p50 us"] = static_cast<double>(pop_latency_.percentile(.5));
    out_.extra["pop p99 us"] =
      static_cast<double>(pop_latency_.percentile(.99));
    out_.extra["commit p50 us"] =
      static_cast<double>(commit_latency_.percentile(.5));
    out_.extra["commit p99 us"] =
      static_cast<double>(commit_latency_.percentile(.99));
  }

private:
  std::string transaction(const popped& batch) {
    std::string body = "{\"operations\":[";
    for (auto id : batch.transaction_ids) {
      body.append("{\"type\":\"ack\",\"transactionId\":\"").append(id);
      body.append("\",\"partitionId\":\"").append(batch.partition_id);
      body.append("\",\"consumerGroup\":\"bench\",\"leaseId\":\"");
      body.append(batch.lease_id).append("\"},");
    }
    // What a partition's messages lead to goes to one partition, as a
    // pipeline that is keyed by entity does.
    body.append("{\"type\":\"push\",\"items\":[");
    for (size_t i = 0; i < batch.transaction_ids.size(); ++i) {
      if (i)
        body.push_back(',');
      append_item(body, to_, batch.partition_id, payload_);
    }
    return body.append("]}]}");
  }
  void fail(std::string_view what, int status, std::string_view body) {
    out_.errors.push_back(std::string{what} + ": " + std::to_string(status) +
                          " " + std::string{body.substr(0, 300)});
  }

  const settings& s_;
  outcome& out_;
  std::string from_, to_, payload_, pop_path_;
  uint64_t messages_ = 0, empty_ = 0;
  histogram pop_latency_, commit_latency_;
};

} // namespace

outcome run_txn(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "steps";
  stepper steps{s, out};
  // Enough for 20,000 steps a second, so the queue never runs dry.
  steps.fill(static_cast<uint64_t>(20000 * s.seconds));
  asio::io_context io{1};
  watch.begin();
  auto start = clock::now();
  auto until = start + std::chrono::duration<double>(s.seconds);
  std::function<void(std::shared_ptr<connection>)> next =
    [&](std::shared_ptr<connection> c) {
      if (clock::now() >= until || steps.failed())
        return c->close();
      auto began = clock::now();
      steps.step(c, [&, c, began](bool done) {
        if (done) {
          ++out.operations;
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
  steps.finish();
  return out;
}

outcome run_latency(const settings& s, const stopwatch& watch) {
  outcome out;
  out.unit = "steps";
  stepper steps{s, out};
  steps.fill(static_cast<uint64_t>(s.rate * s.seconds * 1.2) + 1000);
  asio::io_context io{1};
  std::deque<std::shared_ptr<connection>> idle;
  for (int i = 0; i < s.workers; ++i) {
    idle.push_back(std::make_shared<connection>(io, s.broker));
    idle.back()->connect();
  }
  std::deque<clock::time_point> due;
  watch.begin();
  auto start = clock::now();
  auto total = static_cast<uint64_t>(s.rate * s.seconds);
  uint64_t issued = 0, finished = 0;
  std::function<void()> feed = [&] {
    while (!due.empty() && !idle.empty()) {
      auto when = due.front();
      due.pop_front();
      auto c = idle.front();
      idle.pop_front();
      steps.step(c, [&, c, when](bool done) {
        if (done) {
          ++out.operations;
          out.latency.add(micros_since(when));
        }
        idle.push_back(c);
        if (++finished == total || steps.failed()) {
          for (auto& x : idle)
            x->close();
          io.stop();
          return;
        }
        feed();
      });
    }
  };
  asio::steady_timer timer{io};
  auto gap = std::chrono::duration_cast<clock::duration>(
    std::chrono::duration<double>(1 / s.rate));
  std::function<void()> tick = [&] {
    while (issued < total && start + gap * issued <= clock::now())
      due.push_back(start + gap * issued++);
    feed();
    if (issued == total)
      return;
    timer.expires_at(start + gap * issued);
    timer.async_wait([&](auto failed) {
      if (!failed)
        tick();
    });
  };
  tick();
  io.run();
  out.seconds = static_cast<double>(micros_since(start)) / 1e6;
  watch.end();
  steps.finish();
  return out;
}

} // namespace queen::bench
