#include "tests/process/ledger.hpp"

#include <catch2/catch.hpp>

namespace queen::test {

std::string ledger::check(const std::set<std::string>& there) const {
  std::lock_guard lock{mutex_};
  for (auto& [id, what] : fates_) {
    if (what == fate::answered && there.count(id) == 0)
      return id + " was answered and is missing";
    if (what == fate::refused && there.count(id) != 0)
      return id + " was refused and is there";
  }
  for (auto& id : there)
    if (fates_.count(id) == 0)
      return id + " is there, and nobody sent it";
  return {};
}

std::vector<std::string> ids_of(client& api, const std::string& queue,
                                const std::string& partition) {
  std::vector<std::string> out;
  for (uint64_t end = 1; out.size() < end;) {
    auto got = api
                 .post("/api/v1/fetch", R"({"entries":[{"queue":")" + queue +
                                          R"(","partition":")" + partition +
                                          R"(","offset":)" +
                                          std::to_string(out.size()) + "}]}")
                 .json();
    auto& entry = got["entries"][0];
    end = entry["highWatermark"].GetUint64();
    auto& records = entry["records"];
    INFO(queue << "/" << partition << " at " << out.size() << " of " << end);
    REQUIRE((records.Size() > 0 || end == out.size()));
    for (auto& record : records.GetArray()) {
      REQUIRE(record["offset"].GetUint64() == out.size());
      out.push_back(record["transactionId"].GetString());
    }
  }
  return out;
}

} // namespace queen::test
