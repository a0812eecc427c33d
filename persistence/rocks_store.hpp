// The state store on RocksDB: one instance a raft group, one column family, no
// write-ahead log. Its files live in a directory of their own:
//
//   CURRENT        names the manifest that holds
//   MANIFEST-n     which table files make up the store
//   n.sst          sorted tables, each with a checksum over the whole file
//   LOG            RocksDB's own notes, warnings only

#pragma once

#include "persistence/shared_resources.hpp"
#include "persistence/store.hpp"

namespace queen::persistence {

/// Opens the store in `directory`, creating both when they do not exist.
/// Closing it (the destructor) flushes what was written.
/// Errors: damaged when a file of the store is missing or fails its checksum;
/// io_failed when the file system refuses. Both name the directory and, where
/// RocksDB knows it, the file.
result<std::unique_ptr<store>> open_rocks_store(const std::string& directory,
                                                const shared_resources& shared);

} // namespace queen::persistence
