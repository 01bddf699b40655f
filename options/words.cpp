// SPDX-License-Identifier: Apache-2.0
#include "options/words.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

namespace weft::options {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
  return result;
}

// Damerau-Levenshtein distance in its "optimal string alignment" form, three rows at a time.
size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) last[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

constexpr size_t kLongestWord = 64;  // a longer text is not treated as a misspelt word

std::string join(const std::vector<std::string>& words, std::string_view last) {
  std::string result;
  for (size_t i = 0; i < words.size(); i++) {
    if (i > 0) result += i + 1 == words.size() ? last : ", ";
    result += words[i];
  }
  return result;
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return "";
  const std::string wanted = lower(word);
  const std::string* best = nullptr;
  size_t best_distance = 0;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(wanted, lower(candidate));
    const size_t allowed = std::max<size_t>(1, std::max(word.size(), candidate.size()) / 3);
    if (distance > allowed || distance >= candidate.size()) continue;
    if (best != nullptr && distance >= best_distance) continue;
    best = &candidate;
    best_distance = distance;
  }
  return best == nullptr ? "" : *best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest_word(word, candidates);
  return near.empty() ? "" : fmt::format("; did you mean '{}'?", near);
}

std::string join_or(const std::vector<std::string>& words) { return join(words, " or "); }

std::string join_and(const std::vector<std::string>& words) { return join(words, " and "); }

std::string format_count(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

bool is_utf8(std::string_view text) {
  static constexpr uint32_t kSmallest[] = {0, 0x80, 0x800, 0x10000};
  for (size_t i = 0; i < text.size();) {
    const auto first = uint8_t(text[i]);
    const int following = first < 0x80       ? 0
                          : first >> 5 == 6  ? 1
                          : first >> 4 == 14 ? 2
                          : first >> 3 == 30 ? 3
                                             : -1;
    if (following < 0 || i + size_t(following) >= text.size()) return false;
    uint32_t code = following == 0 ? first : first & (0x3fu >> following);
    for (int k = 1; k <= following; k++) {
      const auto next = uint8_t(text[i + size_t(k)]);
      if (next >> 6 != 2) return false;
      code = code << 6 | (next & 0x3fu);
    }
    if (code < kSmallest[following] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return false;
    i += size_t(following) + 1;
  }
  return true;
}

}  // namespace weft::options
