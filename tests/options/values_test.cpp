// SPDX-License-Identifier: Apache-2.0
#include "options/values.h"

#include <gmock/gmock.h>

#include "weft/test/types.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::options {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class Values : public ::testing::Test {
 protected:
  Option option(std::string_view flag) { return find_option(test::Types::descriptor(), flag).value(); }
  Status set(std::string_view flag, std::string_view text) {
    return set_from_text(types_, option(flag), text);
  }
  std::string format(std::string_view flag) { return format_value(types_, option(flag)); }

  test::Types types_;
};

TEST_F(Values, EveryTypeGoesThereAndBack) {
  const std::pair<const char*, const char*> cases[] = {
      {"loud", "true"},     {"loud", "false"},
      {"small", "-5"},      {"large", "9223372036854775807"},
      {"natural", "9"},     {"huge", "18446744073709551615"},
      {"exact", "0.1"},     {"ratio", "0.25"},
      {"colour", "red"},    {"input", "/a b/映像.ts"},
      {"note", "12345678"},
  };
  for (const auto& [flag, text] : cases) {
    EXPECT_FALSE(format(flag) == text);
    ASSERT_THAT(set(flag, text), IsOk()) << flag;
    EXPECT_EQ(format(flag), text);
    EXPECT_TRUE(is_set(types_, option(flag)));
  }
  EXPECT_EQ(types_.inner().ratio(), 0.25f);
  EXPECT_EQ(types_.large(), INT64_MAX);
  EXPECT_EQ(types_.colour(), test::COLOUR_RED);
}

TEST_F(Values, BoolsHaveWords) {
  for (const char* word : {"yes", "on", "1"}) {
    ASSERT_THAT(set("loud", word), IsOk());
    EXPECT_TRUE(types_.loud());
  }
  for (const char* word : {"no", "off", "0"}) {
    ASSERT_THAT(set("loud", word), IsOk());
    EXPECT_FALSE(types_.loud());
    EXPECT_TRUE(types_.has_loud());
  }
  EXPECT_THAT(set("loud", "maybe"),
              StatusIs(StatusCode::kInvalidArgument, "'loud' (maybe) is neither true nor false"));
}

TEST_F(Values, ZeroIsAValueAndAbsentIsNone) {
  EXPECT_THAT(format_values(types_, option("small")), IsEmpty());
  ASSERT_THAT(set("small", "0"), IsOk());
  EXPECT_THAT(format_values(types_, option("small")), ElementsAre("0"));
  clear(types_, option("small"));
  EXPECT_FALSE(is_set(types_, option("small")));
}

TEST_F(Values, NumbersOutOfRangeNameTheValueAndTheLimit) {
  EXPECT_THAT(set("small", "6"),
              StatusIs(StatusCode::kInvalidArgument,
                       "'small' (6) is above its limit (5); give a smaller value (-5 to 5 frames)."));
  EXPECT_THAT(set("small", "-6"),
              StatusIs(StatusCode::kInvalidArgument, "'small' (-6) is below its limit (-5)"));
  EXPECT_THAT(set("small", "5000000000"), StatusIs(StatusCode::kInvalidArgument, "above its limit"));
  EXPECT_THAT(set("large", "99999999999999999999"), StatusIs(StatusCode::kInvalidArgument, "too large"));
  EXPECT_THAT(set("natural", "-1"), StatusIs(StatusCode::kInvalidArgument, "(at most 9)"));
  EXPECT_THAT(set("ratio", "1.01"), StatusIs(StatusCode::kInvalidArgument, "(0 to 1)"));
  EXPECT_FALSE(types_.has_small() || types_.has_large() || types_.has_natural() ||
               types_.inner().has_ratio());
}

TEST_F(Values, WhatIsNoNumberIsRefused) {
  for (const char* text : {"", "abc", "1.5", "0x10", "1 ", " 1", "1e3", "+", "+-1", "--1"})
    EXPECT_THAT(set("large", text), StatusIs(StatusCode::kInvalidArgument, "is not a whole number")) << text;
  for (const char* text : {"", "abc", "nan", "inf", "1,5", "1.5x"})
    EXPECT_THAT(set("exact", text), StatusIs(StatusCode::kInvalidArgument, "is not a number")) << text;
  EXPECT_THAT(set("large", "+7"), IsOk());
  EXPECT_EQ(types_.large(), 7);
  EXPECT_THAT(set("exact", "1e3"), IsOk());
  EXPECT_EQ(types_.exact(), 1000.0);
}

TEST_F(Values, UnknownChoicesNameTheNearestAndAll) {
  EXPECT_THAT(
      set("colour", "darkblue"),
      StatusIs(
          StatusCode::kInvalidArgument,
          "'colour' (darkblue) is not one of the choices; did you mean 'dark-blue'? Use red or dark-blue."));
  EXPECT_THAT(set("colour", "green"),
              StatusIs(StatusCode::kInvalidArgument, "is not one of the choices. Use red or dark-blue."));
  EXPECT_THAT(set("colour", "unspecified"), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(set("colour", "DARK_BLUE"), IsOk());
  EXPECT_EQ(types_.colour(), test::COLOUR_DARK_BLUE);
}

TEST_F(Values, TextIsBoundedValidAndWithoutNul) {
  EXPECT_THAT(set("note", "123456789"),
              StatusIs(StatusCode::kInvalidArgument, "'note' is too long (9 bytes, at most 8)"));
  EXPECT_THAT(set("note", std::string_view("a\0b", 3)), StatusIs(StatusCode::kInvalidArgument, "NUL"));
  EXPECT_THAT(set("note", "\xff"), StatusIs(StatusCode::kInvalidArgument, "UTF-8"));
  EXPECT_EQ(types_.inner().note(), "");
}

TEST_F(Values, MapsTakeKeyEqualsValue) {
  ASSERT_THAT(set("pair", "preset=slow"), IsOk());
  ASSERT_THAT(set("pair", "crf=18"), IsOk());
  ASSERT_THAT(set("pair", "x264-params=a=b"), IsOk());
  ASSERT_THAT(set("pair", "empty="), IsOk());
  ASSERT_THAT(set("pair", "preset=fast"), IsOk());
  EXPECT_THAT(format_values(types_, option("pair")),
              ElementsAre("crf=18", "empty=", "preset=fast", "x264-params=a=b"));
  EXPECT_EQ(types_.pairs().at("preset"), "fast");
  EXPECT_EQ(types_.pairs().size(), 4u);
  EXPECT_THAT(set("pair", "crf"), StatusIs(StatusCode::kInvalidArgument, "KEY=VALUE"));
  EXPECT_THAT(set("pair", "=18"), StatusIs(StatusCode::kInvalidArgument, "KEY=VALUE"));
  EXPECT_THAT(set("count", "a=x"), StatusIs(StatusCode::kInvalidArgument, "whole number"));
  ASSERT_THAT(set("count", "a=3"), IsOk());
  EXPECT_EQ(types_.counts().at("a"), 3);
}

TEST_F(Values, RepeatedOptionsGainEntriesUpToTheLimit) {
  ASSERT_THAT(set("word", "one"), IsOk());
  ASSERT_THAT(set("word", "two"), IsOk());
  ASSERT_THAT(set("paint", "red"), IsOk());
  EXPECT_THAT(format_values(types_, option("word")), ElementsAre("one", "two"));
  EXPECT_EQ(format("word"), "one, two");
  EXPECT_EQ(format("paint"), "red");
  for (int i = 2; i < kMaximumEntries; i++) ASSERT_THAT(set("word", "more"), IsOk());
  EXPECT_THAT(set("word", "more"), StatusIs(StatusCode::kInvalidArgument, "at most 256 times"));
}

TEST_F(Values, DefaultsFillOnlyWhatIsNotGiven) {
  types_.set_loud(false);
  types_.set_small(0);
  apply_defaults(types_);
  EXPECT_FALSE(types_.loud());
  EXPECT_EQ(types_.colour(), test::COLOUR_DARK_BLUE);
  EXPECT_EQ(types_.inner().ratio(), 0.5f);
  EXPECT_FALSE(types_.has_large());
  EXPECT_EQ(types_.shape_case(), test::Types::SHAPE_NOT_SET);
  types_.mutable_leaf();
  apply_defaults(types_);
  EXPECT_EQ(types_.leaf().depth(), 4);
  const std::string once = types_.SerializeAsString();
  apply_defaults(types_);
  EXPECT_EQ(types_.SerializeAsString(), once);
}

TEST_F(Values, AChoicesDefaultsGoBeforeTheOthersOwn) {
  types_.set_colour(test::COLOUR_RED);
  types_.mutable_inner()->set_note("mine");
  apply_defaults(types_);
  EXPECT_EQ(types_.inner().ratio(), 0.25f);
  EXPECT_EQ(types_.inner().note(), "mine");
  types_.Clear();
  apply_defaults(types_);
  EXPECT_EQ(types_.colour(), test::COLOUR_DARK_BLUE);
  EXPECT_EQ(types_.inner().ratio(), 0.5f);
}

TEST(JobValues, APresetIsWhatItSets) {
  v1::BloomOptions preset;
  preset.set_preset(v1::BLOOM_PRESET_STANDARD);
  preset.set_intensity(2);
  apply_defaults(preset);
  EXPECT_EQ(preset.method(), v1::BLOOM_METHOD_DUAL);
  EXPECT_EQ(preset.threshold(), 1);
  EXPECT_EQ(preset.intensity(), 2);
}

TEST(JobValues, WhatAPresetSetsIsNoChoiceOfItsOwn) {
  v1::BloomOptions bloom;
  bloom.set_preset(v1::BLOOM_PRESET_STANDARD);
  bloom.set_knee(0.5);
  bloom.set_threshold(0);
  apply_defaults(bloom);
  std::vector<std::string> chosen;
  for (const Option& option : options_of(bloom.GetDescriptor()))
    if (!is_default(bloom, option)) chosen.push_back(option.path());
  EXPECT_THAT(chosen, ElementsAre("preset", "threshold"));
}

TEST(JobValues, DefaultsOfAJob) {
  v1::JobSpec spec;
  apply_defaults(spec);
  EXPECT_EQ(spec.kind_case(), v1::JobSpec::KIND_NOT_SET);
  spec.mutable_video()->set_input("/in.ts");
  spec.mutable_video()->set_output("/out.mkv");
  spec.mutable_video()->add_filters()->mutable_yadif();
  spec.mutable_video()->add_filters()->mutable_bloom()->set_kernel("/kernel.exr");
  apply_defaults(spec);
  EXPECT_EQ(spec.video().filters(0).yadif().rate(), v1::OUTPUT_RATE_FIELD);
  EXPECT_TRUE(spec.video().filters(0).yadif().spatial_check());
  EXPECT_EQ(spec.video().encoding().segment_frames(), 600);
  EXPECT_THAT(paths_of(spec, v1::PATH_KIND_INPUT_FILE), ElementsAre("/in.ts", "/kernel.exr"));
  EXPECT_THAT(paths_of(spec, v1::PATH_KIND_OUTPUT_FILE), ElementsAre("/out.mkv"));
  clear_defaults(spec);
  EXPECT_FALSE(spec.video().encoding().has_segment_frames());
  EXPECT_FALSE(spec.video().filters(0).yadif().has_spatial_check());
  EXPECT_TRUE(spec.video().filters(0).has_yadif());
  v1::JobSettings settings;
  apply_defaults(settings);
  EXPECT_EQ(settings.job_class(), v1::JOB_CLASS_NORMAL);
  EXPECT_EQ(settings.max_attempts(), 3);
  EXPECT_TRUE(settings.has_priority());
}

}  // namespace
}  // namespace weft::options
