#include "net/http/request.hpp"

#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>

namespace queen::net {

namespace http = beast::http;

std::optional<std::string_view>
http_request::header(std::string_view lower_name) const {
  for (auto& [name, value] : headers)
    if (name == lower_name)
      return value;
  return std::nullopt;
}

request_parser::request_parser(size_t header_bytes_max,
                               uint64_t body_bytes_max) {
  eager(true);
  header_limit(static_cast<uint32_t>(header_bytes_max));
  body_limit(body_bytes_max);
}

http_request request_parser::take() {
  request_.keep_alive = keep_alive();
  request_.body = std::make_shared<const std::string>(std::move(body_));
  return std::move(request_);
}

void request_parser::on_request_impl(http::verb, text method, text target,
                                     int version, code&) {
  request_.method.assign(method.data(), method.size());
  request_.target.assign(target.data(), target.size());
  request_.http_1_0 = version < 11;
}

void request_parser::on_field_impl(http::field, text name, text value, code&) {
  std::string lower{name.data(), name.size()};
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  request_.headers.emplace_back(std::move(lower),
                                std::string{value.data(), value.size()});
}

void request_parser::on_header_impl(code& ec) {
  auto expect = request_.header("expect");
  auto coding = request_.header("transfer-encoding");
  if (expect &&
      !beast::iequals(text{expect->data(), expect->size()}, "100-continue"))
    refused_ = errc::expectation_failed;
  if (coding &&
      !beast::iequals(text{coding->data(), coding->size()}, "chunked"))
    refused_ = errc::not_implemented;
  expects_ = expect.has_value();
  if (refused_)
    ec = http::error::bad_value;
}

void request_parser::on_body_init_impl(const boost::optional<uint64_t>& length,
                                       code&) {
  // A length that is only claimed costs at most this much; longer bodies
  // grow as they arrive.
  if (length)
    body_.reserve(std::min<uint64_t>(*length, 1 << 20));
}

size_t request_parser::on_body_impl(text bytes, code&) {
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

size_t request_parser::on_chunk_body_impl(uint64_t, text bytes, code&) {
  body_.append(bytes.data(), bytes.size());
  return bytes.size();
}

error request_parser::refusal(const code& why) const {
  if (refused_)
    return {*refused_, {}};
  if (why == http::error::header_limit)
    return {errc::headers_too_large, {}};
  if (why == http::error::body_limit)
    return {errc::payload_too_large, "the body is over its ceiling"};
  return {errc::bad_request, "the request is not HTTP/1.1: " + why.message()};
}

} // namespace queen::net
