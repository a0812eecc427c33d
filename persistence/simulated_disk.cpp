#include "persistence/simulated_disk.hpp"

#include "config/ensure.hpp"

#include <algorithm>

namespace queen::persistence {

namespace {

// Splitmix64: one number after the other from one seed.
class chance {
public:
  explicit chance(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  uint64_t below(uint64_t bound) { return next() % bound; }

private:
  uint64_t state_;
};

void overwrite(std::string& in, uint64_t position, std::string_view bytes) {
  if (in.size() < position + bytes.size())
    in.resize(position + bytes.size());
  in.replace(position, bytes.size(), bytes);
}

} // namespace

class simulated_disk::simulated_file : public file {
public:
  simulated_file(simulated_disk& on, std::shared_ptr<inode> what,
                 std::string path, buffering how)
    : disk_(on), what_(std::move(what)), path_(std::move(path)), how_(how) {}

  result<size_t> read_at(uint64_t position, std::span<char> into) override {
    auto& bytes = what_->now;
    if (position >= bytes.size())
      return size_t{0};
    auto size = std::min<uint64_t>(into.size(), bytes.size() - position);
    std::copy_n(bytes.data() + position, size, into.data());
    return static_cast<size_t>(size);
  }

  result<void> write_at(uint64_t position, std::string_view bytes) override {
    ENSURE(how_ == buffering::system || (position % unbuffered_block == 0 &&
                                         bytes.size() % unbuffered_block == 0));
    if (auto may = disk_.step("write", path_); !may)
      return may;
    overwrite(what_->now, position, bytes);
    what_->unsynced.push_back({position, std::string{bytes}});
    return {};
  }

  result<void> sync() override {
    if (auto may = disk_.step("sync", path_); !may)
      return may;
    what_->durable = what_->now;
    what_->unsynced.clear();
    return {};
  }

  result<uint64_t> size() override { return uint64_t{what_->now.size()}; }

private:
  simulated_disk& disk_;
  std::shared_ptr<inode> what_;
  std::string path_;
  buffering how_;
};

result<void> simulated_disk::step(const char* call, const std::string& path) {
  if (operations_ >= fail_from_)
    return error{errc::io_failed,
                 std::string{call} + " " + path + ": the power is off"};
  ++operations_;
  return {};
}

std::string simulated_disk::directory_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

result<std::unique_ptr<file>> simulated_disk::create(const std::string& path,
                                                     buffering how) {
  if (auto may = step("create", path); !may)
    return may.reason();
  auto fresh = std::make_shared<inode>();
  now_[path] = fresh;
  unsynced_names_.push_back({path, fresh});
  return std::unique_ptr<file>(new simulated_file(*this, fresh, path, how));
}

result<std::unique_ptr<file>> simulated_disk::open(const std::string& path,
                                                   buffering how) {
  auto there = now_.find(path);
  if (there == now_.end())
    return error{errc::io_failed, "open " + path + ": no such file"};
  return std::unique_ptr<file>(
    new simulated_file(*this, there->second, path, how));
}

result<void> simulated_disk::rename(const std::string& from,
                                    const std::string& to) {
  auto there = now_.find(from);
  if (there == now_.end())
    return error{errc::io_failed, "rename " + from + ": no such file"};
  if (auto may = step("rename", from); !may)
    return may;
  auto what = there->second;
  now_.erase(there);
  now_[to] = what;
  // Atomic: both halves are one change (see crash).
  unsynced_names_.push_back({to, what});
  unsynced_names_.push_back({from, nullptr});
  return {};
}

result<void> simulated_disk::remove(const std::string& path) {
  if (now_.find(path) == now_.end())
    return error{errc::io_failed, "remove " + path + ": no such file"};
  if (auto may = step("remove", path); !may)
    return may;
  now_.erase(path);
  unsynced_names_.push_back({path, nullptr});
  return {};
}

result<std::vector<std::string>> simulated_disk::list(const std::string& path) {
  std::vector<std::string> out;
  for (auto& [name, what] : now_)
    if (directory_of(name) == path)
      out.push_back(name.substr(path.size() + 1));
  return out;
}

result<void> simulated_disk::make_directory(const std::string&) {
  return {};
}

result<void> simulated_disk::sync_directory(const std::string& path) {
  if (auto may = step("sync directory", path); !may)
    return may;
  std::vector<name_change> others;
  for (auto& c : unsynced_names_) {
    if (directory_of(c.path) != path) {
      others.push_back(std::move(c));
    } else if (c.what) {
      durable_[c.path] = c.what;
    } else {
      durable_.erase(c.path);
    }
  }
  unsynced_names_ = std::move(others);
  return {};
}

result<std::unique_ptr<directory_lock>>
simulated_disk::lock(const std::string&) {
  return std::make_unique<directory_lock>();
}

std::string* simulated_disk::bytes(const std::string& path) {
  auto there = now_.find(path);
  return there == now_.end() ? nullptr : &there->second->now;
}

void simulated_disk::crash(uint64_t seed) {
  chance roll{seed};
  // A journalling file system keeps names in order: a leading part survives.
  auto kept = roll.below(unsynced_names_.size() + 1);
  for (size_t i = 0; i < unsynced_names_.size(); ++i) {
    auto& c = unsynced_names_[i];
    bool second_half =
      i > 0 && i == kept && !c.what && unsynced_names_[i - 1].what;
    if (i >= kept && !second_half)
      break;
    if (c.what)
      durable_[c.path] = c.what;
    else
      durable_.erase(c.path);
  }
  unsynced_names_.clear();
  now_.clear();
  for (auto& [path, what] : durable_) {
    // A new inode: whoever still holds the old one writes into nothing.
    auto left = std::make_shared<inode>();
    left->durable = what->durable;
    for (size_t i = 0; i < what->unsynced.size(); ++i) {
      auto& w = what->unsynced[i];
      auto fate = roll.below(3);
      if (fate == 0)
        continue;
      std::string_view bytes{w.bytes};
      if (fate == 1) // torn: part of it, from its front or from its end
      {
        auto cut = roll.below(bytes.size() + 1);
        if (roll.below(2) == 0)
          overwrite(left->durable, w.position, bytes.substr(0, cut));
        else
          overwrite(left->durable, w.position + cut, bytes.substr(cut));
        continue;
      }
      overwrite(left->durable, w.position, bytes);
    }
    left->now = left->durable;
    now_[path] = left;
  }
  durable_ = now_;
  fail_from_ = UINT64_MAX;
}

} // namespace queen::persistence
