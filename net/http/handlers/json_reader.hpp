// Reads a request body in one pass: the whole text is checked to be JSON in
// valid UTF-8, and only the outer structure is kept, as a flat list of nodes
// with their ranges in the body. Payloads are never decoded, never copied and
// never made into a tree: they stay slices of the bytes that arrived, so a
// number keeps its precision and `1e400` stays `1e400`. (RapidJSON's reader
// refuses that number, takes a NUL for the end of the text and decodes every
// string; the unit tests hold this one against it.)

#pragma once

#include "actors/domain/commands.hpp"
#include "actors/domain/ids.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace queen::net {

enum class json_kind : uint8_t { null, boolean, number, string, array, object };

/// "a string", "an array", ...: for messages.
std::string_view article_of(json_kind kind);

struct json_error {
  size_t offset = 0; // of the byte that cannot be there
  std::string_view what;
};

class json_value;

class json_document {
public:
  /// Containers are looked into when they are the root, an element of one that
  /// is looked into, or a member under a name that some route reads as a
  /// structure (`operations`, `items`, ...). All others are opaque.
  static std::variant<json_document, json_error>
  parse(std::shared_ptr<const std::string> body);

  json_value root() const;

private:
  friend class json_value;
  friend class json_scanner;

  struct node {
    uint32_t key_begin = 0, key_end = 0; // between the quotes; objects only
    uint32_t begin = 0, end = 0;         // the raw text
    uint32_t next = 0;                   // the node after this subtree
    json_kind kind = json_kind::null;
    bool key_escaped = false;
    bool escaped = false;
  };

  std::shared_ptr<const std::string> body_;
  std::vector<node> nodes_;
};

/// A place in a document; valid while the document is.
class json_value {
public:
  json_kind kind() const { return node().kind; }
  bool is(json_kind kind) const { return node().kind == kind; }

  /// The text as received, without surrounding white space.
  std::string_view raw() const;
  domain::slice raw_slice() const { return {document_->body_, raw()}; }

  /// The last member of that name, as JSON.parse would have it.
  std::optional<json_value> find(std::string_view name) const;

  /// The member's name; nullopt when it is no Unicode (a lone surrogate).
  std::optional<std::string> key() const;

  /// nullopt: no string, or no Unicode (a lone surrogate).
  std::optional<std::string> text() const;
  /// Lone surrogates become U+FFFD: for text that only people read.
  std::string text_lenient() const;

  /// nullopt: no number, not whole, or beyond what is exact.
  std::optional<int64_t> integer() const;
  /// nullopt: no number, or beyond a double.
  std::optional<domain::number> number() const;
  std::optional<bool> boolean() const;

  /// Members of an object, elements of an array.
  std::vector<json_value> children() const;

  /// Calls `visit(json_value)` for each child until it returns false.
  template <class Visit>
  bool each(Visit visit) const {
    uint32_t end = node().next;
    for (uint32_t i = index_ + 1; i < end; i = document_->nodes_[i].next)
      if (!visit(json_value{document_, i}))
        return false;
    return true;
  }

private:
  friend class json_document;
  json_value(const json_document* document, uint32_t index)
    : document_(document), index_(index) {}
  const json_document::node& node() const { return document_->nodes_[index_]; }
  bool key_is(std::string_view name) const;

  const json_document* document_;
  uint32_t index_;
};

/// The value as compact JSON: white space outside strings goes, everything
/// else stays as it is. Shares the body when there is none.
domain::slice compact(const domain::slice& json);

/// Whether the text is one JSON value.
bool is_json(std::string_view text);

} // namespace queen::net
