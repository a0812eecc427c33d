#include "actors/applier/pending_rows.hpp"

#include "actors/domain/rows.hpp"

#include <algorithm>

namespace queen::actors {

pending_rows::pending_rows(persistence::store& store)
  : store_(store), batch_(store.new_batch()) {}

void pending_rows::put(const std::string& key, std::string value) {
  batch_->put(key, value);
  overlay_[key] = std::move(value);
}

void pending_rows::erase(const std::string& key) {
  batch_->erase(key);
  overlay_[key] = std::nullopt;
}

void pending_rows::erase_prefix(const std::string& prefix) {
  batch_->erase_range(prefix, end_of(prefix));
  for (auto i = overlay_.lower_bound(prefix);
       i != overlay_.end() && i->first.starts_with(prefix);)
    i = overlay_.erase(i);
  erased_prefixes_.push_back(prefix);
}

void pending_rows::put_unread(std::string_view key, std::string_view value) {
  batch_->put(key, value);
}

void pending_rows::erase_unread(std::string_view key) {
  batch_->erase(key);
}

void pending_rows::erase_range_unread(std::string_view begin,
                                      std::string_view end) {
  batch_->erase_range(begin, end);
}

result<std::optional<std::string>>
pending_rows::get(const std::string& key) const {
  auto found = overlay_.find(key);
  if (found != overlay_.end())
    return found->second;
  if (erased(key))
    return std::optional<std::string>{};
  return store_.get(key);
}

result<void> pending_rows::write() {
  auto written = store_.write(*batch_);
  if (!written)
    return written;
  batch_->clear();
  overlay_.clear();
  erased_prefixes_.clear();
  return {};
}

bool pending_rows::erased(std::string_view key) const {
  return std::any_of(
    erased_prefixes_.begin(), erased_prefixes_.end(),
    [&](const std::string& prefix) { return key.starts_with(prefix); });
}

std::string pending_rows::end_of(std::string_view prefix) {
  // Every table's first byte is a letter, so a prefix always has an end.
  return domain::key::prefix_end(prefix);
}

} // namespace queen::actors
