// The machine's own file system.

#pragma once

#include "persistence/disk.hpp"

namespace queen::persistence {

class posix_disk : public disk {
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
  result<unsigned> used_percent(const std::string& path) override;
};

} // namespace queen::persistence
