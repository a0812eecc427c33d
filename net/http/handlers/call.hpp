// What a handler is given and what it answers: the parts of a request as plain
// values, and a response as plain values. Handlers never see a socket, a clock
// or a random device.

#pragma once

#include "actors/domain/commands.hpp"
#include "actors/domain/ids.hpp"
#include "config/error.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace queen::net {

using lookup = std::function<std::optional<std::string>(std::string_view name)>;

struct http_call {
  std::shared_ptr<const std::string> body;
  std::vector<std::string> path; // the route's parameters, decoded once
  lookup query;                  // decoded values; the last of a name
  lookup header;                 // names in lower case
  domain::uuid tenant;           // from resolve_tenant
  std::string producer_sub;      // of the token; empty without one
};

/// Settings that decide what a call may ask for.
struct limits {
  size_t kv_value_bytes_max = 65536;
  uint32_t timer_horizon_s = 90 * 86400;
  size_t timer_payload_bytes_max = 1 << 20;
  size_t name_bytes_max = domain::name_bytes_max;
  domain::subscription_mode default_mode = domain::subscription_mode::from_new;
  bool tenancy_header = false;
};

/// Transaction ids are stored with a two-byte length.
inline constexpr size_t transaction_id_bytes_max = 65535;
/// Ten years, in seconds: the largest duration that a call may name.
inline constexpr int64_t seconds_max = 10 * 365 * 86400;

/// Where new ids come from: the environment, which the simulator replaces.
class id_source {
public:
  virtual ~id_source() = default;
  virtual domain::uuid next() = 0;
};

struct rendered {
  unsigned status = 200;
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
};

/// A command for the engine, or the answer already.
template <class Command>
using parsed = std::variant<Command, rendered>;

unsigned status_of(errc code) noexcept;

/// `{"error","code"}`: the shape of every route that has none of its own.
rendered plain_error(errc code, std::string_view message);
/// The same, of an error that the engine answered; Retry-After where it helps.
rendered render_error(const error& reason);
/// Adds Retry-After when the table names one.
void add_retry_after(rendered& answer, errc code);

/// The tenant of a call (spec/cluster.md, Placement).
std::variant<domain::uuid, rendered> resolve_tenant(const lookup& header,
                                                    const limits& bounds);

// -- query strings ------------------------------------------------------------

/// Reads typed query parameters; the first that is wrong is the problem.
class query_reader {
public:
  explicit query_reader(const lookup& query) : query_(query) {}

  /// Empty counts as absent.
  std::optional<std::string> text(std::string_view name);
  std::optional<int64_t> integer(std::string_view name, int64_t min,
                                 int64_t max);
  /// true, 1, false, 0.
  std::optional<bool> boolean(std::string_view name);

  void fail(std::string message);
  bool failed() const { return !problem_.empty(); }
  const std::string& problem() const { return problem_; }

private:
  const lookup& query_;
  std::string problem_;
};

/// Whether a name of the path can be one: UTF-8 and within the budget. Empty
/// result: yes.
std::string path_problem(std::string_view what, std::string_view name,
                         const limits& bounds);

} // namespace queen::net
