// The state store of one raft group: an ordered map from byte keys to byte
// values, written in atomic batches without a write-ahead log of its own,
// because the raft log is that log. What a crash takes from it is replayed
// from the raft log (spec/cluster.md, What an answered write means).
//
// Two kinds exist: RocksDB, and an ordered map in memory for the simulator,
// which loses at a crash what was not flushed, as RocksDB does.

#pragma once

#include "config/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace queen::persistence {

/// Writes that apply together or not at all. Later operations win over earlier
/// ones, a range deletion only hits what was there before it in the batch too.
class write_batch {
public:
  struct operation {
    enum class kind : uint8_t { put, erase, erase_range };
    kind what;
    std::string key;
    std::string value; // put: the value; erase_range: the exclusive end
  };

  virtual ~write_batch() = default;
  virtual void put(std::string_view key, std::string_view value) = 0;
  virtual void erase(std::string_view key) = 0;
  /// Erases every key in [begin, end).
  virtual void erase_range(std::string_view begin, std::string_view end) = 0;
  virtual void clear() = 0;
  virtual size_t bytes() const = 0;
  virtual bool empty() const = 0;
};

/// A consistent view of the store at the moment it was made. Keys and values
/// are valid until the cursor moves.
class cursor {
public:
  virtual ~cursor() = default;
  virtual void seek(std::string_view key) = 0;          // first >= key
  virtual void seek_for_prev(std::string_view key) = 0; // last <= key
  virtual void next() = 0;
  virtual void prev() = 0;
  /// False past either end, and after a read error (see status()).
  virtual bool valid() const = 0;
  virtual std::string_view key() const = 0;
  virtual std::string_view value() const = 0;
  virtual result<void> status() const = 0;
};

/// Thread safe: one writer, any number of readers.
class store {
public:
  virtual ~store() = default;

  virtual std::unique_ptr<write_batch> new_batch() const = 0;
  virtual result<void> write(const write_batch& batch) = 0;

  virtual result<std::optional<std::string>>
  get(std::string_view key) const = 0;
  /// [lower, upper) bounds what the cursor can see; an empty upper is no bound.
  virtual std::unique_ptr<cursor> scan(std::string_view lower,
                                       std::string_view upper) const = 0;

  /// Makes everything written so far durable. Blocks; what a batch wrote
  /// earlier is never durable without what came before it.
  virtual result<void> flush() = 0;

  /// Reads back every byte on disk against its checksum. The error names file
  /// and offset.
  virtual result<void> verify() = 0;

  /// Writes a consistent copy into a new directory (the group's snapshot).
  virtual result<void> checkpoint(const std::string& directory) = 0;

  /// For the metrics and the checkpointer: unflushed bytes, disk bytes.
  struct sizes {
    uint64_t memtable_bytes = 0;
    uint64_t disk_bytes = 0;
  };
  virtual sizes size() const = 0;
};

} // namespace queen::persistence
