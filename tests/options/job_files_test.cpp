// SPDX-License-Identifier: Apache-2.0
#include "options/job_files.h"

#include <gmock/gmock.h>

#include "options/validate.h"

namespace weft::options {
namespace {

TEST(JobFiles, AFileOfSeveralThingsIsCalledOne) {
  v1::JobSpec spec;
  v1::TextureJob& job = *spec.mutable_texture();
  job.set_input("/textures/a.dds");
  job.set_output("/2x/a.dds");
  job.set_exceptions("/textures/table.txt");
  const JobFiles files = files_of_job(spec);
  ASSERT_EQ(files.inputs.size(), 2u);
  EXPECT_EQ(files.inputs[0].role(), "input");
  EXPECT_EQ(files.inputs[1].role(), "file of exceptions");
  EXPECT_EQ(files.inputs[1].field, "spec.texture.exceptions");
  EXPECT_TRUE(files.inputs[1].is_raw);
}

TEST(JobFiles, FilesOfFiltersBelongToTheJob) {
  v1::JobSpec spec;
  spec.mutable_image()->set_input("/in.%04d.exr");
  spec.mutable_image()->set_output("/out.%04d.exr");
  spec.mutable_image()->set_preview("/look.png");
  spec.mutable_image()->add_filters()->mutable_resize()->set_size("8x8");
  spec.mutable_image()->add_filters()->mutable_bloom()->set_kernel("/kernel.%d.exr");
  const JobFiles files = files_of_job(spec);
  ASSERT_EQ(files.inputs.size(), 2u);
  EXPECT_EQ(files.inputs[0].option, "input");
  EXPECT_TRUE(files.inputs[0].is_sequence);
  EXPECT_EQ(files.inputs[1].option, "filters[1].bloom.kernel");
  EXPECT_EQ(files.inputs[1].field, "spec.image.filters[1].bloom.kernel");
  EXPECT_EQ(files.inputs[1].role(), "kernel");
  EXPECT_FALSE(files.inputs[1].is_sequence);  // this option accepts a single file
  ASSERT_EQ(files.outputs.size(), 2u);
  EXPECT_EQ(files.outputs[0].option, "output");
  EXPECT_EQ(files.outputs[0].name(), "out.%04d.exr");
  EXPECT_EQ(files.outputs[0].finished_name, "finished");
  EXPECT_EQ(files.outputs[1].option, "preview");
  EXPECT_EQ(files.outputs[1].finished_name, "finished-preview");
  EXPECT_TRUE(files_of_job(v1::JobSpec()).inputs.empty());
}

TEST(JobFiles, PiecesOfAnOutputHaveNumbersFromTwoOn) {
  v1::JobSpec spec;
  spec.mutable_video()->set_output("/v/x.y.mkv");
  EXPECT_FALSE(files_of_job(spec).outputs[0].has_output_parts);
  spec.mutable_video()->mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SPLIT);
  const JobFile output = files_of_job(spec).outputs[0];
  EXPECT_TRUE(output.has_output_parts);
  EXPECT_EQ(output_part(output, 1).path, "/v/x.y.mkv");
  for (const int number : {2, 9, 10, 123456}) {
    EXPECT_EQ(output_part(output, number).path, fmt::format("/v/x.y.{}.mkv", number));
    EXPECT_EQ(output_part(output, number).finished_name, fmt::format("finished.{}", number));
    EXPECT_EQ(output_part_number(output, fmt::format("x.y.{}.mkv", number)), number);
  }
  for (const char* name : {"x.y.mkv", "x.y.1.mkv", "x.y.02.mkv", "x.y.+2.mkv", "x.y.2.mp4", "x.2.mkv",
                           "x.y.2", "x.y.99999999999999999999.mkv", "x.y.", ""})
    EXPECT_EQ(output_part_number(output, name), 0) << name;
}

TEST(JobFiles, MarksBehindABackslashAreLettersOfOneFile) {
  v1::JobSpec spec;
  spec.mutable_image()->set_input("/take\\#2.png");
  spec.mutable_image()->set_output("/take\\#2.\\*.exr");
  const JobFiles paths = files_of_job(spec);
  EXPECT_EQ(paths.inputs[0].path, "/take#2.png");
  EXPECT_FALSE(paths.inputs[0].is_sequence);
  EXPECT_EQ(paths.outputs[0].name(), "take#2.*.exr");
}

TEST(JobFiles, FilesOfChainsInsideOfFiltersTooAndOfStreams) {
  v1::OpenStream open;
  open.add_filters()->mutable_merge()->add_b()->mutable_bloom()->set_kernel("/k.exr");
  const std::vector<JobFile> inputs = files_of_stream(open);
  ASSERT_EQ(inputs.size(), 1u);
  EXPECT_EQ(inputs[0].option, "filters[0].merge.b[0].bloom.kernel");
  EXPECT_EQ(inputs[0].field, "open.filters[0].merge.b[0].bloom.kernel");
}

TEST(JobFiles, TheFramesOfASequenceAreTheJobs) {
  v1::JobSpec spec;
  spec.mutable_video();
  EXPECT_FALSE(frame_choice_of(spec)->range);
  spec.mutable_image()->set_frames("3-9x2");
  EXPECT_EQ(frame_choice_of(spec)->range->step, 2);
  EXPECT_FALSE(frame_choice_of(spec)->skips_missing);
  spec.mutable_image()->set_missing(v1::MISSING_FRAMES_SKIP);
  EXPECT_TRUE(frame_choice_of(spec)->skips_missing);
  spec.mutable_image()->set_frames("9-3");
  const Status status = frame_choice_of(spec).status();
  ASSERT_EQ(violations_of(status).size(), 1u);
  EXPECT_EQ(violations_of(status)[0].field, "spec.image.frames");
}

}  // namespace
}  // namespace weft::options
