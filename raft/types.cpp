#include "raft/types.hpp"

namespace queen::raft {

namespace {

// version 1, term 8, vote 8; little-endian
constexpr uint8_t version = 1;
constexpr size_t bytes_used = 17;

} // namespace

std::string encode(const hard_state& state) {
  std::string out(1, static_cast<char>(version));
  for (uint64_t value : {state.term, state.vote})
    for (int i = 0; i < 8; ++i)
      out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

result<hard_state> decode_hard_state(std::string_view bytes) {
  if (!bytes.empty() && static_cast<uint8_t>(bytes[0]) > version)
    return error{errc::format_newer, "a raft state of a newer version"};
  if (bytes.size() != bytes_used)
    return error{errc::damaged,
                 "a raft state of " + std::to_string(bytes.size()) + " bytes"};
  uint64_t values[2] = {0, 0};
  for (size_t i = 0; i < 16; ++i)
    values[i / 8] |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[i + 1]))
                     << (8 * (i % 8));
  return hard_state{values[0], values[1]};
}

} // namespace queen::raft
