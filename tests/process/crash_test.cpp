// kill -9 in a loop under load: what was answered is there, what was refused is
// not, and no transaction is there in part. QUEEN_TEST_KILLS=50 for the full
// run.

#include "tests/process/ledger.hpp"

#include <catch2/catch.hpp>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <thread>

using namespace queen::test;
namespace fs = std::filesystem;

namespace {

constexpr int writers = 8;
constexpr int partitions = 4;

// Where writers wait while there is no node, or while what it has is compared.
class gate {
public:
  /// The port to write to; 0: stop.
  uint16_t enter() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return open_ || over_; });
    inside_ += !over_;
    return over_ ? 0 : port_;
  }
  void leave() {
    std::lock_guard lock{mutex_};
    --inside_;
    changed_.notify_all();
  }
  bool is_open() const { return open_; }
  void open(uint16_t port) {
    std::lock_guard lock{mutex_};
    port_ = port;
    open_ = true;
    changed_.notify_all();
  }
  /// Returns when nobody is inside.
  void close() {
    std::unique_lock lock{mutex_};
    open_ = false;
    changed_.wait(lock, [this] { return inside_ == 0; });
  }
  void end() {
    std::lock_guard lock{mutex_};
    over_ = true;
    changed_.notify_all();
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::atomic<bool> open_{false};
  bool over_ = false;
  int inside_ = 0;
  uint16_t port_ = 0;
};

std::string push_to(const std::string& queue, const std::string& partition,
                    const std::string& id) {
  return R"({"type":"push","queue":")" + queue + R"(","partition":")" +
         partition + R"(","transactionId":")" + id + R"(","payload":{"n":1}})";
}

// A step over two queues, a counter and a marker.
std::string step(const std::string& id, int writer) {
  auto p = "p" + std::to_string(writer % partitions);
  return R"({"operations":[)" + push_to("a", p, id) + "," +
         push_to("b", p, id) + R"(],"kv":[{"op":"incr","ns":"count","key":"w)" +
         std::to_string(writer) +
         R"(","delta":1,"forever":true},{"op":"putIfAbsent","ns":"marker","key":")" +
         id + R"(","value":1,"forever":true,"required":true}]})";
}

void write_on(gate& door, ledger& book, int writer) {
  uint64_t number = 0;
  std::string last;
  while (auto port = door.enter()) {
    client api{port};
    while (door.is_open()) {
      auto id = "w" + std::to_string(writer) + "-" + std::to_string(number++);
      auto got = api.post("/api/v1/transaction", step(id, writer));
      bool done = got.body.find("\"success\":true") != std::string::npos;
      book.note(id, got.status == 200 && done ? ledger::fate::answered
                                              : ledger::fate::unknown);
      if (got.status == 0)
        break;
      if (!done)
        book.complain(id + ": " + got.body);
      // A step whose gate is lost: its pushes must be nowhere.
      if (number % 5 == 0 && !last.empty()) {
        auto no = "no-" + id;
        auto lost = step(no, writer);
        auto marker = lost.rfind(no);
        lost.replace(marker, no.size(), last);
        book.note(no, ledger::fate::refused);
        got = api.post("/api/v1/transaction", lost);
        if (got.status == 0)
          break;
        if (got.body.find("kv_precondition") == std::string::npos)
          book.complain(no + ": " + got.body);
      }
      if (done)
        last = id;
    }
    door.leave();
  }
}

void compare(client& api, const ledger& book) {
  std::set<std::string> there;
  for (int p = 0; p < partitions; ++p) {
    auto partition = "p" + std::to_string(p);
    auto a = ids_of(api, "a", partition);
    auto b = ids_of(api, "b", partition);
    REQUIRE(a == b);
    for (auto& id : a) {
      INFO(id);
      REQUIRE(there.insert(id).second);
    }
  }
  REQUIRE(book.check(there) == "");
  for (int w = 0; w < writers; ++w) {
    auto name = "w" + std::to_string(w);
    auto own = std::count_if(there.begin(), there.end(), [&](auto& id) {
      return id.rfind(name + "-", 0) == 0;
    });
    auto counter = api.get("/api/v1/kv/count/" + name).json();
    INFO(name);
    REQUIRE((counter["found"].GetBool() ? counter["value"].GetInt64() : 0) ==
            own);
  }
}

// Where the newest segment ends, as a write that the power cut short.
void tear_log(const std::string& directory) {
  fs::path newest;
  for (auto& entry : fs::directory_iterator{directory + "/data/log"}) {
    auto name = entry.path().filename().string();
    if (name.rfind("segment-", 0) == 0 && name.size() == 28 &&
        (newest.empty() || entry.path() > newest))
      newest = entry.path();
  }
  std::fstream file{newest, std::ios::in | std::ios::out | std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{file}, {}};
  auto last = bytes.find_last_not_of('\0');
  REQUIRE(last != std::string::npos);
  auto at = (last / 8 + 2) * 8;
  file.clear();
  file.seekp(static_cast<std::streamoff>(at));
  file << "the head of a record that was never written to its end";
}

} // namespace

TEST_CASE("kill -9 under load loses nothing and leaves nothing in part") {
  broker node;
  gate door;
  ledger book;
  std::vector<std::thread> threads;
  for (int w = 0; w < writers; ++w)
    threads.emplace_back([&, w] { write_on(door, book, w); });
  auto kills = scale("KILLS", 8);
  for (uint64_t round = 0; round < kills; ++round) {
    auto wanted = book.answered() + 100 + 37 * (round % 5);
    door.open(node.port());
    for (int i = 0; i < 60000 && book.answered() < wanted; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    node.kill();
    door.close();
    if (round % 3 == 1)
      tear_log(node.directory());
    node.start();
    auto api = node.connect();
    CHECK(book.answered() >= wanted);
    compare(api, book);
  }
  door.end();
  for (auto& t : threads)
    t.join();
  for (auto& c : book.complaints())
    FAIL_CHECK(c);
}
