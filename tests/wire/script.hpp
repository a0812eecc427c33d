// Golden wire tests are scripts: requests, and the answers that they must get.
//
//   # a comment
//   env QUEEN_KV_MAX_VALUE_BYTES=100     before the first case: of the broker
//   == the first push creates the queue  begins a case
//   > POST /api/v1/push                  a request; `\xNN` is a byte
//   > Idempotency-Key: a                 its headers, each with a `>`
//   {"items":[]}                         its body, until the `<`
//   < 201                                the status that it must get
//   < Retry-After: 1                     headers that it must have
//   []                                   the JSON that it must get, all of it
//
// In expected JSON a string "<int>", "<uuid>", "<time>", "<text>" or "<any>"
// stands for any value of the kind; "<int:x>" also keeps it as $x for what
// follows in the script; "~QDUP" is a string that begins so; a member "..." of
// an object allows members that are not listed. $name in a request or an
// expectation is what was kept. `repeat(N,text)` in a request is the text N
// times.

#pragma once

#include <map>
#include <string>
#include <vector>

namespace queen::test {

struct exchange {
  size_t line = 0; // of its request
  std::string method, path, headers, body;
  int status = 0;
  std::map<std::string, std::string> must_have; // names in lower case
  std::string expected;                         // empty: no body at all
};

struct wire_case {
  std::string name;
  std::vector<exchange> exchanges;
};

struct wire_script {
  std::map<std::string, std::string> environment;
  std::vector<wire_case> cases;
};

/// Ends the test when the file is no script.
wire_script read_script(const std::string& path);

using kept_values = std::map<std::string, std::string>;

std::string with_values(const std::string& text, const kept_values& kept);

/// What of `got` is not as `expected` says; empty when all is. Keeps what the
/// expectation names.
std::string difference(const std::string& expected, const std::string& got,
                       kept_values& kept);

} // namespace queen::test
