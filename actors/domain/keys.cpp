// The keys of the state store. A string that another field follows is escaped:
// a zero byte becomes 00 ff and the string ends with 00 01, so that "a" sorts
// before "a\0b" and before "ab", and no string is a prefix of another one's
// range. The last string of a key is raw. Numbers are big-endian; times have
// their sign bit flipped, so that they sort as signed numbers.

#include "actors/domain/rows.hpp"

namespace queen::domain::key {

namespace {

constexpr char escape_byte = '\x00';
constexpr char escaped_zero = '\xff';
constexpr char string_end = '\x01';
constexpr uint64_t sign_bit = uint64_t{1} << 63;

class builder {
public:
  explicit builder(char table, size_t more) {
    bytes_.reserve(1 + more);
    bytes_.push_back(table);
  }

  builder& number(uint64_t value) {
    char raw[8];
    for (size_t i = 0; i < 8; ++i)
      raw[i] = static_cast<char>(value >> (56 - 8 * i));
    bytes_.append(raw, 8);
    return *this;
  }

  builder& time(time_us value) {
    return number(static_cast<uint64_t>(value) ^ sign_bit);
  }

  builder& id(const uuid& value) {
    bytes_.append(reinterpret_cast<const char*>(value.bytes.data()), 16);
    return *this;
  }

  builder& text(std::string_view value) {
    for (size_t zero; (zero = value.find(escape_byte)) != value.npos;) {
      bytes_.append(value.substr(0, zero));
      bytes_.push_back(escape_byte);
      bytes_.push_back(escaped_zero);
      value.remove_prefix(zero + 1);
    }
    bytes_.append(value);
    bytes_.push_back(escape_byte);
    bytes_.push_back(string_end);
    return *this;
  }

  builder& last_text(std::string_view value) {
    bytes_.append(value);
    return *this;
  }

  std::string done() { return std::move(bytes_); }

private:
  std::string bytes_;
};

/// Takes a key apart from the front; sticky on failure.
class parser {
public:
  parser(std::string_view key, char table) : rest_(key) {
    good_ = !rest_.empty() && rest_.front() == table;
    if (good_)
      rest_.remove_prefix(1);
  }

  parser& number(uint64_t& out) {
    if (!need(8))
      return *this;
    out = 0;
    for (char c : rest_.substr(0, 8))
      out = out << 8 | static_cast<uint8_t>(c);
    rest_.remove_prefix(8);
    return *this;
  }

  parser& time(time_us& out) {
    uint64_t raw = 0;
    number(raw);
    out = static_cast<time_us>(raw ^ sign_bit);
    return *this;
  }

  parser& id(uuid& out) {
    if (!need(16))
      return *this;
    for (size_t i = 0; i < 16; ++i)
      out.bytes[i] = static_cast<uint8_t>(rest_[i]);
    rest_.remove_prefix(16);
    return *this;
  }

  parser& text(std::string& out) {
    out.clear();
    while (good_) {
      size_t zero = rest_.find(escape_byte);
      if (zero == rest_.npos || zero + 1 >= rest_.size()) {
        good_ = false;
        break;
      }
      out.append(rest_.substr(0, zero));
      char mark = rest_[zero + 1];
      rest_.remove_prefix(zero + 2);
      if (mark == string_end)
        break;
      good_ = mark == escaped_zero;
      out.push_back('\0');
    }
    return *this;
  }

  bool last_text(std::string& out) {
    if (good_)
      out = rest_;
    return good_;
  }

  bool done() const { return good_ && rest_.empty(); }

private:
  bool need(size_t size) { return good_ = good_ && rest_.size() >= size; }

  std::string_view rest_;
  bool good_;
};

} // namespace

std::string meta(std::string_view name) {
  return builder('M', name.size()).last_text(name).done();
}

std::string queue(const uuid& tenant, std::string_view name) {
  return builder('Q', 16 + name.size()).id(tenant).last_text(name).done();
}

std::string all_queues() {
  return builder('Q', 0).done();
}
std::string queues_of(const uuid& tenant) {
  return builder('Q', 16).id(tenant).done();
}

std::string queue_by_id(queue_id queue) {
  return builder('q', 8).number(queue).done();
}

std::string partition(queue_id queue, partition_id partition) {
  return builder('P', 16).number(queue).number(partition).done();
}

std::string partitions_of(queue_id queue) {
  return builder('P', 8).number(queue).done();
}

std::string partition_by_name(queue_id queue, std::string_view name) {
  return builder('n', 8 + name.size()).number(queue).last_text(name).done();
}

std::string partition_names_of(queue_id queue) {
  return builder('n', 8).number(queue).done();
}

std::string owner(partition_id partition) {
  return builder('o', 8).number(partition).done();
}

std::string append(queue_id queue, partition_id partition, offset_t first) {
  return builder('a', 24).number(queue).number(partition).number(first).done();
}

std::string appends_of(queue_id queue, partition_id partition) {
  return builder('a', 16).number(queue).number(partition).done();
}

std::string appends_of_queue(queue_id queue) {
  return builder('a', 8).number(queue).done();
}

std::string cursor(queue_id queue, std::string_view group,
                   partition_id partition) {
  return builder('c', 18 + group.size())
    .number(queue)
    .text(group)
    .number(partition)
    .done();
}

std::string cursors_of(queue_id queue, std::string_view group) {
  return builder('c', 10 + group.size()).number(queue).text(group).done();
}

std::string cursors_of_queue(queue_id queue) {
  return builder('c', 8).number(queue).done();
}

std::string lease(const uuid& lease_id, partition_id partition) {
  return builder('l', 24).id(lease_id).number(partition).done();
}

std::string leases_of(const uuid& lease_id) {
  return builder('l', 16).id(lease_id).done();
}

std::string group(const uuid& tenant, std::string_view queue,
                  std::string_view group) {
  return builder('g', 18 + queue.size() + group.size())
    .id(tenant)
    .text(queue)
    .last_text(group)
    .done();
}

std::string groups_of(const uuid& tenant, std::string_view queue) {
  return builder('g', 18 + queue.size()).id(tenant).text(queue).done();
}

std::string dead_letter(queue_id queue, const uuid& id) {
  return builder('d', 24).number(queue).id(id).done();
}

std::string dead_letters_of(queue_id queue) {
  return builder('d', 8).number(queue).done();
}

std::string kv(const uuid& tenant, std::string_view ns, std::string_view key) {
  return builder('k', 18 + ns.size() + key.size())
    .id(tenant)
    .text(ns)
    .last_text(key)
    .done();
}

std::string kv_of(const uuid& tenant, std::string_view ns) {
  return builder('k', 18 + ns.size()).id(tenant).text(ns).done();
}

std::string kv_version(const uuid& tenant) {
  return builder('v', 16).id(tenant).done();
}

std::string timer(const uuid& tenant, std::string_view queue,
                  std::string_view key) {
  return builder('t', 18 + queue.size() + key.size())
    .id(tenant)
    .text(queue)
    .last_text(key)
    .done();
}

std::string timers_of(const uuid& tenant, std::string_view queue) {
  return builder('t', 18 + queue.size()).id(tenant).text(queue).done();
}

std::string timer_due(time_us at, const uuid& tenant, std::string_view queue,
                      std::string_view key) {
  return builder('u', 26 + queue.size() + key.size())
    .time(at)
    .id(tenant)
    .text(queue)
    .last_text(key)
    .done();
}

std::string timers_due() {
  return "u";
}

std::string timers_due_from(time_us at) {
  return builder('u', 8).time(at).done();
}

std::string prefix_end(std::string_view prefix) {
  std::string end{prefix};
  while (!end.empty() && static_cast<uint8_t>(end.back()) == 0xff)
    end.pop_back();
  if (!end.empty())
    end.back() = static_cast<char>(static_cast<uint8_t>(end.back()) + 1);
  return end;
}

bool parse_partition(std::string_view key, queue_id& queue,
                     partition_id& partition) {
  return parser(key, 'P').number(queue).number(partition).done();
}

bool parse_append(std::string_view key, queue_id& queue,
                  partition_id& partition, offset_t& first) {
  return parser(key, 'a').number(queue).number(partition).number(first).done();
}

bool parse_cursor(std::string_view key, queue_id& queue, std::string& group,
                  partition_id& partition) {
  return parser(key, 'c').number(queue).text(group).number(partition).done();
}

bool parse_lease(std::string_view key, uuid& lease_id,
                 partition_id& partition) {
  return parser(key, 'l').id(lease_id).number(partition).done();
}

bool parse_queue(std::string_view key, uuid& tenant, std::string& name) {
  return parser(key, 'Q').id(tenant).last_text(name);
}

bool parse_group(std::string_view key, uuid& tenant, std::string& queue,
                 std::string& group) {
  return parser(key, 'g').id(tenant).text(queue).last_text(group);
}

bool parse_kv(std::string_view key, uuid& tenant, std::string& ns,
              std::string& key_text) {
  return parser(key, 'k').id(tenant).text(ns).last_text(key_text);
}

bool parse_timer(std::string_view key, uuid& tenant, std::string& queue,
                 std::string& timer_key) {
  return parser(key, 't').id(tenant).text(queue).last_text(timer_key);
}

bool parse_timer_due(std::string_view key, time_us& at, uuid& tenant,
                     std::string& queue, std::string& timer_key) {
  return parser(key, 'u').time(at).id(tenant).text(queue).last_text(timer_key);
}

} // namespace queen::domain::key
