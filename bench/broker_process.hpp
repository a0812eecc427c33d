// The broker under test: started here on a fresh directory, or one that runs.

#pragma once

#include "bench/connection.hpp"

#include <string>

#include <sys/types.h>

namespace queen::bench {

class broker_process {
public:
  /// Starts `binary` on a free port with a fresh data directory below
  /// `directory`; waits until it answers. Errors end the process.
  broker_process(const std::string& binary, const std::string& directory);
  /// Attaches to a running one; `pid` 0: no figures about the process.
  broker_process(target where, pid_t pid);
  /// Ends it with SIGTERM when it was started here, and removes its data.
  ~broker_process();
  broker_process(const broker_process&) = delete;
  broker_process& operator=(const broker_process&) = delete;

  const target& where() const { return where_; }

  struct figures {
    double cpu_seconds = 0;
    uint64_t resident_bytes = 0;
    uint64_t written_bytes = 0; // to the disk
  };
  figures read() const;

private:
  target where_;
  pid_t pid_ = 0;
  bool ours_ = false;
  std::string data_;
};

} // namespace queen::bench
