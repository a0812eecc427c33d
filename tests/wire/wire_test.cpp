// Every golden script against a real node of its own.

#include "tests/support/broker.hpp"
#include "tests/wire/script.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>

using namespace queen::test;

namespace {

std::vector<std::string> scripts() {
  std::vector<std::string> out;
  for (auto& entry : std::filesystem::directory_iterator{QUEEN_WIRE_SCRIPTS})
    out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

void check(client& api, const exchange& x, kept_values& kept) {
  auto got = api.call(x.method, with_values(x.path, kept),
                      with_values(x.body, kept), with_values(x.headers, kept));
  INFO("line " << x.line << ": " << x.method << " " << x.path);
  INFO("answer " << got.status << " " << got.body.substr(0, 2000));
  CHECK(got.status == x.status);
  for (auto& [name, value] : x.must_have) {
    INFO("header " << name);
    CHECK(got.headers[name] == value);
  }
  if (x.expected.empty())
    CHECK(got.body.empty());
  else
    CHECK(difference(with_values(x.expected, kept), got.body, kept) == "");
}

} // namespace

TEST_CASE("golden scripts") {
  auto path = GENERATE(from_range(scripts()));
  auto script = read_script(path);
  broker node{script.environment};
  auto api = node.connect();
  for (auto& c : script.cases) {
    INFO(path << ", case: " << c.name);
    kept_values kept;
    for (auto& x : c.exchanges)
      check(api, x, kept);
  }
}

TEST_CASE("a script's expectation objects to what differs") {
  kept_values kept;
  CHECK(difference(R"({"a":1})", R"({"a":1})", kept) == "");
  CHECK(difference(R"({"a":1})", R"({"a":2})", kept) != "");
  CHECK(difference(R"({"a":1})", R"({"a":1,"b":2})", kept) != "");
  CHECK(difference(R"({"a":1,"...":0})", R"({"a":1,"b":2})", kept) == "");
  CHECK(difference(R"({"a":1,"...":0})", R"({"b":2})", kept) != "");
  CHECK(difference(R"(["<int>"])", R"(["1"])", kept) != "");
  CHECK(difference(R"(["~ab"])", R"(["abc"])", kept) == "");
  CHECK(difference(R"(["~ab"])", R"(["a"])", kept) != "");
  CHECK(difference(R"(["<uuid>"])",
                   R"(["01980000-0000-7000-8000-000000000000"])", kept) == "");
  CHECK(difference(R"(["<uuid>"])", R"(["01980000"])", kept) != "");
  CHECK(difference(R"([1])", R"([1,2])", kept) != "");
  CHECK(difference(R"({"a":"<int:x>"})", R"({"a":17})", kept) == "");
  CHECK(with_values("n=$x.", kept) == "n=17.");
}
