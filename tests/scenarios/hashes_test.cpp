// SPDX-License-Identifier: Apache-2.0
// Tests the hashes of outputs with the real programs, where a confined worker reads the files.
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/media/image/image_file.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string make_picture() {
  media::ImageInfo info;
  info.data = info.display = {0, 0, 64, 32};
  info.samples = media::SampleType::kFloat;
  media::Image image = media::make_image(info).value();
  return media::encode_image(image, {.format = media::ImageFormat::kPng}).value();
}

class HashesTest : public ScenarioTest {
 protected:
  HashesTest() : daemon_(path("daemon")) {}
  void SetUp() override { ASSERT_TRUE(daemon_.start()); }

  // Submits a job, waits for its end and returns it.
  v1::Job finish(std::vector<std::string> words) {
    words.insert(words.begin(), {WEFT, "--server", daemon_.address(), "submit"});
    words.push_back("--wait");
    std::string said;
    EXPECT_EQ(run(words, &said), 0) << said;
    return daemon_.list().jobs(0);
  }
  std::string show(const v1::Job& job) {
    std::string said;
    EXPECT_EQ(run({WEFT, "--server", daemon_.address(), "show", job.id()}, &said), 0) << said;
    return said;
  }
  // Returns the hash that sha256sum prints for a command's text or a file.
  static std::string judge(const std::string& command) {
    std::string said;
    EXPECT_EQ(run({"/bin/sh", "-c", "export LC_ALL=C; " + command}, &said), 0) << said;
    return said.substr(0, 64);
  }

  Daemon daemon_;
};

TEST_F(HashesTest, AVideo) {
  const v1::Job job = finish({"bwdif", clip(1), "-o", path("out.mkv"), "--encoder", "ffv1"});
  ASSERT_EQ(job.result().output_hashes_size(), 1);
  EXPECT_EQ(job.result().output_hashes(0).path(), path("out.mkv"));
  EXPECT_EQ(job.result().output_hashes(0).sha256(), judge("sha256sum " + path("out.mkv")));
  EXPECT_THAT(show(job), HasSubstr(job.result().output_hashes(0).sha256() + "  " + path("out.mkv")));

  const v1::Job without = finish({"bwdif", clip(1), "-o", path("b.mkv"), "--encoder", "ffv1", "--no-hash"});
  EXPECT_EQ(without.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(without.result().output_hashes_size(), 0);
  EXPECT_THAT(show(without), Not(HasSubstr("sha256")));
}

// The times of the pictures are published together with the video, and by no job that fails.
TEST_F(HashesTest, AVideoWithItsTimecodes) {
  const v1::Job job = finish({"bwdif", clip(1), "-o", path("out.mkv"), "--encoder", "ffv1", "--timecodes",
                              path("out.txt"), "--segment-frames", "10"});
  ASSERT_EQ(job.result().output_hashes_size(), 2);
  EXPECT_EQ(job.result().output_hashes(1).sha256(), judge("sha256sum " + path("out.txt")));
  std::string lines;
  EXPECT_EQ(run({"/bin/sh", "-c", "wc -l < " + path("out.txt")}, &lines), 0);
  EXPECT_EQ(std::stoll(lines), job.result().units_out() + 1);

  // Matroska declares its duration, so that a file without its second half is too short.
  std::string said;
  EXPECT_EQ(
      run({"/bin/sh", "-c",
           fmt::format("head -c $(($(stat -c %s {0}) / 2)) {0} > {1}", path("out.mkv"), path("half.mkv"))},
          &said),
      0);
  EXPECT_NE(run({WEFT, "--server", daemon_.address(), "submit", "bwdif", path("half.mkv"), "-o",
                 path("cut.mkv"), "--on-short-input", "fail", "--timecodes", path("cut.txt"), "--wait"},
                &said),
            0);
  EXPECT_EQ(daemon_.list().jobs(0).state(), v1::JOB_STATE_FAILED) << said;
  EXPECT_FALSE(std::filesystem::exists(path("cut.txt")));
}

TEST_F(HashesTest, AnImageWithItsPreview) {
  write_file(path("in.png"), make_picture());
  const v1::Job job = finish({"bloom", path("in.png"), "-o", path("out.png"), "--preview", path("look.png")});
  ASSERT_EQ(job.result().output_hashes_size(), 2);
  for (const v1::OutputHash& hash : job.result().output_hashes())
    EXPECT_EQ(hash.sha256(), judge("sha256sum " + hash.path())) << hash.path();
}

TEST_F(HashesTest, TheFramesOfASequence) {
  for (int i = 8; i <= 11; i++) write_file(path(fmt::format("in.{}.png", i)), make_picture());
  const v1::Job job = finish({"bloom", path("in.%d.png"), "-o", path("out.%d.png")});
  ASSERT_EQ(job.result().output_hashes_size(), 1);
  EXPECT_EQ(job.result().output_hashes(0).files(), 4);
  EXPECT_EQ(job.result().output_hashes(0).sha256(),
            judge("cd " + folder() + "; sha256sum out.*.png | sha256sum"));
  EXPECT_THAT(show(job), HasSubstr("(list of 4 files) " + path("out.%d.png")));
}

TEST_F(HashesTest, ATextureAndAFolderOfThem) {
  ASSERT_EQ(run({"/bin/mkdir", path("in"), path("2x")}), 0);
  for (const char* name : {"in/a.png", "in/b.png"}) write_file(path(name), make_picture());
  const v1::Job one = finish({"upsample", path("in/a.png"), "-o", path("a.dds"), "--model", "none"});
  ASSERT_EQ(one.result().output_hashes_size(), 1);
  EXPECT_EQ(one.result().output_hashes(0).sha256(), judge("sha256sum " + path("a.dds")));
  const v1::Job both = finish({"upsample", path("in/"), "-o", path("2x/{stem}_2x.dds"), "--model", "none"});
  ASSERT_EQ(both.result().output_hashes_size(), 1);
  EXPECT_EQ(both.result().output_hashes(0).files(), 2);
  EXPECT_EQ(both.result().output_hashes(0).sha256(),
            judge("cd " + path("2x") + "; sha256sum *_2x.dds | sha256sum"));
}

}  // namespace
}  // namespace weft::scenarios
