#include "persistence/disk.hpp"

#include <algorithm>

namespace queen::persistence {

result<std::optional<std::string>>
read_whole(disk& on, const std::string& directory, const std::string& name) {
  auto names = on.list(directory);
  if (!names)
    return names.reason();
  if (std::find(names->begin(), names->end(), name) == names->end())
    return std::optional<std::string>{};
  auto there = on.open(directory + "/" + name);
  if (!there)
    return there.reason();
  auto size = (*there)->size();
  if (!size)
    return size.reason();
  std::string bytes(*size, '\0');
  auto got = (*there)->read_at(0, bytes);
  if (!got)
    return got.reason();
  bytes.resize(*got);
  return std::optional{std::move(bytes)};
}

result<void> replace_whole(disk& on, const std::string& directory,
                           const std::string& name, std::string_view bytes) {
  auto path = directory + "/" + name;
  auto temporary = path + ".new";
  auto fresh = on.create(temporary);
  if (!fresh)
    return fresh.reason();
  if (auto done = (*fresh)->write_at(0, bytes); !done)
    return done;
  if (auto done = (*fresh)->sync(); !done)
    return done;
  if (auto done = on.rename(temporary, path); !done)
    return done;
  return on.sync_directory(directory);
}

} // namespace queen::persistence
