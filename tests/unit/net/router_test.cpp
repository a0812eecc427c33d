#include "net/http/router.hpp"
#include "net/http/url.hpp"

#include <catch2/catch.hpp>

using namespace queen::net;

TEST_CASE("a literal segment wins over a parameter, and names are decoded") {
  router table;
  table.add("GET", "/q/:queue", 1);
  table.add("GET", "/q/all", 2);
  table.add("DELETE", "/q/:queue", 3);
  table.add("PUT", "/kv/*key", 4);
  CHECK(table.match("GET", "/q/all").index == 2u);
  CHECK(table.match("GET", "/q/a%2Fb%zz").parameters ==
        std::vector<std::string>{"a/b%zz"});
  CHECK(table.match("PUT", "/kv/a/b%20c").parameters ==
        std::vector<std::string>{"a/b c"});
  CHECK(table.match("POST", "/q/x").allow == "GET, DELETE");
  CHECK(table.match("GET", "/none").allow.empty());
  CHECK_FALSE(table.match("GET", "/q/").index);
}

TEST_CASE("the last query parameter of a name counts") {
  CHECK(query_value("a=1&b=x+y%21&a=2", "a") == "2");
  CHECK(query_value("a=1&b=x+y%21", "b") == "x y!");
  CHECK_FALSE(query_value("a=1", "c"));
}
