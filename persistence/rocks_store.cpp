#include "persistence/rocks_store.hpp"

#include "config/ensure.hpp"
#include "persistence/rocks_options.hpp"

#include <rocksdb/db.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/utilities/checkpoint.h>
#include <rocksdb/write_batch.h>

#include <filesystem>
#include <system_error>

namespace queen::persistence {

namespace {

namespace fs = std::filesystem;

rocksdb::Slice slice(std::string_view bytes) {
  return {bytes.data(), bytes.size()};
}

std::string_view view(const rocksdb::Slice& bytes) {
  return {bytes.data(), bytes.size()};
}

/// A file of the store that is gone is damage, not a failing disk.
bool is_damage(const rocksdb::Status& status) {
  return status.IsCorruption() || status.IsNotSupported() ||
         status.IsInvalidArgument() || status.IsPathNotFound() ||
         status.IsNotFound();
}

/// The first table that cannot be read by itself; empty: each can.
std::string unreadable_table(const std::string& directory) {
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator{directory, failed}) {
    if (entry.path().extension() != ".sst")
      continue;
    rocksdb::SstFileReader reader{rocksdb::Options{}};
    auto status = reader.Open(entry.path().string());
    if (status.ok())
      status = reader.VerifyChecksum();
    if (!status.ok())
      return entry.path().string();
  }
  return {};
}

error failure(const std::string& directory, const rocksdb::Status& status) {
  auto text = status.ToString();
  // RocksDB looks for a table that is missing under its old extension too, and
  // then names only that one.
  constexpr std::string_view old_extension = ".ldb";
  if (auto at = text.find(old_extension); at != std::string::npos)
    text.replace(at, old_extension.size(), ".sst");
  // A table found damaged while the manifest is read is told as the manifest's.
  if (status.IsCorruption() && text.find(".sst") == std::string::npos)
    if (auto table = unreadable_table(directory); !table.empty())
      text += ", because of " + table;
  return {is_damage(status) ? errc::damaged : errc::io_failed,
          "store " + directory + ": " + text};
}

class rocks_batch final : public write_batch {
public:
  void put(std::string_view key, std::string_view value) override {
    check(batch_.Put(slice(key), slice(value)));
  }
  void erase(std::string_view key) override {
    check(batch_.Delete(slice(key)));
  }
  void erase_range(std::string_view begin, std::string_view end) override {
    if (begin < end) // RocksDB does not accept an empty range
      check(batch_.DeleteRange(slice(begin), slice(end)));
  }
  void clear() override { batch_.Clear(); }
  size_t bytes() const override { return batch_.GetDataSize(); }
  bool empty() const override { return batch_.Count() == 0; }

  rocksdb::WriteBatch& native() const { return batch_; }

private:
  /// Only a batch with a size limit or an unknown column family can refuse.
  static void check(const rocksdb::Status& status) { ENSURE(status.ok()); }

  // RocksDB writes its sequence number into the header of the batch it is
  // given, which is not a change that a caller could see.
  mutable rocksdb::WriteBatch batch_;
};

class rocks_cursor final : public cursor {
public:
  rocks_cursor(rocksdb::DB& db, const std::string& directory,
               std::string_view lower, std::string_view upper)
    : directory_(directory), lower_(lower), upper_(upper), lower_slice_(lower_),
      upper_slice_(upper_) {
    rocksdb::ReadOptions options;
    options.iterate_lower_bound = &lower_slice_;
    if (!upper_.empty())
      options.iterate_upper_bound = &upper_slice_;
    iterator_.reset(db.NewIterator(options));
  }

  void seek(std::string_view key) override { iterator_->Seek(slice(key)); }
  void seek_for_prev(std::string_view key) override {
    iterator_->SeekForPrev(slice(key));
  }
  void next() override { iterator_->Next(); }
  void prev() override { iterator_->Prev(); }
  bool valid() const override { return iterator_->Valid(); }
  std::string_view key() const override { return view(iterator_->key()); }
  std::string_view value() const override { return view(iterator_->value()); }

  result<void> status() const override {
    if (const auto status = iterator_->status(); !status.ok())
      return failure(directory_, status);
    return {};
  }

private:
  const std::string& directory_; // the store's, which outlives its cursors
  // The iterator keeps pointers to the slices, the slices to the strings.
  const std::string lower_;
  const std::string upper_;
  const rocksdb::Slice lower_slice_;
  const rocksdb::Slice upper_slice_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

class rocks_store final : public store {
public:
  rocks_store(std::unique_ptr<rocksdb::DB> db, std::string directory)
    : directory_(std::move(directory)), db_(std::move(db)) {
    write_options_.disableWAL = true;
  }

  std::unique_ptr<write_batch> new_batch() const override {
    return std::make_unique<rocks_batch>();
  }

  result<void> write(const write_batch& batch) override {
    // Every batch comes from new_batch(), so the kind is known.
    auto& native = static_cast<const rocks_batch&>(batch).native();
    return outcome(db_->Write(write_options_, &native));
  }

  result<std::optional<std::string>> get(std::string_view key) const override {
    std::string value;
    const auto status = db_->Get(rocksdb::ReadOptions{}, slice(key), &value);
    if (status.IsNotFound())
      return std::optional<std::string>{};
    if (!status.ok())
      return failure(directory_, status);
    return std::optional{std::move(value)};
  }

  std::unique_ptr<cursor> scan(std::string_view lower,
                               std::string_view upper) const override {
    return std::make_unique<rocks_cursor>(*db_, directory_, lower, upper);
  }

  result<void> flush() override {
    rocksdb::FlushOptions options;
    options.wait = true;
    // Without this RocksDB waits for a quiet moment first; the caller is about
    // to cut the raft log and wants the flush now.
    options.allow_write_stall = true;
    return outcome(db_->Flush(options));
  }

  result<void> verify() override {
    return outcome(db_->VerifyFileChecksums(rocksdb::ReadOptions{}));
  }

  result<void> checkpoint(const std::string& directory) override {
    rocksdb::Checkpoint* made = nullptr;
    auto status = rocksdb::Checkpoint::Create(db_.get(), &made);
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint{made};
    if (status.ok())
      status = checkpoint->CreateCheckpoint(directory);
    // A target that exists is the caller's directory, not a damaged store.
    if (!status.ok() && status.IsInvalidArgument())
      return error{errc::io_failed, directory + ": " + status.ToString()};
    return outcome(status);
  }

  sizes size() const override {
    sizes now;
    db_->GetIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables,
                        &now.memtable_bytes);
    db_->GetIntProperty(rocksdb::DB::Properties::kTotalSstFilesSize,
                        &now.disk_bytes);
    return now;
  }

private:
  result<void> outcome(const rocksdb::Status& status) const {
    if (!status.ok())
      return failure(directory_, status);
    return {};
  }

  const std::string directory_;
  rocksdb::WriteOptions write_options_;
  std::unique_ptr<rocksdb::DB> db_;
};

/// RocksDB takes a directory without CURRENT for a new store and would begin an
/// empty one beside the tables of the old. A crash while a store is created
/// leaves no table behind, so tables without CURRENT are damage.
result<void> check_current(const std::string& directory) {
  std::error_code failed;
  if (fs::exists(fs::path{directory} / "CURRENT", failed))
    return {};
  for (const auto& entry : fs::directory_iterator{directory, failed})
    if (entry.path().extension() == ".sst")
      return error{errc::damaged, "store " + directory +
                                    ": CURRENT is missing beside " +
                                    entry.path().filename().string()};
  return {};
}

} // namespace

result<std::unique_ptr<store>>
open_rocks_store(const std::string& directory, const shared_resources& shared) {
  std::error_code failed;
  fs::create_directories(directory, failed);
  if (failed)
    return error{errc::io_failed,
                 "store " + directory + ": " + failed.message()};
  if (auto intact = check_current(directory); !intact)
    return intact.reason();
  rocksdb::DB* opened = nullptr;
  const auto status =
    rocksdb::DB::Open(rocks_options(shared), directory, &opened);
  std::unique_ptr<rocksdb::DB> db{opened};
  if (!status.ok())
    return failure(directory, status);
  return std::unique_ptr<store>{
    std::make_unique<rocks_store>(std::move(db), directory)};
}

} // namespace queen::persistence
