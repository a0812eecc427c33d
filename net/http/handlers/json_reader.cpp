#include "net/http/handlers/json_reader.hpp"

#include "net/http/handlers/json_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

namespace queen::net {

namespace {

// Nobody sends deeper structures on purpose, and what the broker stores must
// be readable by parsers that recurse.
constexpr size_t depth_max = 512;
// A node costs 24 bytes: a body of 64 MB made of `1,1,1` cannot take a
// gigabyte.
constexpr size_t nodes_max = 4'000'000;

constexpr std::array<std::string_view, 9> structures{
  "operations",      "items",   "kv",   "timers", "requiredLeases",
  "acknowledgments", "options", "keys", "entries"};

bool is_structure(std::string_view name) {
  return std::find(structures.begin(), structures.end(), name) !=
         structures.end();
}

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace

std::string_view article_of(json_kind kind) {
  switch (kind) {
  case json_kind::null:
    return "null";
  case json_kind::boolean:
    return "a boolean";
  case json_kind::number:
    return "a number";
  case json_kind::string:
    return "a string";
  case json_kind::array:
    return "an array";
  case json_kind::object:
    return "an object";
  }
  return "";
}

/// Walks the text once with its own stack, so depth costs no recursion. The
/// text ends in a NUL (std::string promises it), which stops every loop.
class json_scanner {
public:
  json_scanner(std::string_view text, json_document* document)
    : begin_(text.data()), end_(begin_ + text.size()), at_(begin_),
      document_(document) {}

  bool run() {
    do {
      space();
      if (!value() || !after_value())
        return false;
    } while (!frames_.empty());
    space();
    return at_ == end_ || fail("text after the end of the value");
  }

  json_error error() const {
    return {static_cast<size_t>(at_ - begin_),
            at_ >= end_ ? std::string_view{"unexpected end"} : what_};
  }

private:
  static constexpr uint32_t no_node = UINT32_MAX;

  struct frame {
    bool object;
    bool open;     // children are recorded
    uint32_t node; // no_node: not recorded itself
  };

  bool fail(std::string_view what) {
    what_ = what;
    return false;
  }

  void space() {
    while (is_space(*at_))
      ++at_;
  }

  uint32_t position() const { return static_cast<uint32_t>(at_ - begin_); }

  uint32_t record(json_kind kind) {
    if (!document_ || (!frames_.empty() && !frames_.back().open))
      return no_node;
    json_document::node node;
    node.kind = kind;
    node.begin = position();
    if (!frames_.empty() && frames_.back().object) {
      node.key_begin = key_begin_;
      node.key_end = key_end_;
      node.key_escaped = key_escaped_;
    }
    document_->nodes_.push_back(node);
    return static_cast<uint32_t>(document_->nodes_.size() - 1);
  }

  void close(uint32_t node) {
    if (node == no_node)
      return;
    document_->nodes_[node].end = position();
    document_->nodes_[node].next =
      static_cast<uint32_t>(document_->nodes_.size());
  }

  /// Scans a scalar, or enters a container (entered_ is set and no value has
  /// ended yet).
  bool value() {
    entered_ = false;
    if (document_ && document_->nodes_.size() >= nodes_max)
      return fail("too many values");
    switch (*at_) {
    case '{':
      return enter(json_kind::object);
    case '[':
      return enter(json_kind::array);
    case '"': {
      uint32_t node = record(json_kind::string);
      bool escaped = false;
      if (!string(escaped))
        return false;
      if (node != no_node)
        document_->nodes_[node].escaped = escaped;
      close(node);
      return true;
    }
    case 't':
      return word("true", json_kind::boolean);
    case 'f':
      return word("false", json_kind::boolean);
    case 'n':
      return word("null", json_kind::null);
    default:
      return number();
    }
  }

  bool enter(json_kind kind) {
    if (frames_.size() == depth_max)
      return fail("nested too deep");
    bool object = kind == json_kind::object;
    bool open = opens();
    uint32_t node = record(kind);
    frames_.push_back({object, open && node != no_node, node});
    ++at_;
    space();
    if (*at_ == (object ? '}' : ']'))
      return true; // after_value closes it
    entered_ = true;
    return !object || key();
  }

  bool opens() const {
    if (!document_)
      return false;
    if (frames_.empty())
      return true;
    const frame& parent = frames_.back();
    if (!parent.open || !parent.object)
      return parent.open;
    std::string_view raw{begin_ + key_begin_, key_end_ - key_begin_};
    if (!key_escaped_)
      return is_structure(raw);
    auto name = unescape(raw);
    return name && is_structure(*name);
  }

  /// From behind a value to before the next one, over all that closes.
  bool after_value() {
    if (entered_)
      return true;
    while (!frames_.empty()) {
      space();
      frame& top = frames_.back();
      char closing = top.object ? '}' : ']';
      if (*at_ == closing) {
        ++at_;
        close(top.node);
        frames_.pop_back();
        continue;
      }
      if (*at_ != ',')
        return fail(top.object ? "expected ',' or '}'" : "expected ',' or ']'");
      ++at_;
      if (!top.object)
        return true;
      space();
      return key();
    }
    return true;
  }

  bool key() {
    if (*at_ != '"')
      return fail("expected a member name");
    key_begin_ = position() + 1;
    if (!string(key_escaped_))
      return false;
    key_end_ = position() - 1;
    space();
    if (*at_ != ':')
      return fail("expected ':'");
    ++at_;
    return true;
  }

  bool word(std::string_view text, json_kind kind) {
    uint32_t node = record(kind);
    for (char c : text) {
      if (*at_ != c)
        return fail("invalid value");
      ++at_;
    }
    close(node);
    return true;
  }

  bool number() {
    if (*at_ != '-' && !is_digit(*at_))
      return fail("invalid value");
    uint32_t node = record(json_kind::number);
    if (*at_ == '-')
      ++at_;
    if (!is_digit(*at_))
      return fail("invalid number");
    if (*at_ == '0')
      ++at_;
    else
      digits();
    if (*at_ == '.') {
      ++at_;
      if (!digits())
        return fail("invalid number");
    }
    if (*at_ == 'e' || *at_ == 'E') {
      ++at_;
      if (*at_ == '+' || *at_ == '-')
        ++at_;
      if (!digits())
        return fail("invalid number");
    }
    close(node);
    return true;
  }

  bool digits() {
    if (!is_digit(*at_))
      return false;
    while (is_digit(*at_))
      ++at_;
    return true;
  }

  /// From the opening quote to behind the closing one.
  bool string(bool& escaped) {
    escaped = false;
    ++at_;
    for (;;) {
      at_ += plain_prefix(at_, end_);
      auto c = static_cast<unsigned char>(*at_);
      if (c == '"') {
        ++at_;
        return true;
      }
      if (c == '\\') {
        escaped = true;
        if (!escape())
          return false;
      } else if (c < 0x20) {
        return fail("control character in a string");
      } else {
        size_t length = utf8_length(at_, end_);
        if (length == 0)
          return fail("invalid UTF-8");
        at_ += length;
      }
    }
  }

  bool escape() {
    ++at_;
    switch (*at_) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      ++at_;
      return true;
    case 'u':
      ++at_;
      for (int i = 0; i < 4; ++i, ++at_)
        if (hex_digit(*at_) < 0)
          return fail("invalid \\u escape");
      return true;
    default:
      return fail("invalid escape");
    }
  }

  const char* begin_;
  const char* end_;
  const char* at_;
  json_document* document_; // null: only the check
  std::vector<frame> frames_;
  uint32_t key_begin_ = 0, key_end_ = 0;
  bool key_escaped_ = false;
  bool entered_ = false;
  std::string_view what_;
};

std::variant<json_document, json_error>
json_document::parse(std::shared_ptr<const std::string> body) {
  json_document document;
  document.body_ = std::move(body);
  if (document.body_->size() >= UINT32_MAX)
    return json_error{0, "body too large"};
  document.nodes_.reserve(std::min<size_t>(64, document.body_->size()));
  json_scanner scanner{*document.body_, &document};
  if (!scanner.run())
    return scanner.error();
  return document;
}

json_value json_document::root() const {
  return {this, 0};
}

std::string_view json_value::raw() const {
  const auto& n = node();
  return std::string_view{*document_->body_}.substr(n.begin, n.end - n.begin);
}

bool json_value::key_is(std::string_view name) const {
  const auto& n = node();
  auto raw = std::string_view{*document_->body_}.substr(
    n.key_begin, n.key_end - n.key_begin);
  if (!n.key_escaped)
    return raw == name;
  auto decoded = unescape(raw);
  return decoded && *decoded == name;
}

std::optional<json_value> json_value::find(std::string_view name) const {
  std::optional<json_value> found;
  if (is(json_kind::object))
    each([&](json_value member) {
      if (member.key_is(name))
        found = member;
      return true;
    });
  return found;
}

std::optional<std::string> json_value::key() const {
  const auto& n = node();
  auto raw = std::string_view{*document_->body_}.substr(
    n.key_begin, n.key_end - n.key_begin);
  return n.key_escaped ? unescape(raw) : std::string{raw};
}

std::optional<std::string> json_value::text() const {
  if (!is(json_kind::string))
    return std::nullopt;
  auto quoted = raw();
  auto inner = quoted.substr(1, quoted.size() - 2);
  return node().escaped ? unescape(inner) : std::string{inner};
}

std::string json_value::text_lenient() const {
  if (!is(json_kind::string))
    return {};
  auto quoted = raw();
  return unescape_lenient(quoted.substr(1, quoted.size() - 2));
}

std::optional<int64_t> json_value::integer() const {
  auto n = number();
  if (!n)
    return std::nullopt;
  if (n->integral)
    return n->whole;
  // 60.0 and 6e1 are whole as well, as far as a double is exact.
  constexpr double exact = 9007199254740992.0;
  if (n->real != std::floor(n->real) || std::fabs(n->real) > exact)
    return std::nullopt;
  return static_cast<int64_t>(n->real);
}

std::optional<domain::number> json_value::number() const {
  if (!is(json_kind::number))
    return std::nullopt;
  auto digits = raw();
  domain::number n;
  const char* end = digits.data() + digits.size();
  if (digits.find_first_of(".eE") == std::string_view::npos) {
    auto [stop, code] = std::from_chars(digits.data(), end, n.whole);
    if (code == std::errc{} && stop == end)
      return n;
  }
  n.integral = false;
  n.whole = 0;
  auto [stop, code] = std::from_chars(digits.data(), end, n.real);
  if (code == std::errc::result_out_of_range) {
    // Too small is zero, too large is refused; from_chars tells them not apart.
    double magnitude = std::strtod(std::string{digits}.c_str(), nullptr);
    if (std::fabs(magnitude) > 1)
      return std::nullopt;
    n.real = magnitude;
  }
  return n;
}

std::optional<bool> json_value::boolean() const {
  if (!is(json_kind::boolean))
    return std::nullopt;
  return raw() == "true";
}

std::vector<json_value> json_value::children() const {
  std::vector<json_value> all;
  each([&](json_value child) {
    all.push_back(child);
    return true;
  });
  return all;
}

domain::slice compact(const domain::slice& json) {
  bool quoted = false;
  size_t kept = 0;
  std::string out;
  auto text = json.view;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (quoted) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (is_space(c)) {
      out.append(text.substr(kept, i - kept));
      kept = i + 1;
    }
  }
  if (kept == 0)
    return json;
  out.append(text.substr(kept));
  return domain::slice::own(std::move(out));
}

bool is_json(std::string_view text) {
  std::string terminated{text};
  return json_scanner{terminated, nullptr}.run();
}

} // namespace queen::net
