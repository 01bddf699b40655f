// SPDX-License-Identifier: Apache-2.0
#include "options/chain_text.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace weft::options {
namespace {

constexpr std::string_view kSpace = " \t\r\n";
constexpr size_t kShownBytes = 100;  // bytes of a longer chain that are shown around the error

bool is_space(char c) { return kSpace.find(c) != std::string_view::npos; }

bool is_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// Lengths of the shortest protected text from byte i on, outside and inside quotes, and whether a
// quote begins or ends before byte i.
struct Cost {
  std::array<size_t, 2> length{};
  std::array<bool, 2> toggles{};
  bool is_special = false;  // true if the byte needs a backslash outside quotes
};

constexpr size_t kImpossible = size_t(1) << 40;

std::vector<Cost> costs_of(std::string_view text, std::string_view specials) {
  std::vector<Cost> costs(text.size() + 1);
  costs.back() = {{0, 1}, {false, true}, false};
  for (size_t i = text.size(); i-- > 0;) {
    Cost& cost = costs[i];
    const bool is_edge = (i == 0 || i + 1 == text.size()) && is_space(text[i]);
    cost.is_special =
        text[i] == '\\' || text[i] == '\'' || is_edge || specials.find(text[i]) != std::string_view::npos;
    const size_t outside = costs[i + 1].length[0] + (cost.is_special ? 2 : 1);
    const size_t inside = text[i] == '\'' ? kImpossible : costs[i + 1].length[1] + 1;
    cost.toggles = {inside + 1 <= outside, outside + 1 < inside};
    cost.length = {cost.toggles[0] ? inside + 1 : outside, cost.toggles[1] ? outside + 1 : inside};
  }
  return costs;
}

}  // namespace

LocatedText LocatedText::of(std::string_view text) {
  LocatedText result;
  result.text = text;
  for (size_t i = 0; i <= text.size(); i++) result.positions.push_back(i);
  return result;
}

void TokenReader::skip_space() {
  while (!at_end() && is_space(next())) skip();
}

void TokenReader::take_quoted(LocatedText& token) {
  const size_t open = position();
  for (skip(); !at_end() && next() != '\''; skip()) {
    token.text += next();
    token.positions.push_back(position());
  }
  if (!at_end()) return skip();
  if (!mistake_) mistake_ = {open, "The quote is not closed; add a ' at its end."};
}

LocatedText TokenReader::take(std::string_view ends) {
  LocatedText token;
  size_t kept = 0;  // length without trailing white space
  skip_space();
  while (!at_end() && ends.find(next()) == std::string_view::npos) {
    const char c = next();
    if (c == '\'') {
      take_quoted(token);
    } else {
      token.positions.push_back(position());
      if (c == '\\') skip();
      if (at_end()) {
        if (!mistake_)
          mistake_ = {token.positions.back(), "The backslash escapes nothing; leave it out, or double it."};
        token.positions.pop_back();
        break;
      }
      token.text += next();
      skip();
      if (c != '\\' && is_space(c)) continue;
    }
    kept = token.text.size();
  }
  token.positions.push_back(position());
  token.text.resize(kept);
  token.positions.resize(kept + 1);
  return token;
}

std::optional<LocatedText> TokenReader::take_key() {
  LocatedText key;
  const size_t before = at_;
  skip_space();
  for (; !at_end() && is_key(next()); skip()) {
    key.text += next();
    key.positions.push_back(position());
  }
  key.positions.push_back(position());
  skip_space();
  if (!key.text.empty() && !at_end() && next() == '=') {
    skip();
    return key;
  }
  at_ = before;
  return std::nullopt;
}

std::string protect(std::string_view text, std::string_view specials) {
  const std::vector<Cost> costs = costs_of(text, specials);
  std::string result;
  bool is_quoted = false;
  for (size_t i = 0; i <= text.size(); i++) {
    if (costs[i].toggles[is_quoted]) {
      result += '\'';
      is_quoted = !is_quoted;
    }
    if (i == text.size()) break;
    if (costs[i].is_special && !is_quoted) result += '\\';
    result += text[i];
  }
  return result;
}

std::string show_mistake(std::string_view text, const Mistake& mistake) {
  const size_t position = std::min(mistake.position, text.size());
  size_t begin = position > kShownBytes / 2 && text.size() > kShownBytes ? position - kShownBytes / 2 : 0;
  while (begin > 0 && !begins_character(text[begin])) begin--;
  size_t end = std::min(text.size(), begin + kShownBytes);
  while (end < text.size() && !begins_character(text[end])) end++;
  std::string shown = begin > 0 ? "..." : "";
  std::string below(shown.size(), ' ');
  for (size_t i = begin; i < end; i++) {
    shown += static_cast<unsigned char>(text[i]) < ' ' ? ' ' : text[i];
    if (i < position && begins_character(text[i])) below += ' ';
  }
  return fmt::format("{}\n  {}{}\n  {}^", mistake.what, shown, end < text.size() ? "..." : "", below);
}

}  // namespace weft::options
