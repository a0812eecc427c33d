#include "persistence/memory_store.hpp"

#include <iterator>
#include <utility>

namespace queen::persistence {

namespace {

using rows = memory_volume::rows;

class memory_batch final : public write_batch {
public:
  void put(std::string_view key, std::string_view value) override {
    add({operation::kind::put, std::string{key}, std::string{value}});
  }
  void erase(std::string_view key) override {
    add({operation::kind::erase, std::string{key}, {}});
  }
  void erase_range(std::string_view begin, std::string_view end) override {
    if (begin < end)
      add({operation::kind::erase_range, std::string{begin}, std::string{end}});
  }
  void clear() override {
    operations_.clear();
    bytes_ = 0;
  }
  size_t bytes() const override { return bytes_; }
  bool empty() const override { return operations_.empty(); }

  void apply_to(rows& target) const {
    for (const auto& [what, key, value] : operations_) {
      switch (what) {
      case operation::kind::put:
        target.insert_or_assign(key, value);
        break;
      case operation::kind::erase:
        target.erase(key);
        break;
      case operation::kind::erase_range:
        target.erase(target.lower_bound(key), target.lower_bound(value));
        break;
      }
    }
  }

private:
  void add(operation next) {
    bytes_ += next.key.size() + next.value.size();
    operations_.push_back(std::move(next));
  }

  std::vector<operation> operations_;
  size_t bytes_ = 0;
};

class memory_cursor final : public cursor {
public:
  /// `guard` is the store's: it orders the end of this share before the
  /// store's next look at who else has one.
  memory_cursor(std::mutex& guard, std::shared_ptr<const rows> of,
                std::string_view lower, std::string_view upper)
    : guard_(guard), rows_(std::move(of)), lower_(lower),
      begin_(rows_->lower_bound(lower)),
      end_(upper.empty() ? rows_->end() : rows_->lower_bound(upper)),
      at_(end_) {
    if (!upper.empty() && upper <= lower)
      begin_ = at_ = end_;
  }
  ~memory_cursor() override {
    const std::lock_guard lock{guard_};
    rows_.reset();
  }
  memory_cursor(const memory_cursor&) = delete;
  memory_cursor& operator=(const memory_cursor&) = delete;

  void seek(std::string_view key) override {
    at_ = key <= lower_ ? begin_ : rows_->lower_bound(key);
    if (past_end(at_))
      at_ = end_;
  }
  void seek_for_prev(std::string_view key) override {
    auto after = key < lower_ ? begin_ : rows_->upper_bound(key);
    if (past_end(after))
      after = end_;
    at_ = after == begin_ ? end_ : std::prev(after);
  }
  void next() override { ++at_; }
  void prev() override { at_ = at_ == begin_ ? end_ : std::prev(at_); }
  bool valid() const override { return at_ != end_; }
  std::string_view key() const override { return at_->first; }
  std::string_view value() const override { return at_->second; }
  result<void> status() const override { return {}; }

private:
  bool past_end(rows::const_iterator position) const {
    return position == rows_->end() ||
           (end_ != rows_->end() && position->first >= end_->first);
  }

  std::mutex& guard_;
  std::shared_ptr<const rows> rows_;
  const std::string lower_;
  rows::const_iterator begin_; // the first visible row
  rows::const_iterator end_;   // one past the last; stands for "not valid"
  rows::const_iterator at_;
};

} // namespace

std::shared_ptr<const rows>
memory_volume::durable(const std::string& directory) const {
  const std::lock_guard lock{guard_};
  const auto found = directories_.find(directory);
  return found == directories_.end() ? nullptr : found->second;
}

void memory_volume::replace(const std::string& directory,
                            std::shared_ptr<const rows> with) {
  const std::lock_guard lock{guard_};
  directories_.insert_or_assign(directory, std::move(with));
}

memory_store::memory_store(std::shared_ptr<memory_volume> volume,
                           std::string directory)
  : volume_(std::move(volume)), directory_(std::move(directory)) {
  load();
}

void memory_store::load() {
  const auto durable = volume_->durable(directory_);
  rows_ = durable ? std::make_shared<rows>(*durable) : std::make_shared<rows>();
  frozen_ = false;
  unflushed_bytes_ = 0;
}

memory_store::rows& memory_store::own_rows() {
  if (frozen_ || rows_.use_count() > 1) {
    rows_ = std::make_shared<rows>(*rows_);
    frozen_ = false;
  }
  return *rows_;
}

std::unique_ptr<write_batch> memory_store::new_batch() const {
  return std::make_unique<memory_batch>();
}

result<void> memory_store::write(const write_batch& batch) {
  // Every batch comes from new_batch(), so the kind is known.
  const auto& ours = static_cast<const memory_batch&>(batch);
  const std::lock_guard lock{guard_};
  ours.apply_to(own_rows());
  unflushed_bytes_ += ours.bytes();
  return {};
}

result<std::optional<std::string>>
memory_store::get(std::string_view key) const {
  const std::lock_guard lock{guard_};
  const auto found = rows_->find(key);
  if (found == rows_->end())
    return std::optional<std::string>{};
  return std::optional{found->second};
}

std::unique_ptr<cursor> memory_store::scan(std::string_view lower,
                                           std::string_view upper) const {
  const std::lock_guard lock{guard_};
  return std::make_unique<memory_cursor>(guard_, rows_, lower, upper);
}

result<void> memory_store::flush() {
  const std::lock_guard lock{guard_};
  volume_->replace(directory_, rows_);
  frozen_ = true;
  unflushed_bytes_ = 0;
  return {};
}

result<void> memory_store::verify() {
  return {};
}

result<void> memory_store::checkpoint(const std::string& directory) {
  if (volume_->durable(directory))
    return error{errc::io_failed, directory + ": exists"};
  const std::lock_guard lock{guard_};
  volume_->replace(directory, rows_);
  frozen_ = true;
  return {};
}

store::sizes memory_store::size() const {
  const std::lock_guard lock{guard_};
  uint64_t bytes = 0;
  for (const auto& [key, value] : *rows_)
    bytes += key.size() + value.size();
  return {unflushed_bytes_, bytes};
}

void memory_store::crash() {
  const std::lock_guard lock{guard_};
  load();
}

} // namespace queen::persistence
