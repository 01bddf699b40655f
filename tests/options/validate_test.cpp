// SPDX-License-Identifier: Apache-2.0
#include "options/validate.h"

#include <gmock/gmock.h>

#include "options/values.h"
#include "weft/test/types.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::options {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

auto wrong(std::string_view field, std::string_view text) {
  return AllOf(Field(&Violation::field, std::string(field)),
               Field(&Violation::description, HasSubstr(std::string(text))));
}

v1::JobSpec good_spec() {
  v1::JobSpec spec;
  spec.mutable_deinterlace()->set_input("/in.ts");
  spec.mutable_deinterlace()->set_output("/out.mkv");
  return spec;
}

TEST(Validate, AGoodJobIsGoodWithAndWithoutDefaults) {
  v1::JobSpec spec = good_spec();
  EXPECT_THAT(validate(spec, "spec"), IsEmpty());
  apply_defaults(spec);
  EXPECT_THAT(validate(spec, "spec"), IsEmpty());
  v1::JobSettings settings;
  (*settings.mutable_labels())["show"] = "film";
  EXPECT_THAT(validate(settings, "settings"), IsEmpty());
}

TEST(Validate, NamesEveryWrongField) {
  v1::JobSpec spec;
  auto& job = *spec.mutable_deinterlace();
  job.set_output("out.mkv");
  job.mutable_deinterlace()->set_filter(v1::DeinterlaceFilter(17));
  job.mutable_encoding()->set_segment_frames(0);
  EXPECT_THAT(validate(spec, "spec"),
              ElementsAre(wrong("spec.deinterlace.input", "'input' is missing"),
                          wrong("spec.deinterlace.output", "(out.mkv) is relative"),
                          wrong("spec.deinterlace.deinterlace.filter",
                                "'filter' (17) is no choice. Use bob, weave, yadif or bwdif."),
                          wrong("spec.deinterlace.encoding.segment_frames", "(0) is below its limit (1)")));
}

TEST(Validate, OptionsOfOtherInputsAreNamedUnlessTheySayWhatIsSoAnyway) {
  v1::BloomJob job;
  job.set_input("/in.mp4");
  job.set_output("/out.mkv");
  job.set_layer("beauty");
  job.mutable_encoding()->set_segment_frames(7);
  apply_defaults(job);
  EXPECT_THAT(check_media(job, v1::MEDIA_KIND_VIDEO, "spec.bloom"),
              ElementsAre(wrong("spec.bloom.layer", "'layer' is for images, and the input is a video")));
  EXPECT_THAT(check_media(job, v1::MEDIA_KIND_IMAGE, "spec.bloom"),
              ElementsAre(wrong("spec.bloom.encoding.segment_frames",
                                "'segment-frames' is for videos, and the input is an image")));
}

TEST(Validate, NothingChosenIsWrong) {
  EXPECT_THAT(validate(v1::JobSpec(), "spec"), ElementsAre(wrong("spec.kind", "give deinterlace or bloom")));
}

TEST(Validate, SettingsHaveLimits) {
  v1::JobSettings settings;
  settings.set_priority(1001);
  settings.set_max_attempts(0);
  settings.set_device(std::string(65, 'x'));
  settings.set_job_class(v1::JobClass(1));
  EXPECT_THAT(
      validate(settings, "settings"),
      ElementsAre(wrong("settings.job_class", "(1) is no choice"), wrong("settings.priority", "(1001)"),
                  wrong("settings.device", "(65 bytes, at most 64)"), wrong("settings.max_attempts", "(0)")));
}

TEST(Validate, MapsAndTextsAreBounded) {
  v1::JobSpec spec = good_spec();
  v1::VideoEncoding& encoding = *spec.mutable_deinterlace()->mutable_encoding();
  (*encoding.mutable_encoder_options())[""] = "x";
  (*encoding.mutable_encoder_options())["long"] = std::string(5000, 'x');
  EXPECT_THAT(validate(spec, ""),
              ElementsAre(wrong("deinterlace.encoding.encoder_options", "KEY=VALUE"),
                          wrong("deinterlace.encoding.encoder_options", "(5000 bytes, at most 4096)")));
  encoding.clear_encoder_options();
  for (int i = 0; i < 257; i++) (*encoding.mutable_encoder_options())[std::to_string(i)] = "x";
  EXPECT_THAT(validate(spec, ""),
              ElementsAre(wrong("deinterlace.encoding.encoder_options", "(257, at most 256)")));
}

TEST(Validate, NulBytesAreRefused) {
  v1::JobSpec spec = good_spec();
  spec.mutable_deinterlace()->set_input(std::string("/etc/passwd\0.ts", 15));
  EXPECT_THAT(validate(spec, "spec"), ElementsAre(wrong("spec.deinterlace.input", "NUL")));
}

TEST(Validate, FieldsOfANewerClientAreNamed) {
  test::NewerLeaf newer;
  newer.set_depth(3);
  newer.set_unheard(1);
  test::Leaf leaf;
  ASSERT_TRUE(leaf.ParseFromString(newer.SerializeAsString()));
  EXPECT_THAT(validate(leaf, "leaf"), ElementsAre(wrong("leaf.#77", "(number 77) is not known")));
}

TEST(Validate, StatusCarriesTheViolationsThereAndBack) {
  const std::vector<Violation> violations = {{"spec.a", "A is wrong."}, {"spec.b", "B is wrong."}};
  const Status status = to_status(violations);
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "A is wrong. B is wrong."));
  EXPECT_EQ(violations_of(status), violations);
  EXPECT_THAT(to_status({}), IsOk());
  EXPECT_THAT(violations_of(internal_error("No.")), IsEmpty());
}

TEST(CheckDeclarations, FindsEveryMistake) {
  EXPECT_THAT(check_declarations(test::Types::descriptor()), IsEmpty());
  EXPECT_THAT(
      check_declarations(test::Wrong::descriptor()),
      ElementsAre(wrong("silent", "not a sentence"), wrong("second", "used twice"),
                  wrong("number", "default is wrong"), wrong("shouting", "lower case"),
                  wrong("half", "(done) has no help"),
                  wrong("half", "(number=2) is for an option that stands before"),
                  wrong("half", "(nothing=1) names no option"), wrong("half", "(letters) names no option"),
                  wrong("letters", "longer than a letter")));
}

}  // namespace
}  // namespace weft::options
