#include "raft/quorum.hpp"

#include "config/ensure.hpp"

#include <algorithm>
#include <functional>

namespace queen::raft {

uint64_t reached_by_majority(std::vector<uint64_t> values) {
  ENSURE(!values.empty());
  auto at =
    values.begin() + static_cast<ptrdiff_t>(majority(values.size()) - 1);
  std::nth_element(values.begin(), at, values.end(), std::greater<>{});
  return *at;
}

} // namespace queen::raft
