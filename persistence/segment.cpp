#include "persistence/segment.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include <fmt/format.h>
#include <xxhash.h>

namespace queen::persistence {

namespace {

constexpr std::string_view magic = "QUEENLOG";
constexpr size_t header_used = 56;

void put(std::string& out, uint64_t value, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    out.push_back(static_cast<char>(value >> (8 * i)));
}

uint64_t get(std::string_view from, size_t at, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= static_cast<uint64_t>(static_cast<uint8_t>(from[at + i]))
             << (8 * i);
  return value;
}

error damaged(const std::string& name, uint64_t position,
              std::string_view reason) {
  return {errc::damaged,
          fmt::format("{} at byte {}: {}", name, position, reason)};
}

// Whether a good record of this incarnation lies anywhere behind the end:
// told apart by its incarnation first, since that is cheap to look for.
void look_behind(std::string_view bytes, uint64_t from, segment_scan& scan) {
  for (auto at = from; at + record_header_bytes <= bytes.size(); at += 8) {
    if (get(bytes, at + 8, 8) != scan.header.incarnation)
      continue;
    auto record = parse_record(bytes.substr(at), scan.header.incarnation);
    if (record.state != record_state::good)
      continue;
    scan.survivor = true;
    scan.survivor_batch = std::max(scan.survivor_batch, record.where.batch);
  }
}

} // namespace

std::string encode(const segment_header& header) {
  std::string out{magic};
  put(out, segment_version, 4);
  put(out, 0, 4);
  put(out, header.sequence, 8);
  put(out, header.incarnation, 8);
  put(out, header.capacity, 8);
  put(out, header.batch, 8);
  put(out, XXH3_64bits(out.data(), out.size()), 8);
  return out;
}

result<segment_header> decode_segment_header(std::string_view bytes,
                                             const std::string& name) {
  if (bytes.size() < header_used)
    return damaged(name, bytes.size(), "the file ends inside its header");
  if (get(bytes, 48, 8) != XXH3_64bits(bytes.data(), 48))
    return damaged(name, 0, "the header fails its checksum");
  if (bytes.substr(0, magic.size()) != magic)
    return damaged(name, 0, "this is no log segment");
  if (get(bytes, 8, 4) > segment_version)
    return error{errc::format_newer,
                 name + " was written by a newer version of the broker"};
  return segment_header{get(bytes, 16, 8), get(bytes, 24, 8), get(bytes, 32, 8),
                        get(bytes, 40, 8)};
}

std::string segment_name(uint64_t sequence) {
  return fmt::format("segment-{:016x}.log", sequence);
}

std::optional<uint64_t> segment_sequence(std::string_view name) {
  uint64_t sequence = 0;
  if (name.size() != 28 || name.substr(0, 8) != "segment-" ||
      name.substr(24) != ".log")
    return std::nullopt;
  auto [end, why] =
    std::from_chars(name.data() + 8, name.data() + 24, sequence, 16);
  if (why != std::errc{} || end != name.data() + 24)
    return std::nullopt;
  return sequence;
}

result<segment_scan>
scan_segment(file& from, const std::string& name,
             const std::function<result<void>(log_append)>& on_record) {
  auto size = from.size();
  if (!size)
    return size.reason();
  std::string all(*size, '\0');
  auto got = from.read_at(0, all);
  if (!got)
    return got.reason();
  all.resize(*got);
  auto header = decode_segment_header(all, name);
  if (!header)
    return header.reason();
  if (all.size() < header->capacity)
    return damaged(name, all.size(),
                   fmt::format("the file is cut short, it should have {} bytes",
                               header->capacity));
  segment_scan scan;
  scan.header = *header;
  scan.chain = header->incarnation;
  std::string_view bytes{all};
  while (!scan.sealed) {
    auto record = parse_record(bytes.substr(scan.end), scan.header.incarnation);
    if (record.state == record_state::newer)
      return error{errc::format_newer,
                   fmt::format("{} at byte {}: a record of a newer version of "
                               "the broker",
                               name, scan.end)};
    if (record.state != record_state::good || record.where.chain != scan.chain)
      break;
    if (record.what.kind == record_kind::seal) {
      scan.sealed = true;
    } else {
      record.what.payload = std::make_shared<const std::string>(record.payload);
      if (auto taken = on_record(std::move(record.what)); !taken)
        return taken.reason();
    }
    scan.end += record.bytes;
    scan.chain = record.checksum;
    scan.last_batch = record.where.batch;
    scan.batch_complete = record.where.last_of_batch;
  }
  if (!scan.sealed)
    look_behind(bytes, scan.end, scan);
  return scan;
}

} // namespace queen::persistence
