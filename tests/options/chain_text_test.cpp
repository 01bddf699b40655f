// SPDX-License-Identifier: Apache-2.0
#include "options/chain_text.h"

#include <random>

#include <gmock/gmock.h>

namespace weft::options {
namespace {

using ::testing::ElementsAre;

std::string take(std::string_view text, std::string_view ends) {
  const LocatedText source = LocatedText::of(text);
  return TokenReader(source).take(ends).text;
}

TEST(ChainText, TokensEndAtSeparatorsThatAreNotQuoted) {
  EXPECT_EQ(take("a,b", ","), "a");
  EXPECT_EQ(take("'a,b',c", ","), "a,b");
  EXPECT_EQ(take("a\\,b,c", ","), "a,b");
  EXPECT_EQ(take("x'a\\b'y", ","), "xa\\by");
  EXPECT_EQ(take("\\'a\\\\", ","), "'a\\");
  EXPECT_EQ(take("", ","), "");
}

TEST(ChainText, WhiteSpaceAroundATokenDoesNotCount) {
  EXPECT_EQ(take("  a b \t,c", ","), "a b");
  EXPECT_EQ(take(" ' a ' ,", ","), " a ");
  EXPECT_EQ(take("a\\  ,", ","), "a ");
}

TEST(ChainText, EveryByteKnowsItsPlace) {
  const LocatedText source = LocatedText::of(" 'a,'\\b ,c");
  TokenReader reader(source);
  const LocatedText token = reader.take(",");
  EXPECT_EQ(token.text, "a,b");
  EXPECT_THAT(token.positions, ElementsAre(2, 3, 5, 7));
  EXPECT_EQ(reader.position(), 8u);
}

TEST(ChainText, OpenQuotesAndLonelyBackslashesAreMistakes) {
  const LocatedText open = LocatedText::of("ab'cd");
  TokenReader quoted(open);
  EXPECT_EQ(quoted.take(",").text, "abcd");
  ASSERT_TRUE(quoted.mistake());
  EXPECT_EQ(quoted.mistake()->position, 2u);
  const LocatedText lonely = LocatedText::of("ab\\");
  TokenReader escaped(lonely);
  EXPECT_EQ(escaped.take(",").text, "ab");
  ASSERT_TRUE(escaped.mistake());
  EXPECT_EQ(escaped.mistake()->position, 2u);
}

TEST(ChainText, KeysStandBeforeAnEqualsSign) {
  const LocatedText source = LocatedText::of(" chroma_position = left");
  TokenReader reader(source);
  EXPECT_EQ(reader.take_key()->text, "chroma_position");
  EXPECT_EQ(reader.take(":").text, "left");
  for (const char* text : {"1280x720", "=3", "'a'=3", "a\\=3", ""}) {
    const LocatedText none = LocatedText::of(text);
    EXPECT_FALSE(TokenReader(none).take_key()) << text;
  }
}

TEST(ChainText, WhatIsProtectedIsShort) {
  EXPECT_EQ(protect("1280x720", ":"), "1280x720");
  EXPECT_EQ(protect("a:b", ":"), "a\\:b");
  EXPECT_EQ(protect("a:b:c", ":"), "'a:b:c'");  // quotes are as short as two backslashes
  EXPECT_EQ(protect("::::'", ":"), "'::::'\\'");
  EXPECT_EQ(protect(" a ", ":"), "' a '");
  EXPECT_EQ(protect("a b", ":"), "a b");
  EXPECT_EQ(protect("", ":"), "");
}

TEST(ChainText, WhatIsProtectedIsReadAsItWas) {
  std::mt19937 random(1);
  const std::string_view alphabet = "ab \\',:;[]=\t";
  for (int i = 0; i < 20000; i++) {
    std::string text;
    for (size_t length = random() % 12; length > 0; length--) text += alphabet[random() % alphabet.size()];
    const std::string_view ends = i % 2 == 0 ? ":" : ",;[]";
    const std::string shown = protect(text, ends);
    const LocatedText source = LocatedText::of(shown);
    TokenReader reader(source);
    ASSERT_EQ(reader.take(ends).text, text) << shown;
    ASSERT_TRUE(reader.at_end() && !reader.mistake()) << shown;
  }
}

TEST(ChainText, AMistakeIsShownBelowItsCharacter) {
  EXPECT_EQ(show_mistake("ab,cd", {3, "No."}), "No.\n  ab,cd\n     ^");
  EXPECT_EQ(show_mistake("映像,cd", {7, "No."}), "No.\n  映像,cd\n     ^");
  const std::string shown =
      show_mistake(std::string(300, 'x') + "HERE" + std::string(300, 'y'), {300, "No."});
  const size_t line = shown.find("\n  ") + 3;
  const size_t caret = shown.find('^') - (shown.rfind("\n  ") + 3);
  EXPECT_EQ(shown.substr(line + caret, 4), "HERE");
  EXPECT_LT(shown.size(), 260u);
}

}  // namespace
}  // namespace weft::options
