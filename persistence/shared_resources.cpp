#include "persistence/shared_resources.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/write_buffer_manager.h>

namespace queen::persistence {

shared_resources make_shared_resources(uint64_t block_cache_bytes,
                                       uint64_t memtable_bytes) {
  return {rocksdb::NewLRUCache(block_cache_bytes),
          std::make_shared<rocksdb::WriteBufferManager>(memtable_bytes)};
}

} // namespace queen::persistence
