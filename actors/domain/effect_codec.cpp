// The raft entry:
//
//   version (1)  stamp (8)  request id (16)  effect count
//   then each effect: its tag (1), its fields (field_codec.hpp)
//
// Tags are positions in the `effect` variant and stand for ever: new effects go
// to its end.

#include "actors/domain/effects.hpp"

#include "actors/domain/field_codec.hpp"

#include <algorithm>

namespace queen::domain {

// Not in the unnamed namespace: write_fields finds them by their argument.
template <class Codec>
void describe(Codec& field, put_queue& x) {
  describe(field, x.queue);
  field(x.ensure);
}

template <class Codec>
void describe(Codec& field, ensure_partition& x) {
  field(x.queue);
  field(x.partition);
  field(x.name);
}

static void describe(field_writer& out, append& x) {
  out(x.queue);
  out(x.partition);
  out.number(x.messages.size());
  for (const auto& message : x.messages)
    write_message(out, message, !message.transaction_id.empty());
}

template <class Codec>
void describe(Codec& field, put_cursor& x) {
  field(x.queue);
  field(x.partition);
  field(x.group);
  describe(field, x.cursor);
  field(x.closed_lease);
}

template <class Codec>
void describe(Codec& field, file_dead_letter& x) {
  field(x.id);
  field(x.queue);
  field(x.partition);
  field(x.group);
  field(x.offset);
  field(x.retries);
  field(x.error);
}

template <class Codec>
void describe(Codec& field, put_group& x) {
  field(x.tenant);
  describe(field, x.group);
}

template <class Codec>
void describe(Codec& field, put_kv& x) {
  field(x.tenant);
  field(x.ns);
  field(x.key);
  field(x.value);
  field(x.version);
  field(x.expires_at);
}

template <class Codec>
void describe(Codec& field, erase_kv& x) {
  field(x.tenant);
  field(x.ns);
  field(x.key);
  field(x.version);
}

template <class Codec>
void describe(Codec& field, put_timer& x) {
  field(x.tenant);
  describe(field, x.timer);
}

template <class Codec>
void describe(Codec& field, erase_timer& x) {
  field(x.tenant);
  field(x.queue);
  field(x.timer_key);
}

template <class Codec>
void describe(Codec& field, file_timer_dead_letter& x) {
  field(x.tenant);
  field(x.id);
  field(x.queue);
  describe(field, x.timer);
}

template <class Codec>
void describe(Codec& field, erase_queue& x) {
  field(x.tenant);
  field(x.queue);
  field(x.name);
}

template <class Codec>
void describe(Codec& field, trim_partition& x) {
  field(x.queue);
  field(x.partition);
  field(x.upto);
}

namespace {

void read_messages(field_reader& in,
                   const std::shared_ptr<const std::string>& owner,
                   std::vector<stored_message>& messages) {
  uint64_t count = in.number();
  if (count > in.left() / message_bytes_min)
    return in.fail();
  messages.resize(count);
  for (auto& message : messages) {
    message_fields read = read_message(in);
    // An id that is there is not empty: empty means minted.
    if ((read.flags & message_flag::transaction_id) &&
        read.transaction_id.empty())
      in.fail();
    message.message_id = read.message_id;
    message.transaction_id = read.transaction_id;
    message.trace_id = read.trace_id;
    message.producer_sub = read.producer_sub;
    message.payload = {owner, read.payload};
  }
}

template <size_t I = 0>
bool read_effect(field_reader& in, size_t tag,
                 const std::shared_ptr<const std::string>& owner,
                 effect& into) {
  if constexpr (I < std::variant_size_v<effect>) {
    if (tag != I)
      return read_effect<I + 1>(in, tag, owner, into);
    auto& value = into.emplace<I>();
    if constexpr (std::is_same_v<std::decay_t<decltype(value)>, append>) {
      in(value.queue);
      in(value.partition);
      read_messages(in, owner, value.messages);
    } else {
      describe(in, value);
    }
    return in.good();
  } else {
    return false;
  }
}

size_t expected_bytes(const effect& what) {
  if (auto* messages = std::get_if<append>(&what)) {
    size_t bytes = 32;
    for (const auto& message : messages->messages)
      bytes += message_bytes_max(message);
    return bytes;
  }
  if (auto* kv = std::get_if<put_kv>(&what))
    return 64 + kv->ns.size() + kv->key.size() + kv->value.view.size();
  if (auto* timer = std::get_if<put_timer>(&what))
    return 256 + timer->timer.payload.view.size();
  return 160;
}

} // namespace

std::string encode(const log_entry& entry) {
  size_t bytes = 64;
  for (const auto& what : entry.effects)
    bytes += expected_bytes(what);
  field_writer out{bytes};
  out.byte(entry_format_version);
  out(entry.stamp);
  out.id(entry.request_id);
  out.number(entry.effects.size());
  for (const auto& what : entry.effects) {
    out.byte(static_cast<uint8_t>(what.index()));
    std::visit([&](const auto& value) { write_fields(out, value); }, what);
  }
  return out.done();
}

result<log_entry> decode_entry(std::shared_ptr<const std::string> bytes) {
  field_reader in{*bytes, bytes};
  uint8_t version = in.byte();
  if (in.good() && version > entry_format_version)
    return error{errc::format_newer,
                 "raft entry of format version " + std::to_string(version)};
  auto damaged = [&] {
    return error{errc::damaged,
                 "raft entry of " + std::to_string(bytes->size()) +
                   " bytes, near byte " + std::to_string(in.position())};
  };
  if (version != entry_format_version)
    return damaged();
  log_entry entry;
  in(entry.stamp);
  in(entry.request_id);
  uint64_t count = in.number();
  if (!in.good() || count > in.left())
    return damaged();
  // An effect takes a hundred times more memory than its shortest encoding, so
  // a count is not believed beyond what entries usually hold.
  entry.effects.reserve(std::min<uint64_t>(count, 256));
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t tag = in.byte();
    if (!read_effect(in, tag, bytes, entry.effects.emplace_back()))
      return damaged();
  }
  if (!in.done())
    return damaged();
  return entry;
}

} // namespace queen::domain
