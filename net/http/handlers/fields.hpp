// Typed access to the members of one JSON object. The first member that is
// missing or of the wrong type becomes the problem, said with its path
// (`items[3].queue must be a string`); reading goes on with defaults, so a
// handler looks at the problem once, at the end.

#pragma once

#include "net/http/handlers/call.hpp"
#include "net/http/handlers/json_reader.hpp"

namespace queen::net {

/// Why a body is refused. `name_too_long` is a refusal of its own on the
/// transaction route.
struct problem {
  enum class kind : uint8_t { malformed, name_too_long };
  kind what = kind::malformed;
  std::string message; // empty: none
};

class fields {
public:
  fields(json_value object, std::string where);

  // A null counts as absent for what is optional: SDKs send it so.
  std::string required_text(std::string_view name);
  std::optional<std::string> optional_text(std::string_view name);
  /// Text that only people read: what cannot be decoded is replaced.
  std::string free_text(std::string_view name);
  std::optional<int64_t> optional_integer(std::string_view name, int64_t min,
                                          int64_t max);
  int64_t required_integer(std::string_view name, int64_t min, int64_t max);
  std::optional<bool> optional_boolean(std::string_view name);
  /// Present, null included.
  std::optional<json_value> any(std::string_view name) const;

  /// Refuses a text over the budget.
  void bound_name(std::string_view name, const std::string& value,
                  size_t bytes_max);
  void bound_text(std::string_view name, const std::string& value,
                  size_t bytes_max);

  void fail(std::string message);
  /// `where.name message`.
  void fail(std::string_view name, std::string_view message);

  bool failed() const { return !problem_.message.empty(); }
  const problem& why() const { return problem_; }

private:
  std::optional<json_value> present(std::string_view name) const;
  std::string path(std::string_view name) const;

  json_value object_;
  std::string where_;
  problem problem_;
};

/// The message for a body that is no JSON: what, and at which byte.
std::string body_problem(const json_error& error);

/// The body as an object, or why it is none. An empty body is `{}` where
/// `empty_is_object`.
struct object_body {
  std::optional<json_document> document;
  std::string problem; // empty: the document is there and its root an object
};
object_body read_object(const http_call& call, bool empty_is_object = false);

/// The elements of an array of objects. `where` names it in messages.
struct element_list {
  std::vector<json_value> elements;
  std::string problem;
  bool present = false;
};
element_list read_objects(json_value root, std::string_view name);

std::string indexed(std::string_view name, size_t index);

} // namespace queen::net
