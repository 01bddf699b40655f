// SPDX-License-Identifier: Apache-2.0
#include "client/draft.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <unistd.h>

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
  Draft draft{options::find_job_kind("video").value()};
  draft.common.mutable_spec()->mutable_video()->add_filters()->mutable_bwdif();
  draft.inputs = std::move(inputs);
  draft.output = std::move(output);
  return draft;
}

TEST(Draft, EveryInputMakesAJobWithTheSameOptions) {
  Draft draft = deinterlacing({"/a/x.ts", "/b/y.ts"}, "{dir}/{index}.{stem}.{filter}.mkv");
  draft.common.mutable_settings()->set_priority(7);
  draft.common.mutable_spec()->mutable_video()->mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
  const auto requests = requests_of(draft).value();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].spec().video().output(), "/a/1.x.bwdif.mkv");
  EXPECT_EQ(requests[1].spec().video().output(), "/b/2.y.bwdif.mkv");
  EXPECT_EQ(input_of(requests[1]), "/b/y.ts");
  EXPECT_EQ(requests[1].settings().priority(), 7);
  EXPECT_EQ(requests[1].spec().video().encoding().encoder(), v1::ENCODER_FFV1);
}

TEST(Draft, OtherOutputsHaveFieldsTooAndOtherInputsBecomeAbsolute) {
  Draft draft{options::find_job_kind("image").value()};
  draft.inputs = {"/a/x.exr"};
  draft.output = "{dir}/out.exr";
  v1::ImageJob& job = *draft.common.mutable_spec()->mutable_image();
  job.set_preview("{dir}/{stem}.png");
  job.add_filters()->mutable_bloom()->set_kernel("kernel.exr");
  const auto requests = requests_of(draft).value();
  EXPECT_EQ(requests[0].spec().image().preview(), "/a/x.png");
  EXPECT_EQ(requests[0].spec().image().filters(0).bloom().kernel(), absolute_path("kernel.exr"));
}

TEST(Draft, FieldsTellOfTheChainAndOfItsOnlyFilter) {
  Draft draft = deinterlacing({"/a/x.ts"}, "/b/{filter}.{rate}.mkv");
  EXPECT_EQ(requests_of(draft).value()[0].spec().video().output(), "/b/bwdif.field.mkv");
  draft.common.mutable_spec()->mutable_video()->add_filters()->mutable_deband();
  EXPECT_THAT(requests_of(draft), StatusIs(StatusCode::kInvalidArgument, "(rate)"));
  draft.output = "/b/{filter}.{encoder}.mkv";
  EXPECT_EQ(requests_of(draft).value()[0].spec().video().output(), "/b/bwdif+deband.auto.mkv");
}

TEST(Draft, WhatIsWrongNamesTheField) {
  const auto field = [](const Draft& draft) {
    const auto violations = options::violations_of(requests_of(draft).status());
    return violations.empty() ? "none" : violations[0].field;
  };
  EXPECT_EQ(field(deinterlacing({"/a.ts"}, "{stm}.mkv")), "spec.video.output");
  EXPECT_EQ(field(deinterlacing({"/a.ts", "/b.ts"}, "/one.mkv")), "spec.video.output");
  EXPECT_EQ(field(deinterlacing({"\xff.ts"}, "/one.mkv")), "spec.video.input");
  Draft draft{options::find_job_kind("image").value()};
  draft.inputs = {"/a.exr"};
  draft.output = "/b.exr";
  draft.common.mutable_spec()->mutable_image()->set_preview("{nothing}");
  EXPECT_EQ(field(draft), "spec.image.preview");
}

// The input of a profile's job is ignored.
TEST(Draft, WithoutInputsThereIsOneRequestAndNoInputOfAnotherJob) {
  Draft draft = deinterlacing({}, "/one.mkv");
  draft.common.mutable_spec()->mutable_video()->set_input("/old.ts");
  const auto requests = requests_of(draft).value();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(input_of(requests[0]), "");
}

TEST(Draft, AKindHasAnInputAndAnOutputOrNoFilesAtAll) {
  for (const options::JobKind& kind : options::job_kinds()) {
    ASSERT_EQ(kind.input_option().has_value(), kind.output_option().has_value()) << kind.name;
    if (!kind.input_option()) continue;
    EXPECT_EQ(field_name(kind, *kind.input_option()), fmt::format("spec.{}.input", kind.field->name()));
  }
}

TEST(Draft, AKindWithoutFilesIsOneRequest) {
  Draft draft{options::find_job_kind("bench").value()};
  draft.common.mutable_spec()->mutable_benchmark()->add_names(v1::BENCHMARK_NAME_VECTOR);
  const auto requests = requests_of(draft);
  ASSERT_THAT(requests, IsOk());
  ASSERT_THAT(*requests, SizeIs(1));
  EXPECT_EQ((*requests)[0].spec().benchmark().names(0), v1::BENCHMARK_NAME_VECTOR);
  EXPECT_THAT(inputs_by_request(draft), testing::ElementsAre(testing::IsEmpty()));
}

Draft upsampling(std::vector<std::string> inputs, std::string output) {
  Draft draft{options::find_job_kind("upsample").value()};
  draft.inputs = std::move(inputs);
  draft.output = std::move(output);
  draft.joins_files = true;
  return draft;
}

TEST(Draft, FilesOfAFolderAreOneJobWhereTheKindTakesSeveral) {
  const auto requests =
      requests_of(upsampling({"/a/x.dds", "/b/z.dds", "/a/y.png"}, "/2x/{stem}_{kind}.{ext}")).value();
  ASSERT_THAT(requests, SizeIs(2));
  EXPECT_EQ(requests[0].spec().texture().input(), "/a/*");
  EXPECT_EQ(requests[0].spec().texture().output(), "/2x/*_auto");
  EXPECT_THAT(requests[0].spec().texture().files(), testing::ElementsAre("x.dds", "y.png"));
  EXPECT_EQ(requests[1].spec().texture().input(), "/b/z.dds");
  EXPECT_EQ(requests[1].spec().texture().output(), "/2x/z_auto.dds");
  EXPECT_THAT(requests[1].spec().texture().files(), testing::IsEmpty());
  const auto inputs = inputs_by_request(upsampling({"/a/x.dds", "/b/z.dds", "/a/y.png"}, "/2x/"));
  EXPECT_THAT(inputs, testing::ElementsAre(testing::ElementsAre("/a/x.dds", "/a/y.png"),
                                           testing::ElementsAre("/b/z.dds")));
  Draft apart = upsampling({"/a/x.dds", "/a/y.dds"}, "/2x/{stem}.dds");
  apart.joins_files = false;
  EXPECT_THAT(requests_of(apart).value(), SizeIs(2));
}

TEST(Draft, AFolderIsAllFilesInIt) {
  const std::string folder = fmt::format("{}draft_folder.{}", testing::TempDir(), ::getpid());
  std::filesystem::create_directories(folder);
  const auto requests = requests_of(upsampling({folder}, "/2x/")).value();
  ASSERT_THAT(requests, SizeIs(1));
  EXPECT_EQ(requests[0].spec().texture().input(), folder + "/*");
  EXPECT_EQ(requests[0].spec().texture().output(), "/2x/*");
  EXPECT_THAT(requests[0].spec().texture().files(), testing::IsEmpty());
  EXPECT_EQ(requests_of(upsampling({"/none/*_n.dds"}, "/2x/")).value()[0].spec().texture().input(),
            "/none/*_n.dds");
}

TEST(Draft, SeveralFilesHaveAnOutputEach) {
  EXPECT_THAT(requests_of(upsampling({"/a/x.dds", "/a/y.dds"}, "/2x/all.dds")),
              StatusIs(StatusCode::kInvalidArgument, "put {stem} into its name"));
  EXPECT_THAT(requests_of(upsampling({"/a/x.dds", "/a/y.dds"}, "/2x/{index}.dds")),
              StatusIs(StatusCode::kInvalidArgument, "not known (index)"));
}

}  // namespace
}  // namespace weft::client
