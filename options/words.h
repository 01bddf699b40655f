// SPDX-License-Identifier: Apache-2.0
// Words for messages: lists, counts, and the word that was probably meant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::options {

// The candidate nearest to `word` by edit distance (insert, delete, replace, swap of neighbours; capitals do not
// count), or "" when none is near enough to have been meant: at most a third of the letters may differ.
std::string nearest_word(std::string_view word, const std::vector<std::string>& candidates);

// "; did you mean 'bwdif'?" when a candidate is near, else "".
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// "bob, weave or yadif".
std::string join_or(const std::vector<std::string>& words);

// "bob, weave and yadif".
std::string join_and(const std::vector<std::string>& words);

// "1 frame", "12 frames".
std::string format_count(int64_t count, std::string_view noun);

// True when every byte belongs to a whole UTF-8 character: what protobuf text can hold.
bool is_utf8(std::string_view text);

}  // namespace weft::options
