#include "net/http/handlers/fields.hpp"

namespace queen::net {

fields::fields(json_value object, std::string where)
  : object_(object), where_(std::move(where)) {}

std::string fields::path(std::string_view name) const {
  return where_.empty() ? std::string{name} : where_ + "." + std::string{name};
}

void fields::fail(std::string message) {
  if (!failed())
    problem_ = {problem::kind::malformed, std::move(message)};
}

void fields::fail(std::string_view name, std::string_view message) {
  fail(path(name) + " " + std::string{message});
}

std::optional<json_value> fields::any(std::string_view name) const {
  return object_.find(name);
}

std::optional<json_value> fields::present(std::string_view name) const {
  auto value = object_.find(name);
  if (value && value->is(json_kind::null))
    return std::nullopt;
  return value;
}

std::string fields::required_text(std::string_view name) {
  auto value = object_.find(name);
  if (!value) {
    fail(name, "is required");
    return {};
  }
  if (value->is(json_kind::null)) {
    fail(name, "must be a string, not null");
    return {};
  }
  return optional_text(name).value_or(std::string{});
}

std::optional<std::string> fields::optional_text(std::string_view name) {
  auto value = present(name);
  if (!value)
    return std::nullopt;
  auto text = value->text();
  if (!text)
    fail(name,
         value->is(json_kind::string)
           ? "holds half of a surrogate pair"
           : "must be a string, not " + std::string{article_of(value->kind())});
  return text;
}

std::string fields::free_text(std::string_view name) {
  auto value = present(name);
  if (value && !value->is(json_kind::string))
    fail(name,
         "must be a string, not " + std::string{article_of(value->kind())});
  return value ? value->text_lenient() : std::string{};
}

std::optional<int64_t> fields::optional_integer(std::string_view name,
                                                int64_t min, int64_t max) {
  auto value = present(name);
  if (!value)
    return std::nullopt;
  auto number = value->integer();
  if (number && *number >= min && *number <= max)
    return number;
  fail(name, "must be a whole number from " + std::to_string(min) + " to " +
               std::to_string(max));
  return std::nullopt;
}

int64_t fields::required_integer(std::string_view name, int64_t min,
                                 int64_t max) {
  if (!present(name)) {
    fail(name, "is required");
    return min;
  }
  return optional_integer(name, min, max).value_or(min);
}

std::optional<bool> fields::optional_boolean(std::string_view name) {
  auto value = present(name);
  if (!value)
    return std::nullopt;
  auto flag = value->boolean();
  if (!flag)
    fail(name, "must be true or false");
  return flag;
}

void fields::bound_name(std::string_view name, const std::string& value,
                        size_t bytes_max) {
  if (value.size() > bytes_max && !failed())
    problem_ = {problem::kind::name_too_long, path(name) + " is longer than " +
                                                std::to_string(bytes_max) +
                                                " bytes"};
}

void fields::bound_text(std::string_view name, const std::string& value,
                        size_t bytes_max) {
  if (value.size() > bytes_max)
    fail(name, "is longer than " + std::to_string(bytes_max) + " bytes");
}

std::string body_problem(const json_error& error) {
  return "malformed JSON at byte " + std::to_string(error.offset) + ": " +
         std::string{error.what};
}

object_body read_object(const http_call& call, bool empty_is_object) {
  static const auto braces = std::make_shared<const std::string>("{}");
  bool empty = !call.body || call.body->empty();
  auto body = empty && empty_is_object ? braces : call.body;
  if (!body)
    body = std::make_shared<const std::string>();
  auto read = json_document::parse(std::move(body));
  if (auto* wrong = std::get_if<json_error>(&read))
    return {std::nullopt, body_problem(*wrong)};
  object_body result{std::move(std::get<json_document>(read)), {}};
  auto kind = result.document->root().kind();
  if (kind != json_kind::object)
    result.problem =
      "the body must be an object, not " + std::string{article_of(kind)};
  return result;
}

element_list read_objects(json_value root, std::string_view name) {
  element_list list;
  auto value = root.find(name);
  if (!value)
    return list;
  list.present = true;
  if (!value->is(json_kind::array)) {
    list.problem = std::string{name} + " must be an array, not " +
                   std::string{article_of(value->kind())};
    return list;
  }
  list.elements = value->children();
  for (size_t i = 0; i < list.elements.size(); ++i)
    if (!list.elements[i].is(json_kind::object)) {
      list.problem = indexed(name, i) + " must be an object, not " +
                     std::string{article_of(list.elements[i].kind())};
      break;
    }
  return list;
}

std::string indexed(std::string_view name, size_t index) {
  return std::string{name} + "[" + std::to_string(index) + "]";
}

} // namespace queen::net
