#include "net/http/response.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>

namespace queen::net {

namespace beast = boost::beast;

void append_response(std::string& out, const rendered& answer,
                     answer_shape shape) {
  bool bodiless = answer.status == 204 || answer.status == 304;
  auto reason =
    beast::http::obsolete_reason(beast::http::int_to_status(answer.status));
  out.reserve(out.size() + 160 + answer.body.size());
  out += "HTTP/1.1 ";
  out += std::to_string(answer.status);
  out += ' ';
  out.append(reason.data(), reason.size());
  out += "\r\n";
  bool typed = bodiless;
  for (auto& [name, value] : answer.headers) {
    typed = typed || beast::iequals(name, "content-type");
    out += name;
    out += ": ";
    out += value;
    out += "\r\n";
  }
  if (!typed)
    out += "Content-Type: application/json\r\n";
  if (!bodiless) {
    out += "Content-Length: ";
    out += std::to_string(answer.body.size());
    out += "\r\n";
  }
  if (shape.close)
    out += "Connection: close\r\n";
  else if (shape.http_1_0)
    out += "Connection: keep-alive\r\n";
  out += "\r\n";
  if (!bodiless && !shape.head_only)
    out += answer.body;
}

} // namespace queen::net
