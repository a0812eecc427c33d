// The closed set of errors and the result type that carries them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace queen {

enum class errc : uint8_t {
#define ERROR(name, http, retry_after, meaning) name,
#include "config/errors.def"
#undef ERROR
};

/// What went wrong, plus the one detail a person needs: which queue, which
/// limit, which file and offset.
struct error {
  errc code;
  std::string detail;
};

std::string_view to_string(errc code) noexcept;
std::string_view meaning(errc code) noexcept;
/// docs/errors.md.
std::string errors_page();

/// A value, or the reason why there is none. (std::expected is C++23.)
template <class T>
class [[nodiscard]] result {
public:
  result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  result(error reason) : state_(std::in_place_index<1>, std::move(reason)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  const T& operator*() const& { return std::get<0>(state_); }
  T& operator*() & { return std::get<0>(state_); }
  T&& operator*() && { return std::get<0>(std::move(state_)); }
  const T* operator->() const { return &std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const error& reason() const { return std::get<1>(state_); }

private:
  std::variant<T, error> state_;
};

/// Success carries nothing.
template <>
class [[nodiscard]] result<void> {
public:
  result() = default;
  result(error reason) : failed_(true), reason_(std::move(reason)) {}

  explicit operator bool() const noexcept { return !failed_; }
  const error& reason() const { return reason_; }

private:
  bool failed_ = false;
  error reason_{};
};

} // namespace queen
