// SPDX-License-Identifier: Apache-2.0
#include "options/validate.h"

#include <gmock/gmock.h>

#include "options/filters.h"
#include "options/values.h"
#include "weft/test/types.pb.h"
#include "weft/v1/filters.pb.h"
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
  spec.mutable_video()->set_input("/in.ts");
  spec.mutable_video()->set_output("/out.mkv");
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

TEST(Validate, LabelsHaveLimits) {
  const auto with = [](size_t count, size_t key_bytes, size_t value_bytes) {
    v1::JobSettings settings;
    for (size_t i = 0; i < count; i++)
      (*settings.mutable_labels())[fmt::format("{:0{}}", i, key_bytes)] = std::string(value_bytes, 'v');
    return validate(settings, "settings");
  };
  EXPECT_THAT(with(64, 2, 8), IsEmpty());
  EXPECT_THAT(with(65, 2, 8),
              ElementsAre(wrong("settings.labels", "'label' has too many entries (65, at most 64)")));
  EXPECT_THAT(with(1, 256, 1024), IsEmpty());
  EXPECT_THAT(with(1, 257, 1), ElementsAre(wrong("settings.labels",
                                                 "key of the option 'label' is too long (257 bytes, at "
                                                 "most 256)")));
  EXPECT_THAT(with(1, 1, 1025),
              ElementsAre(wrong("settings.labels", "'label' is too long (1025 bytes, at most 1024)")));
  // The length of a label is that of its key, its value and the sign between them.
  EXPECT_THAT(with(16, 2, 1021), IsEmpty());
  EXPECT_THAT(with(16, 3, 1021),
              ElementsAre(wrong("settings.labels", "too long together (16400 bytes, at most 16384)")));
}

TEST(Validate, NamesEveryWrongField) {
  v1::JobSpec spec;
  auto& job = *spec.mutable_video();
  job.set_output("out.mkv");
  job.add_filters()->mutable_bwdif()->set_rate(v1::OutputRate(17));
  job.add_filters()->mutable_resize();
  job.set_from("2:00");
  job.set_to("1:00");
  job.mutable_encoding()->set_segment_frames(0);
  EXPECT_THAT(validate(spec, "spec"),
              ElementsAre(wrong("spec.video.to", "ends (1:00) before it has begun (2:00)"),
                          wrong("spec.video.input", "'input' is missing"),
                          wrong("spec.video.output", "(out.mkv) is relative"),
                          wrong("spec.video.filters[0].bwdif.rate",
                                "'rate' (17) is not one of the choices. Use field or frame."),
                          wrong("spec.video.filters[1].resize.size", "'size' is missing"),
                          wrong("spec.video.encoding.segment_frames", "(0) is below its limit (1)")));
}

TEST(Validate, NothingChosenIsWrong) {
  EXPECT_THAT(validate(v1::JobSpec(), "spec"), ElementsAre(wrong("spec.kind", "give video, image, ")));
}

TEST(Validate, SettingsHaveLimits) {
  v1::JobSettings settings;
  settings.set_priority(1001);
  settings.set_max_attempts(0);
  settings.set_device(std::string(65, 'x'));
  settings.set_job_class(v1::JobClass(1));
  EXPECT_THAT(
      validate(settings, "settings"),
      ElementsAre(wrong("settings.job_class", "(1) is not one of the choices"),
                  wrong("settings.priority", "(1001)"), wrong("settings.device", "(65 bytes, at most 64)"),
                  wrong("settings.max_attempts", "(0)")));
}

TEST(Validate, MapsAndTextsAreBounded) {
  v1::JobSpec spec = good_spec();
  v1::VideoEncoding& encoding = *spec.mutable_video()->mutable_encoding();
  (*encoding.mutable_encoder_options())[""] = "x";
  (*encoding.mutable_encoder_options())["long"] = std::string(5000, 'x');
  EXPECT_THAT(validate(spec, ""),
              ElementsAre(wrong("video.encoding.encoder_options", "KEY=VALUE"),
                          wrong("video.encoding.encoder_options", "(5000 bytes, at most 4096)")));
  encoding.clear_encoder_options();
  for (int i = 0; i < 257; i++) (*encoding.mutable_encoder_options())[std::to_string(i)] = "x";
  EXPECT_THAT(validate(spec, ""), ElementsAre(wrong("video.encoding.encoder_options", "(257, at most 256)")));
}

TEST(Validate, ChainsAreCheckedToTheirGround) {
  test::Types types;
  types.set_input("/in");
  types.mutable_leaf();
  types.add_chain()->mutable_bare()->set_level(10);
  types.add_chain()->mutable_size_to();
  types.add_chain();
  types.add_chain()->mutable_all()->add_b()->mutable_all()->set_file("a/b");
  EXPECT_THAT(validate(types, "spec"),
              ElementsAre(wrong("spec.chain[0].bare.level", "'level' (10) is above its limit (9)"),
                          wrong("spec.chain[1].size_to.size", "'size' is missing"),
                          wrong("spec.chain[2].filter", "give all, size_to, chained or bare"),
                          wrong("spec.chain[3].all.b[0].all.file", "(a/b) is relative")));
}

TEST(Validate, ChainsAreNeitherLongNorDeep) {
  test::Types types;
  types.set_input("/in");
  types.mutable_leaf();
  for (int i = 0; i < 65; i++) types.add_chain()->mutable_bare();
  EXPECT_THAT(validate(types, ""), ElementsAre(wrong("chain", "has too many filters (65, at most 64)")));
  types.clear_chain();
  test::TestFilter* filter = types.add_chain();
  for (int i = 0; i < 4; i++) filter = filter->mutable_chained()->add_inside();
  filter->mutable_bare();
  EXPECT_THAT(validate(types, ""),
              ElementsAre(wrong("chain", "nests chains too deep (5 levels, at most 4)")));
  types.clear_chain();
  for (int i = 0; i < 6; i++) types.mutable_chain()->Add();
  test::AllFilter& all = *types.mutable_chain(0)->mutable_all();
  for (int i = 0; i < 6; i++) all.add_a()->mutable_bare();
  types.mutable_chain()->DeleteSubrange(1, 5);
  EXPECT_THAT(validate(types, ""),
              ElementsAre(wrong("chain[0].all.a", "has too many filters (6, at most 5)")));
}

TEST(Validate, APartEndsBehindItsBeginning) {
  test::Part part;
  part.set_from("1:30");
  EXPECT_THAT(validate(part, "part"), IsEmpty());
  part.set_to("2:00");
  EXPECT_THAT(validate(part, "part"), IsEmpty());
  part.set_to("1:00");
  EXPECT_THAT(validate(part, "part"),
              ElementsAre(wrong("part.to", "ends (1:00) before it has begun (1:30)")));
  part.clear_from();
  EXPECT_THAT(validate(part, "part"), IsEmpty());
  part.set_to("0f");
  EXPECT_THAT(validate(part, "part"), ElementsAre(wrong("part.to", "ends (0f) before it has begun")));
  part.set_to("soon");
  EXPECT_THAT(validate(part, "part"), ElementsAre(wrong("part.to", "(soon) is neither a time nor a frame")));
}

TEST(Validate, NulBytesAreRefused) {
  v1::JobSpec spec = good_spec();
  spec.mutable_video()->set_input(std::string("/etc/passwd\0.ts", 15));
  EXPECT_THAT(validate(spec, "spec"), ElementsAre(wrong("spec.video.input", "NUL")));
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
  EXPECT_THAT(check_declarations(test::WrongFilter::descriptor()),
              ElementsAre(wrong("WrongFilter", "summary is not a sentence"),
                          wrong("WrongFilter", "(No-Name) is not made of"),
                          wrong("WrongFilter", "first option (none) is none")));
}

TEST(CheckDeclarations, EveryFilterIsDeclaredRight) {
  const auto chain = find_option(v1::Merge::descriptor(), "a").value();
  for (const FilterKind& kind : filters_of(chain.field().message_type()))
    EXPECT_THAT(check_declarations(kind.message()), IsEmpty()) << kind.name();
  EXPECT_THAT(check_declarations(test::AllFilter::descriptor()), IsEmpty());
}

}  // namespace
}  // namespace weft::options
