// A node whose files were damaged does not boot, and says which file and where.

#include "tests/support/broker.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>

using namespace queen::test;
namespace fs = std::filesystem;

namespace {

std::vector<fs::path> files_of(const fs::path& directory,
                               const std::string& extension) {
  std::vector<fs::path> out;
  for (auto& entry : fs::directory_iterator{directory})
    if (entry.path().extension() == extension)
      out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

std::string read(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

void fill(broker& node) {
  auto api = node.connect();
  for (int i = 0; i < 50; ++i)
    REQUIRE(api
              .post("/api/v1/push", R"({"items":[{"queue":"q","payload":")" +
                                      std::string(500, 'x') + R"("}]})")
              .status == 201);
}

fs::path segment_of(const broker& node) {
  for (auto& path : files_of(node.directory() + "/data/log", ".log"))
    return path;
  FAIL("no segment");
  return {};
}

void check_refused(broker& node, const fs::path& file,
                   const std::string& where) {
  auto [status, said] = node.start_refused();
  INFO(said);
  CHECK(status == 1);
  CHECK(said.find(file.filename().string()) != std::string::npos);
  CHECK(said.find(where) != std::string::npos);
}

} // namespace

TEST_CASE("a flipped byte anywhere in the middle of the log") {
  broker node;
  fill(node);
  node.kill();
  auto path = segment_of(node);
  auto good = read(path);
  auto end = good.find_last_not_of('\0');
  for (auto part : {0.0, 0.2, 0.5, 0.8}) {
    auto at = part == 0.0 ? 20 : static_cast<size_t>(part * double(end));
    auto bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    write(path, bad);
    INFO("byte " << at);
    check_refused(node, path, "at byte ");
  }
  // What was damaged and is whole again boots, with all of it.
  write(path, good);
  node.start();
  auto api = node.connect();
  auto queue = api.get("/api/v1/resources/queues/q").json();
  REQUIRE(queue["messages"].GetInt() == 50);
}

TEST_CASE("a segment that is cut short") {
  broker node;
  fill(node);
  node.kill();
  auto path = segment_of(node);
  fs::resize_file(path, fs::file_size(path) / 2);
  check_refused(node, path, "at byte ");
  fs::resize_file(path, 10);
  check_refused(node, path, "at byte 10");
}

TEST_CASE("a segment that is gone") {
  broker node{{{"QUEEN_TEST_NOTHING", "1"}}};
  fill(node);
  node.kill();
  auto path = segment_of(node);
  fs::rename(path, path.string() + ".gone");
  auto [status, said] = node.start_refused();
  INFO(said);
  // The store knows of entries that the log does not have.
  CHECK(status == 1);
  fs::rename(path.string() + ".gone", path);
  node.start();
}

TEST_CASE("a flipped byte in a file of the store") {
  broker node;
  fill(node);
  REQUIRE(node.terminate() == 0); // writes the memtables out
  auto tables = files_of(node.directory() + "/data/group-0", ".sst");
  REQUIRE_FALSE(tables.empty());
  auto good = read(tables[0]);
  for (auto part : {0.1, 0.5, 0.9}) {
    auto bad = good;
    auto at = static_cast<size_t>(part * double(bad.size()));
    bad[at] = static_cast<char>(bad[at] ^ 1);
    write(tables[0], bad);
    INFO("byte " << at);
    check_refused(node, tables[0], "");
  }
  fs::remove(tables[0]);
  check_refused(node, tables[0], "");
  write(tables[0], good);
  node.start();
}

TEST_CASE("another node has the directory") {
  broker node;
  auto [status, said] = node.start_refused();
  INFO(said);
  CHECK(status == 1);
  CHECK(said.find("another process") != std::string::npos);
}
