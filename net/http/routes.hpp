// The table of the API: method, path, how a request becomes a command and how
// the engine's reply becomes JSON. `/health` alone is not here: it asks nobody
// (see gateway.hpp).

#pragma once

#include "actors/domain/replies.hpp"
#include "net/http/handlers/call.hpp"

#include <span>

namespace queen::net {

using command_ptr = std::shared_ptr<const domain::command>;
/// A command for the engine, or the answer already.
using parsed_call = std::variant<command_ptr, rendered>;

struct route {
  std::string_view method;
  /// `:name` is one segment of the path, `*name` the rest of it.
  std::string_view pattern;
  parsed_call (*parse)(const http_call&, const limits&, id_source&);
  rendered (*render)(const domain::command& asked, const domain::reply& reply);
  /// An answer that never reached the engine, in the route's own shape.
  rendered (*refuse)(const error& why);
};

std::span<const route> routes();

/// Whether the command adds to what the disk holds: those are refused while
/// the disk gate is closed, and acks and deletes go on (spec/operate.md,
/// QUEEN_RAFT_DISK_HIGH_PCT).
bool grows(const domain::command& what);

} // namespace queen::net
