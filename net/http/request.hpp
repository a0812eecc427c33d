// A request as it arrived, and the parser that fills it from bytes.

#pragma once

#include "config/error.hpp"
#include "net/http/handlers/call.hpp"

#include <boost/beast/http/basic_parser.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace queen::net {

namespace beast = boost::beast;

struct http_request {
  std::string method;
  std::string target; // raw, as sent
  // Names in lower case.
  std::vector<std::pair<std::string, std::string>> headers;
  std::shared_ptr<const std::string> body;
  bool keep_alive = true;
  bool http_1_0 = false;

  std::string_view path() const {
    return std::string_view{target}.substr(0, target.find('?'));
  }
  std::string_view query() const {
    auto mark = target.find('?');
    return mark == std::string::npos
             ? std::string_view{}
             : std::string_view{target}.substr(mark + 1);
  }
  std::optional<std::string_view> header(std::string_view lower_name) const;
};

/// One request. Bytes that belong to the next one are not consumed.
class request_parser : public beast::http::basic_parser<true> {
public:
  request_parser(size_t header_bytes_max, uint64_t body_bytes_max);

  /// The whole request is here: take it.
  http_request take();
  bool wants_continue() const { return expects_ && !http_1_0(); }
  /// What has been read of it.
  const http_request& so_far() const { return request_; }
  /// The client was told to go on.
  void continued() { expects_ = false; }
  /// What a failed `put` means to the client.
  error refusal(const beast::error_code& why) const;

private:
  using code = beast::error_code;
  using text = beast::string_view;

  bool http_1_0() const { return request_.http_1_0; }
  void on_request_impl(beast::http::verb, text method, text target, int version,
                       code&) override;
  void on_response_impl(int, text, int, code&) override {}
  void on_field_impl(beast::http::field, text name, text value, code&) override;
  void on_header_impl(code&) override;
  void on_body_init_impl(const boost::optional<uint64_t>& length,
                         code&) override;
  size_t on_body_impl(text bytes, code&) override;
  void on_chunk_header_impl(uint64_t, text, code&) override {}
  size_t on_chunk_body_impl(uint64_t remain, text bytes, code&) override;
  void on_finish_impl(code&) override {}

  http_request request_;
  std::string body_;
  std::optional<errc> refused_;
  bool expects_ = false;
};

} // namespace queen::net
