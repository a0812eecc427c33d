#include "persistence/posix_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace queen::persistence {

namespace {

error failed(const char* call, const std::string& path) {
  return {errc::io_failed,
          std::string{call} + " " + path + ": " + std::strerror(errno)};
}

// Closes what it owns.
class descriptor {
public:
  explicit descriptor(int fd) : fd_(fd) {}
  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;
  ~descriptor() {
    if (fd_ >= 0)
      ::close(fd_);
  }
  int get() const { return fd_; }
  bool good() const { return fd_ >= 0; }

private:
  int fd_;
};

class posix_file : public file {
public:
  posix_file(descriptor fd, std::string path, buffering how)
    : fd_(std::move(fd)), path_(std::move(path)), how_(how) {}

  result<size_t> read_at(uint64_t position, std::span<char> into) override {
    size_t done = 0;
    while (done < into.size()) {
      auto n = ::pread(fd_.get(), into.data() + done, into.size() - done,
                       static_cast<off_t>(position + done));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return failed("pread", path_);
      if (n == 0)
        break;
      done += static_cast<size_t>(n);
    }
    return done;
  }

  result<void> write_at(uint64_t position, std::string_view bytes) override {
    if (how_ == buffering::none)
      return write_aligned(position, bytes);
    return write_all(position, bytes);
  }

  result<void> sync() override {
    if (::fdatasync(fd_.get()) != 0)
      return failed("fdatasync", path_);
    return {};
  }

  result<uint64_t> size() override {
    struct stat info {};
    if (::fstat(fd_.get(), &info) != 0)
      return failed("fstat", path_);
    return static_cast<uint64_t>(info.st_size);
  }

private:
  result<void> write_all(uint64_t position, std::string_view bytes) {
    while (!bytes.empty()) {
      auto n = ::pwrite(fd_.get(), bytes.data(), bytes.size(),
                        static_cast<off_t>(position));
      if (n < 0 && errno == EINTR)
        continue;
      if (n < 0)
        return failed("pwrite", path_);
      bytes.remove_prefix(static_cast<size_t>(n));
      position += static_cast<uint64_t>(n);
    }
    return {};
  }

  // Past the cache the memory must be aligned, too.
  result<void> write_aligned(uint64_t position, std::string_view bytes) {
    if (!piece_)
      piece_.reset(
        static_cast<char*>(std::aligned_alloc(unbuffered_block, piece_bytes)));
    while (!bytes.empty()) {
      auto size = std::min(bytes.size(), piece_bytes);
      std::memcpy(piece_.get(), bytes.data(), size);
      if (auto done = write_all(position, {piece_.get(), size}); !done)
        return done;
      bytes.remove_prefix(size);
      position += size;
    }
    return {};
  }

  static constexpr size_t piece_bytes = 1 << 20;
  struct free_memory {
    void operator()(char* memory) const { std::free(memory); }
  };

  descriptor fd_;
  std::string path_;
  buffering how_;
  std::unique_ptr<char, free_memory> piece_;
};

class posix_lock : public directory_lock {
public:
  explicit posix_lock(descriptor fd) : fd_(std::move(fd)) {}

private:
  descriptor fd_;
};

result<std::unique_ptr<file>> open_file(const std::string& path, int flags,
                                        buffering how) {
  flags |= O_RDWR | O_CLOEXEC;
  auto direct = how == buffering::none ? O_DIRECT : 0;
  auto number = ::open(path.c_str(), flags | direct, 0640);
  if (number < 0 && direct && errno == EINVAL) {
    // A file system that has no way past its cache (tmpfs).
    how = buffering::system;
    number = ::open(path.c_str(), flags, 0640);
  }
  descriptor fd{number};
  if (!fd.good())
    return failed("open", path);
  return std::unique_ptr<file>(new posix_file(std::move(fd), path, how));
}

} // namespace

result<std::unique_ptr<file>> posix_disk::create(const std::string& path,
                                                 buffering how) {
  return open_file(path, O_CREAT | O_TRUNC, how);
}

result<std::unique_ptr<file>> posix_disk::open(const std::string& path,
                                               buffering how) {
  return open_file(path, 0, how);
}

result<void> posix_disk::rename(const std::string& from,
                                const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0)
    return failed("rename", from);
  return {};
}

result<void> posix_disk::remove(const std::string& path) {
  if (::unlink(path.c_str()) != 0)
    return failed("unlink", path);
  return {};
}

result<std::vector<std::string>> posix_disk::list(const std::string& path) {
  std::error_code why;
  std::vector<std::string> names;
  for (std::filesystem::directory_iterator i{path, why}, end; !why && i != end;
       i.increment(why))
    names.push_back(i->path().filename().string());
  if (why)
    return error{errc::io_failed, "list " + path + ": " + why.message()};
  std::sort(names.begin(), names.end());
  return names;
}

result<void> posix_disk::make_directory(const std::string& path) {
  std::error_code why;
  std::filesystem::create_directories(path, why);
  if (why)
    return error{errc::io_failed, "mkdir " + path + ": " + why.message()};
  return {};
}

result<void> posix_disk::sync_directory(const std::string& path) {
  descriptor fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (!fd.good())
    return failed("open", path);
  if (::fsync(fd.get()) != 0)
    return failed("fsync", path);
  return {};
}

result<std::unique_ptr<directory_lock>>
posix_disk::lock(const std::string& directory) {
  auto path = directory + "/LOCK";
  descriptor fd{::open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0640)};
  if (!fd.good())
    return failed("open", path);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK)
      return error{errc::io_failed,
                   "another process uses the data directory " + directory};
    return failed("flock", path);
  }
  return std::unique_ptr<directory_lock>(new posix_lock(std::move(fd)));
}

result<unsigned> posix_disk::used_percent(const std::string& path) {
  struct statvfs info {};
  if (::statvfs(path.c_str(), &info) != 0)
    return failed("statvfs", path);
  if (info.f_blocks == 0)
    return 0u;
  // Of what a process without special rights can use.
  auto used = info.f_blocks - info.f_bfree;
  return static_cast<unsigned>(used * 100 / (used + info.f_bavail));
}

} // namespace queen::persistence
