// SPDX-License-Identifier: Apache-2.0
#include "options/words.h"

#include <gmock/gmock.h>

namespace weft::options {
namespace {

TEST(Words, NearestWordForgivesASlipAndNotAGuess) {
  const std::vector<std::string> words = {"bob", "weave", "yadif", "bwdif"};
  EXPECT_EQ(nearest_word("bwdfi", words), "bwdif");
  EXPECT_EQ(nearest_word("BWDIF", words), "bwdif");
  EXPECT_EQ(nearest_word("yadiff", words), "yadif");
  EXPECT_EQ(nearest_word("weav", words), "weave");
  EXPECT_EQ(nearest_word("nnedi3", words), "");
  EXPECT_EQ(nearest_word("", words), "");
  EXPECT_EQ(nearest_word(std::string(100000, 'b'), words), "");
  EXPECT_EQ(nearest_word("x", {"y"}), "");
}

TEST(Words, DidYouMeanIsEmptyWithoutANearWord) {
  EXPECT_EQ(did_you_mean("encodr", {"encoder", "decoder"}), "; did you mean 'encoder'?");
  EXPECT_EQ(did_you_mean("zzz", {"encoder"}), "");
}

TEST(Words, JoinOr) {
  EXPECT_EQ(join_or({}), "");
  EXPECT_EQ(join_or({"a"}), "a");
  EXPECT_EQ(join_or({"a", "b"}), "a or b");
  EXPECT_EQ(join_or({"a", "b", "c"}), "a, b or c");
}

TEST(Words, OneIsNoPlural) {
  EXPECT_EQ(format_count(0, "frame"), "0 frames");
  EXPECT_EQ(format_count(1, "frame"), "1 frame");
  EXPECT_EQ(format_count(2, "frame"), "2 frames");
}

TEST(Words, Utf8) {
  EXPECT_TRUE(is_utf8("plain"));
  EXPECT_TRUE(is_utf8("映像.ts"));
  EXPECT_TRUE(is_utf8("\xf0\x9f\x8e\xac"));
  EXPECT_FALSE(is_utf8("\xff"));
  EXPECT_FALSE(is_utf8("a\xc3"));             // incomplete sequence
  EXPECT_FALSE(is_utf8("\xc0\x80"));          // overlong sequence
  EXPECT_FALSE(is_utf8("\xed\xa0\x80"));      // half a surrogate pair
  EXPECT_FALSE(is_utf8("\xf4\x90\x80\x80"));  // beyond the last code point
  EXPECT_FALSE(is_utf8("\xe6\x98 "));
}

}  // namespace
}  // namespace weft::options
