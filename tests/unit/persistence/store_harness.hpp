// Both kinds of state store behind one way to open, crash and come back, so
// that every claim of store.hpp is tested on both.

#pragma once

#include "persistence/memory_store.hpp"
#include "persistence/rocks_store.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace store_test {

using namespace queen;
using namespace queen::persistence;

/// A directory of its own that goes with the test.
class scratch {
public:
  scratch() {
    auto name =
      (std::filesystem::temp_directory_path() / "queen-store-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~scratch() { std::filesystem::remove_all(path_); }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }

private:
  std::filesystem::path path_;
};

class world {
public:
  virtual ~world() = default;
  virtual std::unique_ptr<store> open(const std::string& name) = 0;
  /// A power cut now, and the store as it comes back.
  virtual std::unique_ptr<store> crash(std::unique_ptr<store> running) = 0;
  virtual std::string directory(const std::string& name) const = 0;
};

class rocks_world final : public world {
public:
  std::unique_ptr<store> open(const std::string& name) override {
    auto opened = open_rocks_store(directory(name), shared_);
    if (!opened)
      FAIL(opened.reason().detail);
    return std::move(*opened);
  }
  /// Takes the files as they are on disk while the store still runs.
  std::unique_ptr<store> crash(std::unique_ptr<store> running) override {
    std::filesystem::copy(directory("a"), directory("after"),
                          std::filesystem::copy_options::recursive);
    std::filesystem::remove(std::filesystem::path{directory("after")} / "LOCK");
    running.reset();
    return open("after");
  }
  std::string directory(const std::string& name) const override {
    return scratch_ / name;
  }

private:
  scratch scratch_;
  shared_resources shared_ = make_shared_resources(8 << 20, 32 << 20);
};

class memory_world final : public world {
public:
  std::unique_ptr<store> open(const std::string& name) override {
    return std::make_unique<memory_store>(volume_, directory(name));
  }
  std::unique_ptr<store> crash(std::unique_ptr<store> running) override {
    static_cast<memory_store&>(*running).crash();
    return running;
  }
  std::string directory(const std::string& name) const override { return name; }

private:
  std::shared_ptr<memory_volume> volume_ = std::make_shared<memory_volume>();
};

inline void put(store& into, std::string_view key, std::string_view value) {
  auto batch = into.new_batch();
  batch->put(key, value);
  REQUIRE(into.write(*batch));
}

inline std::string get(const store& from, std::string_view key) {
  auto found = from.get(key);
  REQUIRE(found);
  return found->value_or("(none)");
}

/// Every visible row as "key=value ", first to last.
inline std::string rows(const store& from, std::string_view lower = "",
                        std::string_view upper = "") {
  std::string all;
  auto at = from.scan(lower, upper);
  for (at->seek(lower); at->valid(); at->next())
    all.append(at->key()).append("=").append(at->value()).append(" ");
  REQUIRE(at->status());
  return all;
}

} // namespace store_test
