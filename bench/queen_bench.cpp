// Measures a broker: starts one, or takes one that runs, drives it by a
// scenario and prints what it did and what it cost. bench/README.md has the
// commands, docs/performance.md the results.

#include "bench/broker_process.hpp"
#include "bench/scenario.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include <sys/resource.h>

using namespace queen::bench;

namespace {

struct named {
  const char* name;
  scenario run;
  const char* what;
};

const named scenarios[] = {
  {"txn", run_txn, "pop a batch, ack it and push as many in one transaction"},
  {"latency", run_latency, "the same at a fixed --rate, open loop"},
  {"push", run_push, "push batches"},
  {"pop-ack", run_pop_ack, "pop batches and ack them"},
  {"longpoll", run_longpoll, "push to a parked consumer"},
  {"kv", run_kv, "increment counters"},
  {"many-partitions", run_many_partitions, "one message to each partition"},
};

int usage() {
  fmt::print("queen_bench SCENARIO [--binary queend | --port N [--pid P]] "
             "[--workers 64] [--batch 10]\n"
             "            [--partitions 200] [--bytes 256] [--seconds 10] "
             "[--rate 900] [--dir DIR] [--json]\n\n");
  for (auto& s : scenarios)
    fmt::print("  {:<16} {}\n", s.name, s.what);
  return 2;
}

double own_cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

} // namespace

int main(int count, char** words) {
  if (count < 2)
    return usage();
  const named* chosen = nullptr;
  for (auto& s : scenarios)
    if (std::strcmp(s.name, words[1]) == 0)
      chosen = &s;
  if (!chosen)
    return usage();
  settings s;
  std::string binary, directory = "/tmp";
  int pid = 0;
  bool json = false;
  for (int i = 2; i < count; ++i) {
    std::string option = words[i];
    if (option == "--json") {
      json = true;
      continue;
    }
    if (i + 1 >= count)
      return usage();
    const char* value = words[++i];
    if (option == "--binary")
      binary = value;
    else if (option == "--dir")
      directory = value;
    else if (option == "--port")
      s.broker.port = static_cast<uint16_t>(std::atoi(value));
    else if (option == "--pid")
      pid = std::atoi(value);
    else if (option == "--workers")
      s.workers = std::atoi(value);
    else if (option == "--batch")
      s.batch = std::atoi(value);
    else if (option == "--partitions")
      s.partitions = std::atoi(value);
    else if (option == "--bytes")
      s.payload_bytes = std::atoi(value);
    else if (option == "--seconds")
      s.seconds = std::atof(value);
    else if (option == "--rate")
      s.rate = std::atof(value);
    else
      return usage();
  }
  auto broker = binary.empty()
                  ? std::make_unique<broker_process>(s.broker, pid)
                  : std::make_unique<broker_process>(binary, directory);
  s.broker = broker->where();
  broker_process::figures before, after;
  double own_before = 0, own_after = 0;
  auto out = chosen->run(s, {[&] {
                               before = broker->read();
                               own_before = own_cpu_seconds();
                             },
                             [&] {
                               after = broker->read();
                               own_after = own_cpu_seconds();
                             }});
  if (out.operations == 0)
    out.errors.push_back("nothing was done");
  for (auto& e : out.errors)
    fmt::print(stderr, "error: {}\n", e);
  if (!out.errors.empty())
    return 1;
  auto operations = static_cast<double>(out.operations);
  auto cpu = (after.cpu_seconds - before.cpu_seconds) * 1e6 / operations;
  auto own = (own_after - own_before) * 1e6 / operations;
  auto disk = static_cast<double>(after.written_bytes - before.written_bytes) /
              operations;
  auto rate = operations / out.seconds;
  auto messages = static_cast<double>(out.messages) / out.seconds;
  auto& l = out.latency;
  if (json) {
    fmt::print("{{\"scenario\":\"{}\",\"workers\":{},\"batch\":{},"
               "\"partitions\":{},\"bytes\":{},\"rate\":{:.0f},"
               "\"messagesPerSecond\":{:.0f},\"p50us\":{},\"p90us\":{},"
               "\"p99us\":{},\"maxUs\":{},\"serverCpuUs\":{:.1f},"
               "\"generatorCpuUs\":{:.1f},\"residentBytes\":{},"
               "\"diskBytesPerOperation\":{:.0f}}}\n",
               chosen->name, s.workers, s.batch, s.partitions, s.payload_bytes,
               rate, messages, l.percentile(.5), l.percentile(.9),
               l.percentile(.99), l.max(), cpu, own, after.resident_bytes,
               disk);
    return 0;
  }
  fmt::print("{} workers={} batch={} partitions={} bytes={}\n", chosen->name,
             s.workers, s.batch, s.partitions, s.payload_bytes);
  fmt::print("  {:>10.0f} {}/s   {:>10.0f} messages/s   over {:.1f} s\n", rate,
             out.unit, messages, out.seconds);
  fmt::print("  latency us: p50 {} p90 {} p99 {} max {}\n", l.percentile(.5),
             l.percentile(.9), l.percentile(.99), l.max());
  fmt::print("  server: {:.1f} us CPU an operation, {:.1f} MiB resident, "
             "{:.0f} bytes to disk an operation; generator: {:.1f} us\n",
             cpu, static_cast<double>(after.resident_bytes) / 1048576, disk,
             own);
  for (auto& [name, value] : out.extra)
    fmt::print("  {}: {:.0f}\n", name, value);
  return 0;
}
