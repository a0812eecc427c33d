#include "actors/tenant_group/directory.hpp"

namespace queen::actors {

namespace {

std::string numbered(char kind, uint64_t number, std::string_view name) {
  std::string out;
  out.reserve(9 + name.size());
  out.push_back(kind);
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
  out.append(name);
  return out;
}

} // namespace

std::string directory::partition_key(domain::queue_id queue,
                                     std::string_view name) {
  return numbered('p', queue, name);
}

std::string directory::lease_key(domain::partition_id partition,
                                 std::string_view group) {
  return numbered('l', partition, group);
}

std::string directory::group_key(const domain::uuid& tenant,
                                 std::string_view queue,
                                 std::string_view group) {
  auto out = numbered('g', queue.size(), queue);
  out.append(reinterpret_cast<const char*>(tenant.bytes.data()), 16);
  out.append(group);
  return out;
}

std::string directory::kv_key(const domain::uuid& tenant) {
  std::string out{"k"};
  out.append(reinterpret_cast<const char*>(tenant.bytes.data()), 16);
  return out;
}

} // namespace queen::actors
