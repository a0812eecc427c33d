// The state store in memory, for the simulator and for tests of what lies
// above it: an ordered map that forgets at a crash what was not flushed.
//
// A memory_volume stands for the disk: it holds, by directory, what stores
// flushed there and the checkpoints they wrote, and outlives them.

#pragma once

#include "persistence/store.hpp"

#include <map>
#include <mutex>

namespace queen::persistence {

class memory_volume {
public:
  using rows = std::map<std::string, std::string, std::less<>>;

  /// The durable rows of a directory, null where nothing was ever flushed.
  std::shared_ptr<const rows> durable(const std::string& directory) const;
  void replace(const std::string& directory, std::shared_ptr<const rows> with);

private:
  mutable std::mutex guard_;
  std::map<std::string, std::shared_ptr<const rows>> directories_;
};

/// Batches apply in place while no cursor and no flush shares the map, else to
/// a copy of it: a cursor costs nothing and never sees a later write. Cursors
/// end before their store does.
class memory_store final : public store {
public:
  /// Begins with what is durable in `directory` of `volume`.
  memory_store(std::shared_ptr<memory_volume> volume, std::string directory);

  std::unique_ptr<write_batch> new_batch() const override;
  result<void> write(const write_batch& batch) override;
  result<std::optional<std::string>> get(std::string_view key) const override;
  std::unique_ptr<cursor> scan(std::string_view lower,
                               std::string_view upper) const override;
  result<void> flush() override;
  /// Memory does not decay: always succeeds.
  result<void> verify() override;
  /// Errors: io_failed when the volume has something in that directory.
  result<void> checkpoint(const std::string& directory) override;
  sizes size() const override;

  /// Goes back to the last flush, as a process that died and came back would.
  void crash();

private:
  using rows = memory_volume::rows;

  void load();
  /// The map to write to, which nobody else can see. Call with guard_ held.
  rows& own_rows();

  const std::shared_ptr<memory_volume> volume_;
  const std::string directory_;
  mutable std::mutex guard_; // of what follows
  std::shared_ptr<rows> rows_;
  bool frozen_ = true; // the volume has a share of rows_ too
  uint64_t unflushed_bytes_ = 0;
};

} // namespace queen::persistence
