#include "actors/domain/queue_options.hpp"

namespace queen::domain {

void label_from_name(queue_record& queue) {
  // The second part ends at the next dot: `a.b.c` has task `b`.
  std::string_view rest = queue.name;
  size_t dot = rest.find('.');
  queue.name_space = rest.substr(0, dot);
  queue.task.clear();
  if (dot == std::string_view::npos)
    return;
  rest.remove_prefix(dot + 1);
  queue.task = rest.substr(0, rest.find('.'));
}

} // namespace queen::domain
