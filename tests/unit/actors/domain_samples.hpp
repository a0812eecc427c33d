// Values that the domain's codec tests share: one fixed sample a struct for the
// golden bytes, and random ones for the round trips.

#pragma once

#include "actors/domain/rows.hpp"

#include <cstdio>
#include <random>
#include <string>

namespace queen::domain::samples {

inline std::string hex(std::string_view bytes) {
  std::string out;
  for (char c : bytes) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", static_cast<uint8_t>(c));
    out += pair;
  }
  return out;
}

inline uuid id(uint8_t first) {
  uuid value;
  for (size_t i = 0; i < 16; ++i)
    value.bytes[i] = static_cast<uint8_t>(first + i);
  return value;
}

// -- fixed --------------------------------------------------------------------

inline constexpr time_us noon = 1785409364512873;

inline queue_record queue() {
  queue_record x;
  x.id = 300;
  x.tenant = id(1);
  x.name = "a.b.c";
  x.name_space = "a";
  x.task = "b";
  x.options.lease_time = 300;
  x.options.retry_delay = 7;
  x.options.encryption_enabled = true;
  x.created_at = noon;
  return x;
}

inline cursor_record cursor() {
  cursor_record x;
  x.cursor = 5;
  x.lease_id = id(2);
  x.batch_start = 5;
  x.batch_end = 205;
  x.expires_at = noon + 60'000'000;
  x.seen_below = 9;
  x.redeliveries = 2;
  x.retries = 1;
  x.released_lease = id(3);
  x.released_start = 1;
  x.released_end = 5;
  x.released_hash = 0x1122334455667788;
  return x;
}

inline group_record group() {
  group_record x;
  x.queue = "orders";
  x.group = "billing";
  x.mode = subscription_mode::timestamp;
  x.since_index = 1000;
  x.from = noon;
  x.conflation = true;
  x.created_at = noon + 1;
  return x;
}

inline timer_record timer() {
  timer_record x;
  x.queue = "reminders";
  x.timer_key = "order-7";
  x.partition = "Default";
  x.txn = "t-7";
  x.message_id = id(4);
  x.deliver_at = noon + 2;
  x.created_at = noon;
  x.attempts = 3;
  x.last_error = "full";
  x.payload = slice::own(R"({"x":1})");
  return x;
}

inline append append_of_three() {
  append x;
  x.queue = 300;
  x.partition = 17;
  stored_message minted;
  minted.message_id = id(5);
  minted.payload = slice::own("null");
  stored_message full;
  full.message_id = id(6);
  full.transaction_id = "order-1";
  full.trace_id = id(7);
  full.producer_sub = "alice";
  full.payload = slice::own(R"({"n":1.50})");
  stored_message plain;
  plain.message_id = id(8);
  plain.transaction_id = "order-2";
  plain.payload = slice::own("{}");
  x.messages = {minted, full, plain};
  return x;
}

/// One effect of every kind, in the variant's order.
inline std::vector<effect> one_of_each() {
  return {
    put_queue{queue(), true},
    ensure_partition{300, 17, "customer-42"},
    append_of_three(),
    put_cursor{300, 17, "billing", cursor(), id(9)},
    file_dead_letter{id(10), 300, 17, "billing", 6, 3, "boom"},
    put_group{id(1), group()},
    put_kv{id(1), "ns", "key", slice::own("[1]"), 90101, noon},
    erase_kv{id(1), "ns", "key", 90102},
    put_timer{id(1), timer()},
    erase_timer{id(1), "reminders", "order-7"},
    file_timer_dead_letter{id(1), id(11), 300, timer()},
    erase_queue{id(1), 300, "a.b.c"},
    trim_partition{300, 17, 128},
  };
}

// -- random -------------------------------------------------------------------

class source {
public:
  explicit source(uint64_t seed) : random_(seed) {}

  uint64_t number() { return random_() >> random_() % 64; }
  uint32_t small() { return static_cast<uint32_t>(number()); }
  time_us time() { return static_cast<time_us>(number()); }
  bool flag() { return random_() % 2; }
  size_t below(size_t end) { return random_() % end; }
  std::string text(size_t longest = 40) {
    std::string value(random_() % (longest + 1), '\0');
    for (char& c : value)
      c = static_cast<char>(random_());
    return value;
  }
  uuid id() {
    uuid value;
    if (random_() % 4)
      for (auto& byte : value.bytes)
        byte = static_cast<uint8_t>(random_());
    return value;
  }

  queue_record queue() {
    queue_record x;
    x.id = number();
    x.tenant = id();
    x.name = text();
    x.name_space = text();
    x.task = text();
    auto& o = x.options;
    for (uint32_t* field :
         {&o.lease_time, &o.retry_limit, &o.dedup_window_seconds,
          &o.delayed_processing, &o.window_buffer, &o.retention_seconds,
          &o.completed_retention_seconds, &o.max_wait_time_seconds, &o.priority,
          &o.retry_delay, &o.ttl, &o.max_size, &o.min_pop_wait_time})
      *field = small();
    for (bool* field : {&o.dead_letter_queue, &o.dlq_after_max_retries,
                        &o.retention_enabled, &o.encryption_enabled})
      *field = flag();
    x.created_at = time();
    return x;
  }

  cursor_record cursor() {
    return {number(), id(),    number(), number(), time(),   number(),
            small(),  small(), id(),     number(), number(), number()};
  }

  group_record group() {
    return {text(),   text(), static_cast<subscription_mode>(below(3)),
            number(), time(), flag(),
            time()};
  }

  timer_record timer() {
    return {text(), text(), text(),  text(), id(),
            time(), time(), small(), text(), slice::own(text(200))};
  }

  append messages(size_t count) {
    append x{number(), number(), {}};
    for (size_t i = 0; i < count; ++i) {
      stored_message m;
      m.message_id = id();
      if (flag())
        m.transaction_id = "t" + text();
      if (flag())
        m.trace_id = id();
      if (flag())
        m.producer_sub = text();
      m.payload = slice::own(text(300));
      x.messages.push_back(std::move(m));
    }
    return x;
  }

  effect any_effect() {
    switch (below(13)) {
    case 0:
      return put_queue{queue(), flag()};
    case 1:
      return ensure_partition{number(), number(), text()};
    case 2:
      return messages(below(5));
    case 3:
      return put_cursor{number(), number(), text(), cursor(), id()};
    case 4:
      return file_dead_letter{id(),     number(), number(), text(),
                              number(), small(),  text()};
    case 5:
      return put_group{id(), group()};
    case 6:
      return put_kv{id(),     text(), text(), slice::own(text(100)),
                    number(), time()};
    case 7:
      return erase_kv{id(), text(), text(), number()};
    case 8:
      return put_timer{id(), timer()};
    case 9:
      return erase_timer{id(), text(), text()};
    case 10:
      return file_timer_dead_letter{id(), id(), number(), timer()};
    case 11:
      return erase_queue{id(), number(), text()};
    default:
      return trim_partition{number(), number(), number()};
    }
  }

  log_entry entry(size_t effects) {
    log_entry x{time(), id(), {}};
    for (size_t i = 0; i < effects; ++i)
      x.effects.push_back(any_effect());
    return x;
  }

  /// Cuts, flips bits of, or replaces bytes.
  std::string damage(std::string bytes) {
    switch (below(4)) {
    case 0:
      bytes.resize(below(bytes.size() + 1));
      break;
    case 1:
      for (size_t i = 1 + below(4); i > 0 && !bytes.empty(); --i)
        bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
      break;
    case 2:
      if (!bytes.empty())
        bytes[below(bytes.size())] = static_cast<char>(0xff);
      break;
    default:
      // The version stays, so that what follows is looked at.
      bytes = bytes.substr(0, 1) + text(200);
    }
    return bytes;
  }

private:
  std::mt19937_64 random_;
};

} // namespace queen::domain::samples
