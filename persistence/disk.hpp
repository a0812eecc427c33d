// The few file calls that the log uses, so that it runs on a real file system
// and on the simulator's, which loses at a crash what was not synced.

#pragma once

#include "config/error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace queen::persistence {

/// How writes reach the file: through the system's page cache, or past it where
/// the file system can. The cache keeps a file that was written in large pieces
/// in large pages, and writes a whole page (1 MiB was seen) for every small
/// write that is synced.
enum class buffering { system, none };
/// Position and size of a write are multiples of this with buffering::none.
inline constexpr uint64_t unbuffered_block = 4096;

/// Positions and sizes are bytes. Every error is io_failed and names the file,
/// the call and what the system said.
class file {
public:
  virtual ~file() = default;
  /// Reads until `into` is full or the file ends; returns how much.
  virtual result<size_t> read_at(uint64_t position, std::span<char> into) = 0;
  virtual result<void> write_at(uint64_t position, std::string_view bytes) = 0;
  /// Makes what was written survive a power cut (fdatasync).
  virtual result<void> sync() = 0;
  virtual result<uint64_t> size() = 0;
};

/// Held while a process uses a directory; gone with the process.
class directory_lock {
public:
  virtual ~directory_lock() = default;
};

class disk {
public:
  virtual ~disk() = default;
  virtual result<std::unique_ptr<file>>
  create(const std::string& path, buffering how = buffering::system) = 0;
  virtual result<std::unique_ptr<file>>
  open(const std::string& path, buffering how = buffering::system) = 0;
  virtual result<void> rename(const std::string& from,
                              const std::string& to) = 0;
  virtual result<void> remove(const std::string& path) = 0;
  /// Names in a directory, sorted.
  virtual result<std::vector<std::string>> list(const std::string& path) = 0;
  /// With all its parents; one that exists is fine.
  virtual result<void> make_directory(const std::string& path) = 0;
  /// Makes creations, renames and removals in it survive a power cut.
  virtual result<void> sync_directory(const std::string& path) = 0;
  /// Errors: io_failed when another process holds it.
  virtual result<std::unique_ptr<directory_lock>>
  lock(const std::string& directory) = 0;
  /// How full the file system of `path` is, 0 to 100.
  virtual result<unsigned> used_percent(const std::string& path) = 0;
};

/// The whole of a small file; none when it does not exist.
result<std::optional<std::string>>
read_whole(disk& on, const std::string& directory, const std::string& name);
/// Replaces a small file so that a crash leaves the old or the new one.
result<void> replace_whole(disk& on, const std::string& directory,
                           const std::string& name, std::string_view bytes);

} // namespace queen::persistence
