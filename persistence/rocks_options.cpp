#include "persistence/rocks_options.hpp"

#include <rocksdb/convenience.h>
#include <rocksdb/env.h>
#include <rocksdb/file_checksum.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>

#include <algorithm>

namespace queen::persistence {

namespace {

constexpr size_t mib = 1024 * 1024;

bool supports(rocksdb::CompressionType type) {
  const auto built_in = rocksdb::GetSupportedCompressions();
  return std::find(built_in.begin(), built_in.end(), type) != built_in.end();
}

rocksdb::BlockBasedTableOptions table_options(const shared_resources& shared) {
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = shared.block_cache;
  table.block_size = 16 * 1024;
  table.checksum = rocksdb::kXXH3;
  table.format_version = 5;
  // 10 bits a key: one absent key in a hundred costs a read.
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  // Indexes and filters count against the cache, or memory would grow with the
  // data instead of the setting. Those of level 0 are asked by every read.
  table.cache_index_and_filter_blocks = true;
  table.cache_index_and_filter_blocks_with_high_priority = true;
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  return table;
}

} // namespace

rocksdb::Options rocks_options(const shared_resources& shared) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.paranoid_checks = true;
  // A checksum of the whole table file: verify() finds a flip in any byte of
  // it, those between the blocks too.
  options.file_checksum_gen_factory =
    rocksdb::GetFileChecksumGenCrc32cFactory();
  options.table_factory.reset(
    rocksdb::NewBlockBasedTableFactory(table_options(shared)));

  // Few large flushes: each one is what the raft log may be cut up to.
  options.write_buffer_size = 64 * mib;
  options.max_write_buffer_number = 4;
  options.write_buffer_manager = shared.memtables;
  // Nothing but the memtables holds what was written since the last flush.
  options.avoid_flush_during_shutdown = false;

  options.compaction_style = rocksdb::kCompactionStyleLevel;
  options.level_compaction_dynamic_level_bytes = true;
  options.max_background_jobs = 2;
  options.env->SetBackgroundThreads(1, rocksdb::Env::HIGH);
  options.env->SetBackgroundThreads(1, rocksdb::Env::LOW);
  // What level 0 holds is rewritten soon: packing it would cost the flush.
  if (supports(rocksdb::kZSTD))
    options.compression_per_level = {rocksdb::kNoCompression, rocksdb::kZSTD};
  else
    options.compression = rocksdb::kNoCompression;
  // Written out as it grows, so that a flush does not hold up the log's sync.
  options.bytes_per_sync = 1 * mib;

  options.max_open_files = 512;
  options.allow_mmap_reads = false;
  options.max_manifest_file_size = 16 * mib;
  options.info_log_level = rocksdb::WARN_LEVEL;
  options.max_log_file_size = 1 * mib;
  options.keep_log_file_num = 2;
  options.stats_dump_period_sec = 0;
  options.stats_persist_period_sec = 0;
  return options;
}

} // namespace queen::persistence
