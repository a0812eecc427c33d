// Golden bytes: what this format version writes is kept in a file, one
// `name hex` a line, and later versions must go on reading it. REWRITE=1 in the
// environment records; the diff is the review.

#pragma once

#include <catch2/catch.hpp>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace queen::golden {

/// The file's folder is found from this header's own path.
inline std::string path(const std::string& name) {
  std::string here = __FILE__;
  return here.substr(0, here.rfind("/unit/")) + "/golden/v1/" + name;
}

inline std::map<std::string, std::string> load(const std::string& name) {
  std::map<std::string, std::string> lines;
  std::ifstream in{path(name)};
  for (std::string key, hex; in >> key >> hex;)
    lines[key] = hex;
  return lines;
}

using values = std::vector<std::pair<std::string, std::string>>;

/// Compares each named hex text with the file, or records all of them.
inline void check(const std::string& name, const values& actual) {
  if (std::getenv("REWRITE")) {
    std::ofstream out{path(name)};
    for (const auto& [key, hex] : actual)
      out << key << ' ' << hex << '\n';
  }
  auto expected = load(name);
  REQUIRE(expected.size() == actual.size());
  for (const auto& [key, hex] : actual) {
    INFO(key);
    REQUIRE(expected[key] == hex);
  }
}

} // namespace queen::golden
