// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace weft {
namespace {

constexpr uint32_t kInvalid = 0xffffffff;

struct CodePoint {
  uint32_t code;
  size_t bytes;
};

// Decodes the first character of `text` by RFC 3629: the shortest form only, no surrogates, at most
// U+10FFFF.
CodePoint first_of(std::string_view text) {
  const auto byte_at = [&](size_t at) { return uint32_t(uint8_t(text[at])); };
  const uint32_t lead = byte_at(0);
  if (lead < 0x80) return {lead, 1};
  const size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {kInvalid, 1};
  uint32_t code = lead & (0x7fu >> bytes);
  for (size_t i = 1; i < bytes; i++) {
    if ((byte_at(i) & 0xc0) != 0x80) return {kInvalid, 1};
    code = code << 6 | (byte_at(i) & 0x3f);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_character = code >= kLeast[bytes] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
  return is_character ? CodePoint{code, bytes} : CodePoint{kInvalid, 1};
}

bool is_hidden(uint32_t code) {
  const bool is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
  const bool turns_direction = code == 0x61c || code == 0x200e || code == 0x200f ||
                               (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
  const bool ends_line = code == 0x2028 || code == 0x2029;
  return is_control || turns_direction || ends_line;
}

std::string escape(uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    const CodePoint next = first_of(text);
    if (next.code == kInvalid)
      result += fmt::format("\\x{:02x}", uint8_t(text[0]));
    else if (next.code == '\\')
      result += "\\\\";
    else if (is_hidden(next.code))
      result += escape(next.code);
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return result;
}

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const CodePoint next = first_of(text);
    if (next.code == kInvalid)
      result += "\\ufffd";
    else if (is_hidden(next.code))
      result += fmt::format("\\u{:04x}", next.code);
    else if (next.code == '"' || next.code == '\\')
      result += fmt::format("\\{}", text[0]);
    else
      result += text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return result + '"';
}

std::string printable_lines(std::string_view text, std::string_view indent) {
  std::string result;
  while (true) {
    const size_t end = std::min(text.find('\n'), text.size());
    result += printable(text.substr(0, end));
    if (end == text.size()) return result;
    text.remove_prefix(end + 1);
    result += '\n';
    if (!text.starts_with(indent)) result += indent;
  }
}

}  // namespace weft
