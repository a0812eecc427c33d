#include "actors/domain/rows.hpp"

#include "actors/domain/field_codec.hpp"

namespace queen::domain {

template <class Codec>
void describe(Codec& field, partition_row& x) {
  field(x.name);
  field(x.log_start);
  field(x.next);
  field(x.last_at);
  field(x.last_index);
}

template <class Codec>
void describe(Codec& field, dead_letter_row& x) {
  field(x.id);
  field(x.partition);
  field(x.partition_name);
  field(x.group);
  field(x.transaction_id);
  field(x.error);
  field(x.message_id);
  field(x.retries);
  field(x.failed_at);
  field(x.payload);
}

template <class Codec>
void describe(Codec& field, kv_row& x) {
  field(x.value);
  field(x.version);
  field(x.expires_at);
  field(x.created_at);
  field(x.updated_at);
}

template <class Codec>
void describe(Codec& field, lease_row& x) {
  field(x.queue);
  field(x.group);
  field(x.tenant);
}

template <class Codec>
void describe(Codec& field, queue_address& x) {
  field(x.tenant);
  field(x.name);
}

namespace {

/// The first byte of every row's value.
constexpr uint8_t row_version = 1;

template <class Row>
std::string encode_row(const Row& row, size_t expected) {
  field_writer out{expected};
  out.byte(row_version);
  write_fields(out, row);
  return out.done();
}

template <class Row>
result<Row> decode_row(std::string_view bytes, const char* what) {
  field_reader in{bytes};
  uint8_t version = in.byte();
  if (in.good() && version > row_version)
    return error{errc::format_newer, std::string{what} + " row of version " +
                                       std::to_string(version)};
  Row row;
  describe(in, row);
  if (version != row_version || !in.done())
    return error{errc::damaged, std::string{what} + " row of " +
                                  std::to_string(bytes.size()) + " bytes"};
  return row;
}

} // namespace

std::string encode(const queue_record& row) {
  return encode_row(row, 96 + row.name.size() + row.name_space.size() +
                           row.task.size());
}

std::string encode(const partition_row& row) {
  return encode_row(row, 48 + row.name.size());
}

std::string encode(const cursor_record& row) {
  return encode_row(row, 96);
}

std::string encode(const group_record& row) {
  return encode_row(row, 48 + row.queue.size() + row.group.size());
}

std::string encode(const dead_letter_row& row) {
  return encode_row(row, 96 + row.partition_name.size() + row.group.size() +
                           row.transaction_id.size() + row.error.size() +
                           row.payload.size());
}

std::string encode(const kv_row& row) {
  return encode_row(row, 48 + row.value.size());
}

std::string encode(const timer_record& row) {
  return encode_row(row, 96 + row.queue.size() + row.timer_key.size() +
                           row.partition.size() + row.txn.size() +
                           row.last_error.size() + row.payload.view.size());
}

std::string encode(const lease_row& row) {
  return encode_row(row, 48 + row.group.size());
}

std::string encode(const queue_address& row) {
  return encode_row(row, 32 + row.name.size());
}

result<queue_record> decode_queue(std::string_view bytes) {
  return decode_row<queue_record>(bytes, "queue");
}

result<partition_row> decode_partition(std::string_view bytes) {
  return decode_row<partition_row>(bytes, "partition");
}

result<cursor_record> decode_cursor(std::string_view bytes) {
  return decode_row<cursor_record>(bytes, "cursor");
}

result<group_record> decode_group(std::string_view bytes) {
  return decode_row<group_record>(bytes, "group");
}

result<dead_letter_row> decode_dead_letter(std::string_view bytes) {
  return decode_row<dead_letter_row>(bytes, "dead letter");
}

result<kv_row> decode_kv(std::string_view bytes) {
  return decode_row<kv_row>(bytes, "kv");
}

result<timer_record> decode_timer(std::string_view bytes) {
  return decode_row<timer_record>(bytes, "timer");
}

result<lease_row> decode_lease(std::string_view bytes) {
  return decode_row<lease_row>(bytes, "lease");
}

result<queue_address> decode_queue_address(std::string_view bytes) {
  return decode_row<queue_address>(bytes, "queue address");
}

std::string encode_number(uint64_t value) {
  field_writer out{9};
  out.byte(row_version);
  out.fixed(value);
  return out.done();
}

result<uint64_t> decode_number(std::string_view bytes) {
  field_reader in{bytes};
  uint8_t version = in.byte();
  auto value = in.fixed<uint64_t>();
  if (!in.done() || version == 0)
    return error{errc::damaged,
                 "number row of " + std::to_string(bytes.size()) + " bytes"};
  if (version > row_version)
    return error{errc::format_newer,
                 "number row of version " + std::to_string(version)};
  return value;
}

} // namespace queen::domain
