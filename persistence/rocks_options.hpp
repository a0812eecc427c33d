// How RocksDB is set up for a raft group's state store, with the reasons.

#pragma once

#include "persistence/shared_resources.hpp"

#include <rocksdb/options.h>

namespace queen::persistence {

rocksdb::Options rocks_options(const shared_resources& shared);

} // namespace queen::persistence
