// SPDX-License-Identifier: Apache-2.0
#include "client/draft.h"

#include <filesystem>

#include <gmock/gmock.h>

#include "client/paths.h"
#include "options/validate.h"

namespace weft::client {
namespace {

using ::testing::SizeIs;

TEST(AbsolutePath, KeepsWhatTheUserMeant) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(absolute_path("a.ts"), here + "/a.ts");
  EXPECT_EQ(absolute_path("./x//a.ts"), here + "/x/a.ts");
  EXPECT_EQ(absolute_path("/a/b.ts"), "/a/b.ts");
  EXPECT_EQ(absolute_path("/a/./b.ts"), "/a/b.ts");
  EXPECT_EQ(absolute_path("/nowhere/x/../b.ts"), "/nowhere/b.ts");
}

Draft deinterlacing(std::vector<std::string> inputs, std::string output) {
  Draft draft{options::find_job_kind("deinterlace").value()};
  draft.inputs = std::move(inputs);
  draft.output = std::move(output);
  return draft;
}

TEST(Draft, EveryInputMakesAJobWithTheSameOptions) {
  Draft draft = deinterlacing({"/a/x.ts", "/b/y.ts"}, "{dir}/{index}.{stem}.{filter}.mkv");
  draft.common.mutable_settings()->set_priority(7);
  draft.common.mutable_spec()->mutable_deinterlace()->mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
  const auto requests = requests_of(draft).value();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].spec().deinterlace().output(), "/a/1.x.bwdif.mkv");
  EXPECT_EQ(requests[1].spec().deinterlace().output(), "/b/2.y.bwdif.mkv");
  EXPECT_EQ(input_of(requests[1]), "/b/y.ts");
  EXPECT_EQ(requests[1].settings().priority(), 7);
  EXPECT_EQ(requests[1].spec().deinterlace().encoding().encoder(), v1::ENCODER_FFV1);
}

TEST(Draft, OtherOutputsHaveFieldsTooAndOtherInputsBecomeAbsolute) {
  Draft draft{options::find_job_kind("bloom").value()};
  draft.inputs = {"/a/x.exr"};
  draft.output = "{dir}/out.exr";
  v1::BloomJob& job = *draft.common.mutable_spec()->mutable_bloom();
  job.set_preview("{dir}/{stem}.png");
  job.mutable_bloom()->set_kernel("kernel.exr");
  const auto requests = requests_of(draft).value();
  EXPECT_EQ(requests[0].spec().bloom().preview(), "/a/x.png");
  EXPECT_EQ(requests[0].spec().bloom().bloom().kernel(), absolute_path("kernel.exr"));
}

TEST(Draft, WhatIsWrongNamesTheField) {
  const auto field = [](const Draft& draft) {
    const auto violations = options::violations_of(requests_of(draft).status());
    return violations.empty() ? "none" : violations[0].field;
  };
  EXPECT_EQ(field(deinterlacing({"/a.ts"}, "{stm}.mkv")), "spec.deinterlace.output");
  EXPECT_EQ(field(deinterlacing({"/a.ts", "/b.ts"}, "/one.mkv")), "spec.deinterlace.output");
  EXPECT_EQ(field(deinterlacing({"\xff.ts"}, "/one.mkv")), "spec.deinterlace.input");
  Draft draft{options::find_job_kind("bloom").value()};
  draft.inputs = {"/a.exr"};
  draft.output = "/b.exr";
  draft.common.mutable_spec()->mutable_bloom()->set_preview("{nothing}");
  EXPECT_EQ(field(draft), "spec.bloom.preview");
}

// A job of a profile, or one that was looked at, has an input of its own.
TEST(Draft, WithoutInputsThereIsOneRequestAndNoInputOfAnotherJob) {
  Draft draft = deinterlacing({}, "/one.mkv");
  draft.common.mutable_spec()->mutable_deinterlace()->set_input("/old.ts");
  const auto requests = requests_of(draft).value();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(input_of(requests[0]), "");
}

TEST(Draft, EveryKindHasAnInputAndAnOutput) {
  for (const options::JobKind& kind : options::job_kinds()) {
    ASSERT_TRUE(input_option(kind)) << kind.name;
    ASSERT_TRUE(output_option(kind)) << kind.name;
    EXPECT_EQ(field_name(kind, *input_option(kind)), fmt::format("spec.{}.input", kind.field->name()));
  }
}

}  // namespace
}  // namespace weft::client
