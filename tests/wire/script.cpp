#include "tests/wire/script.hpp"

#include <catch2/catch.hpp>
#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <fstream>

namespace queen::test {

namespace {

using rapidjson::Value;

bool begins(const std::string& text, const char* with) {
  return text.rfind(with, 0) == 0;
}

// `\xNN` to the byte, repeat(N,text) to N times the text.
std::string expanded(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "\\x") == 0 && i + 4 <= text.size()) {
      out.push_back(
        static_cast<char>(std::stoi(text.substr(i + 2, 2), nullptr, 16)));
      i += 3;
    } else if (text.compare(i, 7, "repeat(") == 0) {
      auto comma = text.find(',', i);
      auto end = text.find(')', comma);
      auto count = std::stoul(text.substr(i + 7, comma - i - 7));
      for (size_t n = 0; n < count; ++n)
        out += text.substr(comma + 1, end - comma - 1);
      i = end;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

std::string text_of(const Value& v) {
  rapidjson::StringBuffer out;
  rapidjson::Writer<rapidjson::StringBuffer> writer{out};
  v.Accept(writer);
  return out.GetString();
}

bool is_of_kind(const std::string& kind, const Value& v) {
  auto shaped = [&](const char* shape) { // 0 a digit, x a hex digit
    if (!v.IsString() || v.GetStringLength() != std::string{shape}.size())
      return false;
    for (size_t i = 0; shape[i]; ++i) {
      char c = v.GetString()[i];
      bool good = shape[i] == '0'   ? c >= '0' && c <= '9'
                  : shape[i] == 'x' ? std::isxdigit(c) && !std::isupper(c)
                                    : c == shape[i];
      if (!good)
        return false;
    }
    return true;
  };
  if (kind == "any")
    return true;
  if (kind == "int")
    return v.IsInt64() || v.IsUint64();
  if (kind == "text")
    return v.IsString() && v.GetStringLength() > 0;
  if (kind == "digits")
    return v.IsString() && v.GetStringLength() > 0 &&
           std::string{v.GetString()}.find_first_not_of("0123456789") ==
             std::string::npos;
  if (kind == "uuid")
    return shaped("xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
  if (kind == "time")
    return shaped("0000-00-00T00:00:00.000000Z");
  FAIL("no such placeholder: <" << kind << ">");
  return false;
}

class comparison {
public:
  explicit comparison(kept_values& kept) : kept_(kept) {}

  std::string of(const Value& expected, const Value& got,
                 const std::string& at) {
    if (expected.IsString())
      return text(with_values(expected.GetString(), kept_), got, at);
    if (expected.IsObject() && got.IsObject())
      return object(expected, got, at);
    if (expected.IsArray() && got.IsArray()) {
      if (expected.Size() != got.Size())
        return differs(expected, got, at);
      for (rapidjson::SizeType i = 0; i < got.Size(); ++i)
        if (auto why =
              of(expected[i], got[i], at + "[" + std::to_string(i) + "]");
            !why.empty())
          return why;
      return {};
    }
    return text_of(expected) == text_of(got) ? "" : differs(expected, got, at);
  }

private:
  static std::string differs(const Value& expected, const Value& got,
                             const std::string& at) {
    return at + ": expected " + text_of(expected) + ", got " + text_of(got);
  }

  std::string text(const std::string& expected, const Value& got,
                   const std::string& at) {
    if (expected.size() > 2 && expected.front() == '<' &&
        expected.back() == '>') {
      auto kind = expected.substr(1, expected.size() - 2);
      std::string name;
      if (auto colon = kind.find(':'); colon != std::string::npos) {
        name = kind.substr(colon + 1);
        kind.resize(colon);
      }
      if (!is_of_kind(kind, got))
        return at + ": expected a " + kind + ", got " + text_of(got);
      if (!name.empty())
        kept_[name] = got.IsString() ? got.GetString() : text_of(got);
      return {};
    }
    bool same =
      got.IsString() &&
      (!expected.empty() && expected[0] == '~'
         ? begins(got.GetString(), expected.c_str() + 1)
         : expected == std::string{got.GetString(), got.GetStringLength()});
    return same ? ""
                : at + ": expected \"" + expected + "\", got " + text_of(got);
  }

  std::string object(const Value& expected, const Value& got,
                     const std::string& at) {
    bool open = false;
    for (auto& m : expected.GetObject()) {
      std::string name = m.name.GetString();
      if (name == "...") {
        open = true;
        continue;
      }
      auto there = got.FindMember(m.name);
      if (there == got.MemberEnd())
        return at + ": no member \"" + name + "\" in " + text_of(got);
      if (auto why = of(m.value, there->value, at + "." + name); !why.empty())
        return why;
    }
    if (!open)
      for (auto& m : got.GetObject())
        if (!expected.HasMember(m.name))
          return at + ": unexpected member \"" + m.name.GetString() + "\" in " +
                 text_of(got);
    return {};
  }

  kept_values& kept_;
};

} // namespace

wire_script read_script(const std::string& path) {
  std::ifstream in{path};
  INFO(path);
  REQUIRE(in.good());
  wire_script out;
  exchange* current = nullptr;
  bool answering = false;
  std::string line;
  for (size_t number = 1; std::getline(in, line); ++number) {
    if (line.empty() || begins(line, "#"))
      continue;
    if (begins(line, "env ")) {
      auto equals = line.find('=');
      out.environment[line.substr(4, equals - 4)] = line.substr(equals + 1);
    } else if (begins(line, "== ")) {
      out.cases.push_back({line.substr(3), {}});
      current = nullptr;
    } else if (begins(line, "> ")) {
      REQUIRE(!out.cases.empty());
      auto rest = expanded(line.substr(2));
      if (current && !answering) {
        current->headers += rest + "\r\n";
        continue;
      }
      current = &out.cases.back().exchanges.emplace_back();
      answering = false;
      current->line = number;
      auto space = rest.find(' ');
      current->method = rest.substr(0, space);
      current->path = rest.substr(space + 1);
    } else if (begins(line, "< ")) {
      REQUIRE(current);
      if (!answering) {
        current->status = std::stoi(line.substr(2));
        answering = true;
        continue;
      }
      auto colon = line.find(':');
      auto name = line.substr(2, colon - 2);
      std::transform(name.begin(), name.end(), name.begin(), ::tolower);
      current->must_have[name] = line.substr(colon + 2);
    } else if (answering) {
      current->expected += line + "\n";
    } else {
      INFO("line " << number << ": " << line);
      REQUIRE(current);
      current->body += expanded(line);
    }
  }
  return out;
}

std::string with_values(const std::string& text, const kept_values& kept) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '$') {
      size_t end = i + 1;
      while (end < text.size() && std::isalnum(text[end]))
        ++end;
      auto known = kept.find(text.substr(i + 1, end - i - 1));
      if (known != kept.end()) {
        out += known->second;
        i = end;
        continue;
      }
    }
    out.push_back(text[i++]);
  }
  return out;
}

std::string difference(const std::string& expected, const std::string& got,
                       kept_values& kept) {
  rapidjson::Document want, have;
  want.Parse(expected);
  if (want.HasParseError())
    return "the expectation is no JSON: " + expected;
  have.Parse(got);
  if (have.HasParseError())
    return "the answer is no JSON: " + got;
  return comparison{kept}.of(want, have, "answer");
}

} // namespace queen::test
