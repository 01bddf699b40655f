// SPDX-License-Identifier: Apache-2.0
#include "options/option.h"

#include <gmock/gmock.h>

#include "options/job_kinds.h"
#include "options/validate.h"
#include "weft/test/types.pb.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::options {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

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

TEST(Option, DeinterlaceHasTheFlagsThatPeopleType) {
  const auto flags = flags_of(v1::DeinterlaceJob::descriptor());
  for (const char* flag : {"input", "output", "filter", "rate", "parity", "frames", "yadif-spatial-check",
                           "decoder", "encoder", "encoder-option", "segment-frames"})
    EXPECT_THAT(flags, Contains(flag));
  const Option filter = option_of(v1::DeinterlaceJob::descriptor(), "filter");
  EXPECT_EQ(filter.path(), "deinterlace.filter");
  EXPECT_EQ(filter.default_text(), "bwdif");
  EXPECT_EQ(option_of(v1::DeinterlaceJob::descriptor(), "output").short_flag(), "o");
  EXPECT_EQ(option_of(v1::DeinterlaceJob::descriptor(), "encoder-threads").label(), "Encoder threads");
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
  EXPECT_EQ(option_of(v1::DeinterlaceJob::descriptor(), "input").value_name(), "IN");
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
  EXPECT_EQ(choice_name(v1::DEINTERLACE_FILTER_BWDIF), "bwdif");
  EXPECT_EQ(choice_name(v1::JOB_STATE_UNSPECIFIED), "unspecified");
  EXPECT_EQ(choice_name(v1::JobState_descriptor(), 99), "99");
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "svt-av1"), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "SVT_AV1"), v1::ENCODER_SVT_AV1);
  EXPECT_EQ(choice_number(v1::Encoder_descriptor(), "unspecified"), std::nullopt);
  const std::vector<Choice> choices = option_of(v1::DeinterlaceJob::descriptor(), "filter").choices();
  ASSERT_EQ(choices.size(), 4u);
  EXPECT_EQ(choices[3].name, "bwdif");
  EXPECT_EQ(choices[3].number, v1::DEINTERLACE_FILTER_BWDIF);
  EXPECT_FALSE(choices[3].help.empty());
}

TEST(JobKind, EveryKindIsNamedAndSoundlyDeclared) {
  ASSERT_FALSE(job_kinds().empty());
  EXPECT_THAT(check_declarations(v1::JobSettings::descriptor()), IsEmpty());
  EXPECT_THAT(check_declarations(v1::StreamSettings::descriptor()), IsEmpty());
  EXPECT_THAT(check_declarations(v1::FrameColour::descriptor()), IsEmpty());
  const std::vector<std::string> settings = flags_of(v1::JobSettings::descriptor());
  for (const JobKind& kind : job_kinds()) {
    EXPECT_FALSE(kind.name.empty()) << kind.field->full_name();
    EXPECT_TRUE(kind.summary.ends_with('.')) << kind.name;
    EXPECT_THAT(check_declarations(kind.message()), IsEmpty()) << kind.name;
    // Both stand on one command line.
    for (const std::string& flag : flags_of(kind.message()))
      EXPECT_THAT(settings, Not(Contains(flag))) << kind.name;
  }
}

TEST(JobKind, ChoosesAndFinds) {
  v1::JobSpec spec;
  EXPECT_FALSE(job_kind_of(spec));
  const JobKind kind = find_job_kind("deinterlace").value();
  kind.choose(spec);
  EXPECT_TRUE(spec.has_deinterlace());
  spec.mutable_deinterlace()->set_input("/a");
  EXPECT_EQ(&kind.choose(spec), &spec.deinterlace());
  EXPECT_EQ(spec.deinterlace().input(), "/a");
  EXPECT_EQ(job_kind_of(spec)->name, "deinterlace");
  EXPECT_EQ(&job_message(spec), &spec.deinterlace());
  EXPECT_FALSE(find_job_kind("interlace"));
}

}  // namespace
}  // namespace weft::options
