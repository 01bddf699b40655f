// SPDX-License-Identifier: Apache-2.0
#include "options/option.h"

#include <gmock/gmock.h>

#include "weft/test/types.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::options {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> flags_of(const google::protobuf::Descriptor* message) {
  std::vector<std::string> result;
  for (const Option& option : options_of(message)) result.push_back(option.flag());
  return result;
}

Option option_of(const google::protobuf::Descriptor* message, std::string_view flag) {
  return find_option(message, flag).value();
}

TEST(Option, FlattensMessagesInsideAndLeavesOneofsAndPlainFieldsOut) {
  EXPECT_THAT(flags_of(test::Types::descriptor()),
              ElementsAre("loud", "small", "large", "natural", "huge", "exact", "colour", "input", "pair",
                          "count", "word", "paint", "ratio", "note", "chain"));
}

TEST(Option, VideoHasTheFlagsThatPeopleType) {
  EXPECT_THAT(
      flags_of(v1::VideoJob::descriptor()),
      ElementsAre("input", "output", "filters", "from", "to", "decoder", "decoder-threads", "on-size-change",
                  "programme", "on-short-input", "encoder", "encoder-option", "encoder-threads",
                  "segment-frames", "unsupported-streams", "audio", "audio-stream", "subtitles"));
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "decoder").path(), "decoding.decoder");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "decoder").default_text(), "auto");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "output").short_flag(), "o");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "encoder-threads").label(), "Encoder threads");
}

TEST(Option, KnowsItsType) {
  const auto type = [](std::string_view flag) { return option_of(test::Types::descriptor(), flag).type(); };
  EXPECT_EQ(type("loud"), ValueType::kBool);
  EXPECT_EQ(type("small"), ValueType::kInteger);
  EXPECT_EQ(type("huge"), ValueType::kInteger);
  EXPECT_EQ(type("exact"), ValueType::kNumber);
  EXPECT_EQ(type("colour"), ValueType::kChoice);
  EXPECT_EQ(type("input"), ValueType::kText);
  EXPECT_EQ(type("count"), ValueType::kInteger);
  EXPECT_TRUE(option_of(test::Types::descriptor(), "pair").is_map());
  EXPECT_TRUE(option_of(test::Types::descriptor(), "word").is_repeated());
  EXPECT_FALSE(option_of(test::Types::descriptor(), "word").is_map());
}

TEST(Option, ValueNameComesFromTheDeclarationOrTheType) {
  const auto name = [](std::string_view flag) {
    return option_of(test::Types::descriptor(), flag).value_name();
  };
  EXPECT_EQ(name("loud"), "");
  EXPECT_EQ(name("small"), "N");
  EXPECT_EQ(name("input"), "FILE");
  EXPECT_EQ(name("pair"), "KEY=VALUE");
  EXPECT_EQ(name("colour"), "COLOUR");
  EXPECT_EQ(name("note"), "TEXT");
  EXPECT_EQ(option_of(v1::VideoJob::descriptor(), "input").value_name(), "IN");
}

TEST(Option, RangesAreDeclaredOrTheTypes) {
  const auto option = [](std::string_view flag) { return option_of(test::Types::descriptor(), flag); };
  EXPECT_EQ(option("small").range_text(), "-5 to 5");
  EXPECT_EQ(option("large").range_text(), "at least 1");
  EXPECT_EQ(option("natural").range_text(), "at most 9");
  EXPECT_EQ(option("natural").minimum(), 0);
  EXPECT_EQ(option("huge").range_text(), "");
  EXPECT_FALSE(option("huge").has_bounds());
  EXPECT_EQ(option("note").maximum_bytes(), 8u);
  EXPECT_EQ(option("input").maximum_bytes(), kDefaultMaximumBytes);
}

TEST(Choice, ShortNamesGoBothWays) {
  EXPECT_EQ(choice_name(v1::ENCODER_SVT_AV1), "svt-av1");
  EXPECT_EQ(choice_name(v1::JOB_STATE_UNSPECIFIED), "unspecified");
  EXPECT_EQ(choice_name(v1::JobState_descriptor(), 99), "99");
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "svt-av1"), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "SVT_AV1"), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "unspecified"), std::nullopt);
  const std::vector<Choice> choices = option_of(v1::VideoJob::descriptor(), "decoder").choices();
  ASSERT_EQ(choices.size(), 2u);
  EXPECT_EQ(choices[1].name, "cpu");
  EXPECT_EQ(choices[1].number, v1::DECODER_CPU);
  EXPECT_FALSE(choices[1].help.empty());
}

}  // namespace
}  // namespace weft::options
