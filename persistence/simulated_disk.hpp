// A disk in memory that loses at a crash what was not synced, as a real one
// may: any part of the unsynced writes survives, the last of them perhaps in
// part, and of the names that were not synced any leading part. The same seed
// loses the same.

#pragma once

#include "persistence/disk.hpp"

#include <functional>
#include <map>

namespace queen::persistence {

class simulated_disk : public disk {
public:
  result<std::unique_ptr<file>> create(const std::string& path,
                                       buffering how) override;
  result<std::unique_ptr<file>> open(const std::string& path,
                                     buffering how) override;
  result<void> rename(const std::string& from, const std::string& to) override;
  result<void> remove(const std::string& path) override;
  result<std::vector<std::string>> list(const std::string& path) override;
  result<void> make_directory(const std::string& path) override;
  result<void> sync_directory(const std::string& path) override;
  result<std::unique_ptr<directory_lock>>
  lock(const std::string& directory) override;
  result<unsigned> used_percent(const std::string&) override { return 0u; }

  /// The power fails. Files that are still open are of no use afterwards.
  void crash(uint64_t seed);

  /// Operations that change something, so far.
  uint64_t operations() const { return operations_; }
  /// From this operation on everything fails, until the next crash.
  void fail_from(uint64_t operation) { fail_from_ = operation; }

  /// The bytes as a process would read them, for tests that damage them. Null
  /// when there is no such file.
  std::string* bytes(const std::string& path);

private:
  struct unsynced_write {
    uint64_t position;
    std::string bytes;
  };
  struct inode {
    std::string now;     // what a process reads
    std::string durable; // what a crash leaves for certain
    std::vector<unsynced_write> unsynced;
  };
  using names = std::map<std::string, std::shared_ptr<inode>>;
  class simulated_file;

  result<void> step(const char* call, const std::string& path);
  static std::string directory_of(const std::string& path);

  names now_;
  names durable_;
  // Changes of names, in order, until their directory is synced. A null inode
  // is a removal.
  struct name_change {
    std::string path;
    std::shared_ptr<inode> what;
  };
  std::vector<name_change> unsynced_names_;
  uint64_t operations_ = 0;
  uint64_t fail_from_ = UINT64_MAX;
  uint64_t locks_ = 0;
};

} // namespace queen::persistence
