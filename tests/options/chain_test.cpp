// SPDX-License-Identifier: Apache-2.0
#include "options/chain.h"

#include <random>

#include <gmock/gmock.h>
#include <google/protobuf/util/message_differencer.h>

#include "options/option.h"
#include "options/values.h"
#include "weft/test/types.pb.h"
#include "weft/v1/filters.pb.h"

namespace weft::options {
namespace {

using google::protobuf::util::MessageDifferencer;

// Tests the real filters in a chain of merge.
class Chains : public ::testing::Test {
 protected:
  const google::protobuf::FieldDescriptor& chain() const {
    return *v1::Merge::descriptor()->FindFieldByName("a");
  }
  Status parse(std::string_view text) { return parse_chain(text, merge_, chain()); }
  std::string print() const { return print_chain(merge_, chain()); }
  const auto& filters() const { return merge_.a(); }

  v1::Merge merge_;
};

TEST_F(Chains, FiltersFollowEachOther) {
  ASSERT_THAT(parse("bwdif,resize=1280x720:kernel=spline36, deband = threshold = 2 "), IsOk());
  ASSERT_EQ(filters().size(), 3);
  EXPECT_TRUE(filters()[0].has_bwdif());
  EXPECT_EQ(filters()[1].resize().size(), "1280x720");
  EXPECT_EQ(filters()[1].resize().kernel(), v1::RESIZE_KERNEL_SPLINE36);
  EXPECT_EQ(filters()[2].deband().threshold(), 2);
  EXPECT_EQ(print(), "bwdif,resize=1280x720:kernel=spline36,deband=threshold=2");
  ASSERT_THAT(parse(" "), IsOk());
  EXPECT_EQ(filters().size(), 0);
  EXPECT_EQ(print(), "");
}

TEST_F(Chains, UnderscoresAndDashesAreOne) {
  ASSERT_THAT(parse("temporal-nr=2,resize=size=8x8:chroma_position=top_left"), IsOk());
  EXPECT_EQ(print(), "temporal_nr=2,resize=8x8:chroma-position=top-left");
}

TEST_F(Chains, LabelsAreKeysInAnyCase) {
  ASSERT_THAT(parse("qtgmc=preset=fast:TR0=1:ThSAD1=500:ezkeepgrain=1,smdegrain=thSADC=90"), IsOk());
  EXPECT_EQ(print(), "qtgmc=fast:tr0=1:th-sad1=500:ez-keep-grain=1,smdegrain=chroma-threshold=90");
  EXPECT_THAT(parse("qtgmc=tr0=1:TR0=2"), testing::Not(IsOk()));
}

TEST_F(Chains, AValueMayBeAChain) {
  ASSERT_THAT(parse("merge=mask=edges:a='deband':b='edgelevel'"), IsOk());
  EXPECT_TRUE(filters()[0].merge().a(0).has_deband());
  EXPECT_TRUE(filters()[0].merge().b(0).has_edgelevel());
  EXPECT_EQ(print(), "merge=edges:a=deband:b=edgelevel");
  ASSERT_THAT(parse("merge=a='deband,resize=8x8\\:kernel=point',bob"), IsOk());
  ASSERT_EQ(filters().size(), 2);
  EXPECT_EQ(filters()[0].merge().a(1).resize().kernel(), v1::RESIZE_KERNEL_POINT);
}

TEST_F(Chains, MistakesShowTheirPlace) {
  const std::pair<const char*, const char*> cases[] = {
      {"bwdif,resise=1280x720",
       "There is no filter 'resise'; did you mean 'resize'?\n  bwdif,resise=1280x720\n        ^"},
      {"bwdif=rats=field",
       "The filter 'bwdif' has no option 'rats'; did you mean 'rate'?\n  bwdif=rats=field\n        ^"},
      {"bwdif=rate=fielt",
       "'rate' (fielt) is not one of the choices; did you mean 'field'? Use field or frame.\n  "
       "bwdif=rate=fielt\n         "
       "    ^"},
      {"deband=range=300", "(300) is above its limit (127)"},
      {"deband=300", "  deband=300\n         ^"},
      {"deband=25:2",
       "The value '2' has no key, which the first one alone may lack; give KEY=2.\n  deband=25:2\n           "
       " ^"},
      {"deband=range=2:range=3",
       "'range' is given twice; give it once.\n  deband=range=2:range=3\n                 ^"},
      {"bwdif,resize",
       "The filter 'resize' needs its option 'size'; give resize=size=WIDTHxHEIGHT.\n  bwdif,resize\n        "
       "      ^"},
      {"bwdif,", "missing behind the comma; add one, or remove the comma.\n  bwdif,\n        ^"},
      {",bwdif", "The name of a filter is missing here; give it.\n  ,bwdif\n  ^"},
      {"bwdif,=3", "The name of a filter is missing here"},
      {"deband=1:", "An option is missing behind the colon"},
      {"deband=:", "A value is missing here"},
      {"deband=range=", "'range' () is not a whole number"},
      {"deband='1", "The quote is not closed; add a ' at its end.\n  deband='1\n         ^"},
      {"deband=1\\", "The backslash escapes nothing"},
      {"[in]deband", "'[' is of graphs that have more"},
      {"deband;bob", "';' is of graphs that have more"},
  };
  for (const auto& [text, message] : cases)
    EXPECT_THAT(parse(text), StatusIs(StatusCode::kInvalidArgument, message)) << text;
}

TEST_F(Chains, MistakesInsideOfQuotesShowTheirPlaceToo) {
  EXPECT_THAT(parse("bob,merge=a='deband,reside=8x8'"), StatusIs(StatusCode::kInvalidArgument, "'reside'"));
  EXPECT_THAT(parse("merge=b='resize=8x8\\:kernel=pint'"),
              StatusIs(StatusCode::kInvalidArgument,
                       "\n  merge=b='resize=8x8\\:kernel=pint'\n                              ^"));
}

TEST_F(Chains, AMistakeLeavesTheChainAsItWas) {
  ASSERT_THAT(parse("bob"), IsOk());
  EXPECT_FALSE(parse("weave,nothing").ok());
  EXPECT_EQ(print(), "bob");
}

TEST_F(Chains, TheyAreNotEndless) {
  std::string text = "bob";
  for (int i = 1; i < kMostFilters; i++) text += ",bob";
  EXPECT_THAT(parse(text), IsOk());
  EXPECT_THAT(parse(text + ",bob"), StatusIs(StatusCode::kInvalidArgument, "too many filters (at most 64)"));
  EXPECT_THAT(parse("merge=a='bob," + text.substr(0, 4 * 16 - 1) + "'"),
              StatusIs(StatusCode::kInvalidArgument, "'a' has too many filters (17, at most 16)"));
  EXPECT_THAT(parse("merge=a=merge=a=merge=a=bob"), IsOk());
  EXPECT_THAT(parse("merge=a=merge=a=merge=a=merge=a=bob"),
              StatusIs(StatusCode::kInvalidArgument, "nested too deep here (at most 4 levels)"));
  EXPECT_THAT(parse(std::string(kMostChainBytes + 1, ' ')),
              StatusIs(StatusCode::kInvalidArgument, "too long"));
}

// Tests chains of the test's own filters with arbitrary texts.
class TestChains : public ::testing::Test {
 protected:
  const google::protobuf::FieldDescriptor& chain() const {
    return *test::Types::descriptor()->FindFieldByName("chain");
  }
  Status parse(std::string_view text) { return parse_chain(text, types_, chain()); }

  std::string random_text() {
    static constexpr std::string_view kAlphabet = "abx=:,;[]'\\ \t-_.1";
    std::string text;
    for (size_t length = random_() % 8; length > 0; length--) text += kAlphabet[random_() % kAlphabet.size()];
    return random_() % 10 == 0 ? text + "映" : text;
  }

  template <class Chain>
  void fill_chain(Chain& chain, int depth) {
    for (size_t count = random_() % 3; count > 0; count--) fill(*chain.Add(), depth);
  }

  void fill(test::AllFilter& all, int depth) {
    if (random_() % 2 == 0) all.set_loud(random_() % 2 == 0);
    if (random_() % 4 == 0) all.set_large(int64_t(random_()) - 1000);
    if (random_() % 4 == 0) all.set_exact(double(random_()) / 7);
    if (random_() % 4 == 0) all.set_colour_name(test::COLOUR_RED);
    if (random_() % 2 == 0) all.set_text(random_text());
    if (random_() % 4 == 0) (*all.mutable_pairs())["k" + std::to_string(random_() % 3)] = random_text();
    if (random_() % 4 == 0) all.add_words(random_text());
    if (random_() % 4 == 0) all.add_words(random_text());
    if (random_() % 4 == 0) all.mutable_inner()->set_ratio(0.25f);
    if (depth < kMostChainDepth && random_() % 2 == 0) fill_chain(*all.mutable_a(), depth + 1);
    if (depth < kMostChainDepth && random_() % 3 == 0) fill_chain(*all.mutable_b(), depth + 1);
  }

  void fill(test::TestFilter& filter, int depth) {
    switch (random_() % 4) {
      case 0:
        return fill(*filter.mutable_all(), depth);
      case 1:
        return filter.mutable_size_to()->set_size("s" + random_text());
      case 2:
        filter.mutable_chained();
        if (depth < kMostChainDepth) fill_chain(*filter.mutable_chained()->mutable_inside(), depth + 1);
        return;
      default:
        filter.mutable_bare();
        if (random_() % 2 == 0) filter.mutable_bare()->set_level(int32_t(random_() % 10));
    }
  }

  test::Types types_;
  std::mt19937 random_{7};
};

TEST_F(TestChains, WhatIsPrintedIsReadAsTheSameChain) {
  int read = 0;
  for (int i = 0; i < 4000; i++) {
    types_.Clear();
    fill_chain(*types_.mutable_chain(), 1);
    const test::Types wanted = types_;
    const ChainSize size = size_of_chain(wanted, chain());
    const std::string text = print_chain(wanted, chain());
    types_.Clear();
    const Status status = parse(text);
    if (!status.ok() && message_of(status).find("too many") != std::string::npos) continue;
    ASSERT_THAT(status, IsOk()) << text;
    ASSERT_TRUE(MessageDifferencer::Equals(types_, wanted)) << text << "\n"
                                                            << wanted.DebugString() << types_.DebugString();
    ASSERT_EQ(print_chain(types_, chain()), text);
    read += size.filters;
  }
  EXPECT_GT(read, 4000);
}

TEST_F(TestChains, TheFirstOptionNeedsNoKeyUnlessItLooksLikeOne) {
  ASSERT_THAT(parse("all=loud=yes:text=hello"), IsOk());
  EXPECT_EQ(print_chain(types_, chain()), "all=hello:loud=true");
  ASSERT_THAT(parse("all=text=a=b,chained=bare"), IsOk());
  EXPECT_EQ(types_.chain(0).all().text(), "a=b");
  EXPECT_EQ(print_chain(types_, chain()), "all=text=a=b,chained=bare");
  EXPECT_THAT(
      parse("bare=3"),
      StatusIs(StatusCode::kInvalidArgument,
               "The filter 'bare' takes no value without a key ('3'); give KEY=3.\n  bare=3\n       ^"));
}

TEST_F(TestChains, EntriesOfMapsAndRepeatedOptionsAreGivenOneByOne) {
  ASSERT_THAT(parse("all=pair=a=1:pair=b=2:word=x:word=y:word=x"), IsOk());
  EXPECT_EQ(types_.chain(0).all().pairs().at("b"), "2");
  EXPECT_EQ(types_.chain(0).all().words_size(), 3);
}

TEST_F(TestChains, NoShorterTextMeansTheSame) {
  // A text that lacks one byte of the canonical one is an error or another chain.
  for (const char* given :
       {"all='a\\:b':loud=true:word=x", "size_to=' s '", "bare=level=3,chained='bare,bare'"}) {
    ASSERT_THAT(parse(given), IsOk()) << given;
    const test::Types wanted = types_;
    const std::string text = print_chain(wanted, chain());
    for (size_t i = 0; i < text.size(); i++) {
      std::string shorter = text;
      shorter.erase(i, 1);
      EXPECT_TRUE(!parse(shorter).ok() || !MessageDifferencer::Equals(types_, wanted)) << shorter;
    }
  }
}

TEST_F(TestChains, TheyAreValuesOfOptions) {
  const Option option = find_option(test::Types::descriptor(), "chain").value();
  EXPECT_EQ(option.type(), ValueType::kChain);
  EXPECT_FALSE(option.is_repeated());
  ASSERT_THAT(set_from_text(types_, option, "bare=level=3,all"), IsOk());
  EXPECT_EQ(format_value(types_, option), "bare=level=3,all");
  ASSERT_THAT(set_from_text(types_, option, "bare"), IsOk());  // replaces the value
  EXPECT_EQ(format_values(types_, option), std::vector<std::string>{"bare"});
  clear(types_, option);
  EXPECT_FALSE(is_set(types_, option));
}

TEST_F(TestChains, DefaultsReachIntoThemAndBack) {
  ASSERT_THAT(parse("all=b='all=colour-name=red',bare"), IsOk());
  apply_defaults(types_);
  EXPECT_TRUE(types_.chain(0).all().loud());
  // The default of the choice red applies, not that of the option.
  EXPECT_EQ(types_.chain(0).all().b(0).all().inner().ratio(), 0.25f);
  EXPECT_TRUE(is_default(types_, find_option(test::Types::descriptor(), "loud").value()));
  clear_defaults(types_);
  EXPECT_EQ(print_chain(types_, chain()), "all=b=all=colour-name=red,bare");
}

}  // namespace
}  // namespace weft::options
