// What the state stores of all raft groups of a node share: one block cache and
// one budget for memtables, so that memory follows the node's setting
// (QUEEN_MEMORY_MB) and not the number of groups.

#pragma once

#include <cstdint>
#include <memory>

namespace rocksdb {
class Cache;
class WriteBufferManager;
} // namespace rocksdb

namespace queen::persistence {

struct shared_resources {
  std::shared_ptr<rocksdb::Cache> block_cache;
  std::shared_ptr<rocksdb::WriteBufferManager> memtables;
};

/// Both in bytes. The memtables are a budget of their own, they are not counted
/// into the block cache: past it the stores flush, they do not stall.
shared_resources make_shared_resources(uint64_t block_cache_bytes,
                                       uint64_t memtable_bytes);

} // namespace queen::persistence
