#include "persistence/record.hpp"

#include "config/ensure.hpp"

#include <cstring>

#include <xxhash.h>

namespace queen::persistence {

namespace {

constexpr uint8_t last_flag = 1;

template <class Number>
void put(char* at, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i)
    at[i] = static_cast<char>(value >> (8 * i));
}

template <class Number>
Number get(const char* at) {
  Number value = 0;
  for (size_t i = 0; i < sizeof(Number); ++i)
    value |= static_cast<Number>(static_cast<uint8_t>(at[i])) << (8 * i);
  return value;
}

} // namespace

uint64_t encode_record(const log_append& what, const record_place& where,
                       std::string& out) {
  auto payload = what.payload ? std::string_view{*what.payload} : "";
  ENSURE(payload.size() <= record_payload_bytes_max);
  auto begin = out.size();
  out.resize(begin + record_header_bytes);
  char* head = out.data() + begin;
  put(head + 8, where.incarnation);
  put(head + 16, where.chain);
  put(head + 24, where.batch);
  put(head + 32, static_cast<uint32_t>(payload.size()));
  put(head + 36, static_cast<uint8_t>(what.kind));
  put(head + 37, record_version);
  put(head + 38, what.tag);
  put(head + 39, static_cast<uint8_t>(where.last_of_batch ? last_flag : 0));
  put(head + 40, what.group);
  put(head + 44, uint32_t{0});
  put(head + 48, what.term);
  put(head + 56, what.index);
  out.append(payload);
  auto checksum = XXH3_64bits(out.data() + begin + 8, out.size() - begin - 8);
  put(out.data() + begin, static_cast<uint64_t>(checksum));
  out.resize(begin + record_bytes(payload.size()));
  return checksum;
}

parsed_record parse_record(std::string_view bytes, uint64_t incarnation) {
  parsed_record out;
  if (bytes.size() < record_header_bytes)
    return out;
  const char* head = bytes.data();
  auto length = get<uint32_t>(head + 32);
  if (length > record_payload_bytes_max ||
      record_header_bytes + length > bytes.size())
    return out;
  out.checksum = get<uint64_t>(head);
  if (XXH3_64bits(head + 8, record_header_bytes - 8 + length) != out.checksum)
    return out;
  out.bytes = record_bytes(length);
  out.where.incarnation = get<uint64_t>(head + 8);
  out.where.chain = get<uint64_t>(head + 16);
  out.where.batch = get<uint64_t>(head + 24);
  out.where.last_of_batch = (get<uint8_t>(head + 39) & last_flag) != 0;
  auto kind = get<uint8_t>(head + 36);
  out.what.kind = static_cast<record_kind>(kind);
  out.what.tag = get<uint8_t>(head + 38);
  out.what.group = get<uint32_t>(head + 40);
  out.what.term = get<uint64_t>(head + 48);
  out.what.index = get<uint64_t>(head + 56);
  out.payload = bytes.substr(record_header_bytes, length);
  if (out.where.incarnation != incarnation)
    out.state = record_state::stale;
  else if (get<uint8_t>(head + 37) > record_version)
    out.state = record_state::newer;
  else if (kind >= 1 && kind <= 3)
    out.state = record_state::good;
  return out;
}

} // namespace queen::persistence
