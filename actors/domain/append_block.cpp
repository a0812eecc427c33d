// The append row. Numbers here are fixed and little-endian, so that the hashes
// can be read in place:
//
//   version (1)  created_at (8)  raft index (8)  count (4)
//   id hash (8) x count
//   message x count (field_codec.hpp)

#include "actors/domain/field_codec.hpp"
#include "actors/domain/rows.hpp"
#include "config/ensure.hpp"

namespace queen::domain {

namespace {

constexpr uint8_t append_version = 1;
constexpr size_t header_bytes = 1 + 8 + 8 + 4;

} // namespace

std::string encode_append_row(const append& what, time_us created_at,
                              uint64_t index) {
  const auto& messages = what.messages;
  ENSURE(messages.size() <= UINT32_MAX);
  size_t bytes_max = header_bytes;
  for (const auto& message : messages)
    bytes_max += 8 + message_bytes_max(message);
  field_writer out{bytes_max};
  out.byte(append_version);
  out.fixed(static_cast<uint64_t>(created_at));
  out.fixed(index);
  out.fixed(static_cast<uint32_t>(messages.size()));
  for (const auto& message : messages)
    out.fixed(message.transaction_id.empty()
                ? id_hash(view_of(text_of(message.message_id)))
                : id_hash(message.transaction_id));
  for (const auto& message : messages) {
    // Only 36 characters can be a uuid's text: most ids are told by length.
    bool own = !message.transaction_id.empty() &&
               (message.transaction_id.size() != 36 ||
                message.transaction_id != view_of(text_of(message.message_id)));
    write_message(out, message, own);
  }
  return out.done();
}

result<block_ptr> append_block::parse(std::shared_ptr<const std::string> bytes,
                                      offset_t first) {
  auto damaged = [&](const char* what) {
    return error{errc::damaged,
                 "append row at offset " + std::to_string(first) + ": " + what};
  };
  field_reader in{*bytes};
  uint8_t version = in.byte();
  if (in.good() && version > append_version)
    return error{errc::format_newer,
                 "append row of version " + std::to_string(version)};
  if (version != append_version)
    return damaged("no version");
  if (bytes->size() > UINT32_MAX)
    return damaged("too long");
  auto block = std::make_shared<append_block>();
  block->first_ = first;
  block->created_at_ = static_cast<time_us>(in.fixed<uint64_t>());
  block->index_ = in.fixed<uint64_t>();
  size_t count = in.fixed<uint32_t>();
  // Bounds what a damaged count can make us reserve, too.
  if (!in.good() || count == 0 || count > in.left() / (8 + message_bytes_min))
    return damaged("count");
  in.raw(8 * count);
  block->records_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    record entry{static_cast<uint32_t>(in.position()), own_id};
    message_fields message = read_message(in);
    if (!in.good())
      return damaged("cut message");
    if (!(message.flags & message_flag::transaction_id)) {
      entry.minted = static_cast<uint32_t>(block->minted_ids_.size());
      if (entry.minted == 0)
        block->minted_ids_.reserve(count - i);
      block->minted_ids_.push_back(text_of(message.message_id));
    }
    block->records_.push_back(entry);
  }
  if (!in.done())
    return damaged("trailing bytes");
  block->bytes_ = std::move(bytes);
  return block_ptr{std::move(block)};
}

uint64_t append_block::hash(uint32_t i) const {
  std::string_view bytes{*bytes_};
  return field_reader{bytes.substr(header_bytes + 8 * size_t{i}, 8)}
    .fixed<uint64_t>();
}

std::string_view append_block::transaction_id(uint32_t i) const {
  const record& entry = records_[i];
  if (entry.minted != own_id)
    return view_of(minted_ids_[entry.minted]);
  field_reader in{std::string_view{*bytes_}.substr(entry.position)};
  in.raw(16 + 1);
  return in.text();
}

message_view append_block::view(const block_ptr& self, uint32_t i) {
  const record& entry = self->records_[i];
  field_reader in{std::string_view{*self->bytes_}.substr(entry.position)};
  message_fields message = read_message(in);
  message_view view;
  view.offset = self->first_ + i;
  view.message_id = message.message_id;
  view.transaction_id = entry.minted == own_id
                          ? message.transaction_id
                          : view_of(self->minted_ids_[entry.minted]);
  view.trace_id = message.trace_id;
  view.payload = message.payload;
  view.producer_sub = message.producer_sub;
  view.created_at = self->created_at_;
  view.owner = self;
  return view;
}

} // namespace queen::domain
