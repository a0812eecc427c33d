// A scenario drives the broker through `workers` connections and counts what
// they did. Every answer is checked: a wrong one ends the run with an error.

#pragma once

#include "bench/connection.hpp"
#include "bench/histogram.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace queen::bench {

struct settings {
  target broker;
  int workers = 64;
  int batch = 10;
  int partitions = 200;
  int payload_bytes = 256;
  double seconds = 10;
  double rate = 900; // latency: steps a second
};

struct outcome {
  std::string unit; // what `operations` counts
  uint64_t operations = 0;
  uint64_t messages = 0;
  double seconds = 0;
  histogram latency; // microseconds, of one operation
  std::vector<std::string> errors;
  std::map<std::string, double> extra;
};

/// Called when the measured part begins and ends, so that the server's CPU
/// time is read around it and not around the preparation.
struct stopwatch {
  std::function<void()> begin, end;
};

using scenario = outcome (*)(const settings&, const stopwatch&);

outcome run_txn(const settings&, const stopwatch&);
outcome run_latency(const settings&, const stopwatch&);
outcome run_push(const settings&, const stopwatch&);
outcome run_pop_ack(const settings&, const stopwatch&);
outcome run_longpoll(const settings&, const stopwatch&);
outcome run_kv(const settings&, const stopwatch&);
outcome run_many_partitions(const settings&, const stopwatch&);

// -- shared by the scenarios --------------------------------------------------

using clock = std::chrono::steady_clock;

inline uint64_t micros_since(clock::time_point start) {
  return static_cast<uint64_t>(
    std::chrono::duration_cast<std::chrono::microseconds>(clock::now() - start)
      .count());
}

/// A name that no earlier run used.
std::string fresh_name(std::string_view what);

/// Pushes `messages` into `queue`, spread evenly over the partitions p0, p1, …
void preload(const settings& s, const std::string& queue, uint64_t messages,
             outcome& out);

/// One pushed item as JSON, without ids: the broker mints them.
void append_item(std::string& body, std::string_view queue,
                 std::string_view partition, const std::string& payload);

std::string payload_of(int bytes);

/// What a pop answered, as slices of its body.
struct popped {
  std::string_view lease_id, partition_id;
  std::vector<std::string_view> transaction_ids;
};
/// Reads the fields that an ack needs; one partition in the answer.
bool read_popped(std::string_view body, popped& out);

} // namespace queen::bench
