// SPDX-License-Identifier: Apache-2.0
// Formats words for messages: lists, counts and suggestions for misspelt words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::options {

// Returns the candidate nearest to `word` by edit distance (insertion, deletion, replacement, swap
// of neighbours; case is ignored). Returns "" if more than a third of the letters differ from every
// candidate.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

// Returns "; did you mean 'bwdif'?" if a candidate is near, else "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Returns the words as "bob, weave or yadif".
std::string join_or(const std::vector<std::string>& words);

// Returns the words as "bob, weave and yadif".
std::string join_and(const std::vector<std::string>& words);

// Returns a count with its noun: "1 frame", "12 frames".
std::string format_count(int64_t count, std::string_view noun);

// Returns true if the text is valid UTF-8, as protobuf strings require.
bool is_utf8(std::string_view text);

}  // namespace weft::options
