// The documented scripts do what they say, against a fresh node.

#include "tests/support/broker.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>

TEST_CASE("docs/examples/payments.sh") {
  queen::test::broker node;
  auto command = std::string{QUEEN_SOURCE_DIR} +
                 "/docs/examples/payments.sh http://127.0.0.1:" +
                 std::to_string(node.port());
  CHECK(std::system(command.c_str()) == 0);
}
