#include "persistence/log.hpp"
#include "persistence/posix_disk.hpp"
#include "persistence/simulated_disk.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

#include <unistd.h>

using namespace queen;
using namespace queen::persistence;

namespace {

constexpr const char* directory = "/log";
const log_options small{32768, 2, 7};

log_append entry(uint32_t group, uint64_t index, std::string text) {
  log_append out;
  out.group = group;
  out.term = 3;
  out.index = index;
  out.tag = 9;
  out.payload = std::make_shared<const std::string>(std::move(text));
  return out;
}

log_append state(uint32_t group, std::string text) {
  auto out = entry(group, 0, std::move(text));
  out.kind = record_kind::hard_state;
  return out;
}

std::string text_of(const log_append& a) {
  return std::to_string(static_cast<int>(a.kind)) + "/" +
         std::to_string(a.group) + "/" + std::to_string(a.index) + "/" +
         (a.payload ? *a.payload : "");
}

struct reopened {
  std::unique_ptr<persistence::log> log;
  std::vector<std::string> records;
  std::optional<error> failed;
};

reopened open(disk& on, const std::string& where = directory,
              log_options options = small) {
  static uint64_t boots = 0;
  options.incarnation_seed = ++boots * 1000003;
  reopened out;
  auto made = persistence::log::open(on, where, options, [&](log_append a) {
    out.records.push_back(text_of(a));
    return result<void>{};
  });
  if (made)
    out.log = std::move(*made);
  else
    out.failed = made.reason();
  return out;
}

result<void> append(persistence::log& log, const log_append& what) {
  return log.append({&what, 1});
}

std::string only_segment(simulated_disk& disk) {
  std::string last;
  auto names = disk.list(directory);
  for (auto& name : *names)
    if (segment_sequence(name))
      last = name;
  return std::string{directory} + "/" + last;
}

} // namespace

TEST_CASE("what was appended is there after a reopening, in order") {
  simulated_disk disk;
  std::vector<std::string> wanted;
  {
    auto log = open(disk).log;
    for (uint64_t i = 1; i <= 50; ++i) {
      std::vector<log_append> batch{entry(1, i, "a" + std::to_string(i)),
                                    entry(2, i, std::string(i * 7, 'b'))};
      if (i == 20)
        batch.push_back(state(1, "vote"));
      REQUIRE(log->append(batch));
      for (auto& r : batch)
        wanted.push_back(text_of(r));
    }
  }
  CHECK(open(disk).records == wanted);
}

TEST_CASE("what was appended survives a power cut at once") {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    simulated_disk disk;
    auto log = open(disk).log;
    REQUIRE(append(*log, entry(1, 1, "one")));
    REQUIRE(append(*log, entry(1, 2, "two")));
    disk.crash(seed);
    CHECK(open(disk).records ==
          std::vector<std::string>{"1/1/1/one", "1/1/2/two"});
  }
}

TEST_CASE("a tail torn at any byte is cut and written over") {
  simulated_disk disk;
  auto log = open(disk).log;
  REQUIRE(append(*log, entry(1, 1, "first")));
  REQUIRE(append(*log, entry(1, 2, "second")));
  auto path = only_segment(disk);
  auto whole = *disk.bytes(path);
  auto begin = segment_header_bytes + record_bytes(5);
  for (size_t cut = 0; cut < record_bytes(6); ++cut) {
    auto& bytes = *disk.bytes(path);
    bytes = whole;
    // The padding behind the payload is not part of the record's meaning.
    if (cut >= record_header_bytes + 6)
      continue;
    std::fill(bytes.begin() + static_cast<long>(begin + cut),
              bytes.begin() + static_cast<long>(begin + record_bytes(6)), '\0');
    auto again = open(disk);
    REQUIRE(again.log);
    CHECK(again.records == std::vector<std::string>{"1/1/1/first"});
    REQUIRE(append(*again.log, entry(1, 2, "other")));
    CHECK(open(disk).records ==
          std::vector<std::string>{"1/1/1/first", "1/1/2/other"});
  }
}

TEST_CASE("any byte flipped before the last batch is refused, with its place") {
  simulated_disk disk;
  auto log = open(disk).log;
  REQUIRE(append(*log, entry(1, 1, "first")));
  REQUIRE(append(*log, entry(1, 2, "second")));
  REQUIRE(append(*log, entry(1, 3, "third")));
  auto path = only_segment(disk);
  auto whole = *disk.bytes(path);
  auto end = segment_header_bytes + record_bytes(5) + record_bytes(6);
  for (size_t at = 0; at < end; ++at) {
    if (at >= 56 && at < segment_header_bytes)
      continue; // the header's unused rest
    bool padding = at >= segment_header_bytes + record_header_bytes + 5 &&
                   at < segment_header_bytes + record_bytes(5);
    padding |= at >= end - record_bytes(6) + record_header_bytes + 6;
    if (padding)
      continue;
    *disk.bytes(path) = whole;
    (*disk.bytes(path))[at] ^= 0x10;
    auto again = open(disk);
    INFO("byte " << at);
    REQUIRE(again.failed);
    CHECK((again.failed->code == errc::damaged ||
           again.failed->code == errc::format_newer));
    CHECK(again.failed->detail.find(path) != std::string::npos);
    if (again.failed->code == errc::damaged)
      CHECK(again.failed->detail.find("at byte ") != std::string::npos);
  }
}

TEST_CASE("a batch of which only later records survived is torn, not damage") {
  simulated_disk disk;
  auto log = open(disk).log;
  REQUIRE(append(*log, entry(1, 1, "first")));
  std::vector<log_append> batch{entry(1, 2, "second"), entry(1, 3, "third"),
                                entry(1, 4, "fourth")};
  REQUIRE(log->append(batch));
  auto& bytes = *disk.bytes(only_segment(disk));
  bytes[segment_header_bytes + record_bytes(5) + 66] ^= 1; // in "second"
  auto again = open(disk);
  REQUIRE(again.log);
  CHECK(again.records == std::vector<std::string>{"1/1/1/first"});
  // The survivors never come back, whatever is written now and lost again.
  REQUIRE(append(*again.log, entry(1, 2, "other")));
  CHECK(open(disk).records ==
        std::vector<std::string>{"1/1/1/first", "1/1/2/other"});
}

TEST_CASE("a segment that is missing, cut short or renamed is refused") {
  simulated_disk disk;
  auto log = open(disk).log;
  for (uint64_t i = 1; i <= 30; ++i)
    REQUIRE(append(*log, entry(1, i, std::string(4000, 'x'))));
  REQUIRE(log->segments() > 3);
  auto second = std::string{directory} + "/" + segment_name(2);
  auto whole = *disk.bytes(second);
  SECTION("cut short") {
    disk.bytes(second)->resize(9000);
    auto again = open(disk);
    REQUIRE(again.failed);
    CHECK(again.failed->detail.find(second + " at byte 9000") !=
          std::string::npos);
  }
  SECTION("cut to nothing") {
    disk.bytes(second)->clear();
    CHECK(open(disk).failed);
  }
  SECTION("missing") {
    REQUIRE(disk.remove(second));
    auto again = open(disk);
    REQUIRE(again.failed);
    CHECK(again.failed->detail.find(segment_name(2)) != std::string::npos);
  }
  SECTION("in another's place") {
    *disk.bytes(second) =
      *disk.bytes(std::string{directory} + "/" + segment_name(3));
    CHECK(open(disk).failed);
  }
}

TEST_CASE("released segments are used again and show nothing old") {
  simulated_disk disk;
  auto log = open(disk).log;
  uint64_t next = 1;
  size_t most = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i, ++next)
      REQUIRE(append(*log, entry(1, next, std::string(3000, 'x'))));
    REQUIRE(log->release(1, next - 4));
    most = std::max(most, disk.list(directory)->size());
  }
  CHECK(most < 8);
  auto again = open(disk);
  REQUIRE(again.log);
  // Whole segments go, so a few released entries may still be there; the
  // rest is gapless and ends with the newest.
  REQUIRE(again.records.size() >= 4);
  REQUIRE(again.records.size() < 25);
  auto first = next - again.records.size();
  for (size_t i = 0; i < again.records.size(); ++i)
    CHECK(again.records[i] ==
          text_of(entry(1, first + i, std::string(3000, 'x'))));
}

TEST_CASE("a segment that one group still needs stays") {
  simulated_disk disk;
  auto log = open(disk).log;
  REQUIRE(append(*log, entry(2, 1, "keep")));
  for (uint64_t i = 1; i <= 40; ++i)
    REQUIRE(append(*log, entry(1, i, std::string(3000, 'x'))));
  REQUIRE(log->release(1, 40));
  CHECK(open(disk).records.front() == "1/2/1/keep");
}

TEST_CASE("the newest hard state outlives the segment that it was written in") {
  simulated_disk disk;
  auto log = open(disk).log;
  REQUIRE(append(*log, state(1, "old")));
  REQUIRE(append(*log, state(1, "new")));
  for (uint64_t i = 1; i <= 40; ++i)
    REQUIRE(append(*log, entry(1, i, std::string(3000, 'x'))));
  REQUIRE(log->release(1, 40));
  REQUIRE(log->segments() < 3);
  auto again = open(disk);
  std::string last;
  for (auto& r : again.records)
    if (r[0] == '2')
      last = r;
  CHECK(last == "2/1/0/new");
}

TEST_CASE("a record larger than a segment gets one of its own") {
  simulated_disk disk;
  auto log = open(disk).log;
  auto large = entry(1, 2, std::string(100000, 'L'));
  REQUIRE(append(*log, entry(1, 1, "a")));
  REQUIRE(append(*log, large));
  REQUIRE(append(*log, entry(1, 3, "b")));
  CHECK(open(disk).records ==
        std::vector<std::string>{"1/1/1/a", text_of(large), "1/1/3/b"});
}

TEST_CASE("after a failed write the log takes nothing any more") {
  simulated_disk disk;
  auto log = open(disk).log;
  REQUIRE(append(*log, entry(1, 1, "a")));
  disk.fail_from(disk.operations() + 1); // the sync
  REQUIRE_FALSE(append(*log, entry(1, 2, "b")));
  disk.fail_from(UINT64_MAX);
  CHECK_FALSE(append(*log, entry(1, 3, "c")));
  CHECK_FALSE(log->release(1, 1));
}

TEST_CASE("a crash at any operation loses nothing that was acknowledged") {
  // The workload rolls segments, releases them, and prepares spares.
  auto run = [](simulated_disk& disk, uint64_t& acknowledged,
                uint64_t& attempted) {
    auto opened = open(disk);
    if (!opened.log)
      return;
    for (uint64_t i = 1; i <= 60; ++i) {
      std::vector<log_append> batch{entry(1, 2 * i - 1, std::string(900, 'a')),
                                    entry(1, 2 * i, std::string(1100, 'b'))};
      if (i % 10 == 1)
        batch.push_back(state(1, "state " + std::to_string(i)));
      attempted = 2 * i;
      if (!opened.log->append(batch))
        return;
      acknowledged = 2 * i;
      if (!opened.log->prepare_spare())
        return;
      if (i % 15 == 0 && !opened.log->release(1, 2 * i - 20))
        return;
    }
  };
  simulated_disk whole;
  uint64_t acknowledged = 0, attempted = 0;
  run(whole, acknowledged, attempted);
  REQUIRE(acknowledged == 120);
  auto operations = whole.operations();
  REQUIRE(operations > 100);
  for (uint64_t at = 0; at <= operations; ++at) {
    for (uint64_t seed : {at * 3, at * 3 + 1, at * 3 + 2}) {
      simulated_disk disk;
      disk.fail_from(at);
      acknowledged = attempted = 0;
      run(disk, acknowledged, attempted);
      disk.crash(seed);
      auto again = open(disk);
      INFO("crash at operation " << at << ", seed " << seed << ": "
                                 << (again.failed ? again.failed->detail : ""));
      REQUIRE(again.log);
      uint64_t last = 0;
      std::string newest_state;
      for (auto& r : again.records) {
        if (r[0] == '2') {
          newest_state = r;
          continue;
        }
        auto index = std::stoull(r.substr(4));
        REQUIRE((last == 0 || index == last + 1));
        last = index;
      }
      REQUIRE(last >= acknowledged);
      REQUIRE(last <= attempted);
      if (acknowledged > 0) {
        auto step = (acknowledged / 2 - 1) / 10 * 10 + 1;
        auto next = (attempted / 2 - 1) / 10 * 10 + 1;
        CHECK((newest_state == "2/1/0/state " + std::to_string(step) ||
               newest_state == "2/1/0/state " + std::to_string(next)));
      }
      REQUIRE(append(*again.log, entry(1, last + 1, "after")));
      CHECK(open(disk).records.back() ==
            "1/1/" + std::to_string(last + 1) + "/after");
    }
  }
}

TEST_CASE("the log works on the machine's own disk") {
  auto where = std::filesystem::temp_directory_path() /
               ("queen-log-test-" + std::to_string(::getpid()));
  std::filesystem::remove_all(where);
  posix_disk disk;
  {
    auto opened = open(disk, where.string());
    REQUIRE(opened.log);
    for (uint64_t i = 1; i <= 30; ++i)
      REQUIRE(append(*opened.log, entry(1, i, std::string(3000, 'x'))));
    REQUIRE(opened.log->release(1, 20));
  }
  auto again = open(disk, where.string());
  REQUIRE(again.log);
  CHECK(again.records.back() == text_of(entry(1, 30, std::string(3000, 'x'))));
  auto lock = disk.lock(where.string());
  REQUIRE(lock);
  auto second = disk.lock(where.string());
  REQUIRE_FALSE(second);
  CHECK(second.reason().detail.find(where.string()) != std::string::npos);
  std::filesystem::remove_all(where);
}
