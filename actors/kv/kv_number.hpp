// Sums of JSON numbers: whole ones stay exact within 64 bits.

#pragma once

#include "actors/domain/commands.hpp"

namespace queen::actors {

/// None: the text is no number, or beyond a double.
std::optional<domain::number> parse_number(std::string_view json);
/// None: beyond 64 bits (both whole) or beyond a double.
std::optional<domain::number> add(const domain::number&, const domain::number&);
bool less(const domain::number&, const domain::number&);
/// JSON text, the shortest that reads back as the same number.
std::string to_json(const domain::number&);

} // namespace queen::actors
