// What the clients of a test were told, against what the broker has after a
// crash. A write's fate is one of three: answered, refused, or unknown, since
// the connection broke first.

#pragma once

#include "tests/support/broker.hpp"

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace queen::test {

class ledger {
public:
  enum class fate { answered, refused, unknown };

  void note(const std::string& id, fate what) {
    std::lock_guard lock{mutex_};
    fates_[id] = what;
    answered_ += what == fate::answered;
  }
  /// Clients run in threads, where Catch2 cannot be asked.
  void complain(const std::string& what) {
    std::lock_guard lock{mutex_};
    if (complaints_.size() < 20)
      complaints_.push_back(what);
  }
  uint64_t answered() const {
    std::lock_guard lock{mutex_};
    return answered_;
  }
  std::vector<std::string> complaints() const {
    std::lock_guard lock{mutex_};
    return complaints_;
  }
  /// What `there` has too much or too little of; empty when all is right.
  std::string check(const std::set<std::string>& there) const;

private:
  mutable std::mutex mutex_;
  std::map<std::string, fate> fates_;
  uint64_t answered_ = 0;
  std::vector<std::string> complaints_;
};

/// The transaction ids of a partition in the order of their offsets; ends the
/// test when the offsets have a gap.
std::vector<std::string> ids_of(client& api, const std::string& queue,
                                const std::string& partition);

} // namespace queen::test
