// A write batch that can be read before it is written: later entries see what
// earlier ones of the same batch did. Rows that apply never reads back
// (appends, cursors, dead letters) go past the overlay, straight into the
// batch.

#pragma once

#include "persistence/store.hpp"

#include <map>
#include <vector>

namespace queen::actors {

class pending_rows {
public:
  explicit pending_rows(persistence::store& store);

  /// Readable at once.
  void put(const std::string& key, std::string value);
  void erase(const std::string& key);
  /// The keys of a prefix; those that `put` wrote are gone at once, too.
  void erase_prefix(const std::string& prefix);

  /// Not readable before the next write.
  void put_unread(std::string_view key, std::string_view value);
  void erase_unread(std::string_view key);
  /// Not readable, and only over keys of `put_unread`.
  void erase_range_unread(std::string_view begin, std::string_view end);

  result<std::optional<std::string>> get(const std::string& key) const;

  /// Every row of a prefix: those that `put` wrote and those of the store. The
  /// visitor must not write rows of that prefix.
  template <class Visitor>
  result<void> each(const std::string& prefix, Visitor visit) const;

  bool empty() const { return batch_->empty(); }
  size_t bytes() const { return batch_->bytes(); }
  const persistence::store& store() const { return store_; }

  /// One atomic write of everything since the last one.
  result<void> write();

private:
  bool erased(std::string_view key) const;
  static std::string end_of(std::string_view prefix);

  persistence::store& store_;
  std::unique_ptr<persistence::write_batch> batch_;
  // Sorted, so that a prefix is a range.
  std::map<std::string, std::optional<std::string>, std::less<>> overlay_;
  std::vector<std::string> erased_prefixes_;
};

template <class Visitor>
result<void> pending_rows::each(const std::string& prefix,
                                Visitor visit) const {
  auto end = end_of(prefix);
  for (auto i = overlay_.lower_bound(prefix);
       i != overlay_.end() && i->first.starts_with(prefix); ++i)
    if (i->second)
      visit(std::string_view{i->first}, std::string_view{*i->second});
  if (erased(prefix))
    return {};
  auto rows = store_.scan(prefix, end);
  for (rows->seek(prefix); rows->valid(); rows->next())
    if (!overlay_.contains(rows->key()) && !erased(rows->key()))
      visit(rows->key(), rows->value());
  return rows->status();
}

} // namespace queen::actors
