// The bytes of an answer: head and body in one buffer, so that answers to
// pipelined requests leave in one write.

#pragma once

#include "net/http/handlers/call.hpp"

#include <string>

namespace queen::net {

struct answer_shape {
  bool head_only = false; // HEAD: the length, not the body
  bool close = false;
  bool http_1_0 = false;
};

/// Appends `answer`. 204 and 304 have neither body nor Content-Length;
/// Content-Type is JSON unless a header of the answer says otherwise.
void append_response(std::string& out, const rendered& answer,
                     answer_shape shape);

} // namespace queen::net
