// SPDX-License-Identifier: Apache-2.0
// Tests bloom of images and sequences with the real programs: command line, daemon and worker.
#include <csignal>
#include <filesystem>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "server/media/image/image_file.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Returns a dark picture with lamps, at other positions in each frame.
std::string make_image(int frame, int width, int height, media::ImageFormat format) {
  media::ImageInfo info;
  info.data = info.display = {0, 0, width, height};
  info.samples = media::SampleType::kFloat;
  media::Image image = media::make_image(info).value();
  for (size_t i = 0; i < image.sample_count(); i++)
    image.float_samples()[i] = i % 4 == 3 ? 1.0f : 0.01f * float((i * 7 + size_t(frame)) % 11);
  for (int lamp = 0; lamp < 5; lamp++) {
    const int index = (frame * 131 + lamp * 977) % (width * height);
    for (size_t c = 0; c < 3; c++) image.float_samples()[size_t(index) * 4 + c] = 200.0f;
  }
  return media::encode_image(image, {.format = format}).value();
}

class ImagesTest : public ScenarioTest {
 protected:
  ImagesTest() : daemon_(path("daemon")) {}

  void write_frames(int last, int width = 160, int height = 90) {
    for (int i = 1; i <= last; i++)
      write_file(path(fmt::format("in.{:03}.exr", i)),
                 make_image(i, width, height, media::ImageFormat::kOpenExr));
  }
  // Runs `weft WORDS` with this daemon. Returns its exit status.
  int weft(std::vector<std::string> words, std::string* output) {
    words.insert(words.begin(), {WEFT, "--server", daemon_.address()});
    return run(words, output);
  }
  v1::SubmitJobRequest sequence(const std::string& output) const {
    v1::SubmitJobRequest request;
    v1::ImageJob& job = *request.mutable_spec()->mutable_image();
    job.add_filters()->mutable_bloom();
    job.set_input(path("in.%03d.exr"));
    job.set_output(path(output));
    return request;
  }

  Daemon daemon_;
};

TEST_F(ImagesTest, OneImageFromTheCommandLineToItsPlace) {
  ASSERT_TRUE(daemon_.start());
  write_file(path("in.png"), make_image(1, 160, 90, media::ImageFormat::kPng));
  write_file(path("star.exr"), make_image(3, 31, 31, media::ImageFormat::kOpenExr));
  std::string said;
  ASSERT_EQ(weft({"submit", "bloom=kernel=" + path("star.exr"), path("in.png"), "-o", path("{stem}.out.png"),
                  "--preview", path("{stem}.look.png"), "--follow"},
                 &said),
            0)
      << said;
  EXPECT_THAT(said, HasSubstr("Done: " + path("in.out.png")));
  for (const char* name : {"in.out.png", "in.look.png"}) {
    const auto image = media::read_image(read_file(path(name)), name, {});
    ASSERT_TRUE(image.ok()) << image.status();
    EXPECT_EQ(image->info.format, media::ImageFormat::kPng);
  }
  EXPECT_THAT(leftovers(), IsEmpty());

  // An existing file is replaced only on request.
  EXPECT_NE(weft({"submit", "bloom", path("in.png"), "-o", path("in.out.png")}, &said), 0);
  EXPECT_THAT(said, HasSubstr("is there already"));
  EXPECT_EQ(weft({"submit", "bloom", path("in.png"), "-o", path("in.out.png"), "-y", "--wait"}, &said), 0)
      << said;

  ASSERT_EQ(weft({"submit", "bloom", path("in.png"), "-o", path("dry.exr"), "--dry-run"}, &said), 0) << said;
  EXPECT_THAT(said, AllOf(HasSubstr("PNG 160x90 8 bit"), HasSubstr("OpenEXR"), HasSubstr("1 in, 1 out")));
}

TEST_F(ImagesTest, ASequenceThatLacksAFrame) {
  ASSERT_TRUE(daemon_.start());
  write_frames(6);
  fs::remove(path("in.004.exr"));
  std::string said;
  const std::vector<std::string> words = {"submit", "bloom",           path("in.*.exr"),
                                          "-o",     path("out.*.png"), "--wait"};
  EXPECT_NE(weft(words, &said), 0);
  EXPECT_THAT(said, AllOf(HasSubstr("lacks 1 of 6 frames (4"), HasSubstr("leave out what is missing")));
  std::vector<std::string> skipping = words;
  skipping.insert(skipping.end(), {"--missing", "skip"});
  ASSERT_EQ(weft(skipping, &said), 0) << said;
  for (int i = 1; i <= 6; i++) EXPECT_EQ(fs::exists(path(fmt::format("out.{:03}.png", i))), i != 4) << i;
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(ImagesTest, ABrokenImageIsRefusedOrFailsAndTheDaemonLives) {
  ASSERT_TRUE(daemon_.start());
  const std::string whole = make_image(1, 160, 90, media::ImageFormat::kOpenExr);
  write_file(path("header.exr"), whole.substr(0, 40));
  write_file(path("samples.exr"), whole.substr(0, whole.size() * 3 / 4));
  std::string said;
  EXPECT_NE(weft({"submit", "bloom", path("header.exr"), "-o", path("out.exr")}, &said), 0);
  EXPECT_THAT(said, HasSubstr("header.exr"));
  EXPECT_NE(weft({"submit", "bloom", path("samples.exr"), "-o", path("out.exr"), "--wait"}, &said), 0);
  EXPECT_THAT(said, HasSubstr("samples.exr"));
  EXPECT_FALSE(fs::exists(path("out.exr")));
  write_file(path("good.exr"), whole);
  EXPECT_EQ(weft({"submit", "bloom", path("good.exr"), "-o", path("out.exr"), "--wait"}, &said), 0) << said;
  EXPECT_TRUE(daemon_.is_running());
}

TEST_F(ImagesTest, AKilledWorkerChangesNoByteOfASequence) {
  ASSERT_TRUE(daemon_.start());
  write_frames(60, 480, 270);
  daemon_.wait_for_end_of(daemon_.submit(sequence("whole.%03d.exr")));
  const std::string id = daemon_.submit(sequence("killed.%03d.exr"));
  daemon_.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() >= 3 || has_ended(job); });
  ::kill(pid_t(daemon_.device("cpu")->worker_pid()), SIGKILL);
  const v1::Job job = daemon_.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_EQ(job.attempt(), 2);
  EXPECT_GE(job.result().segments_resumed(), 3);
  for (int i = 1; i <= 60; i++)
    EXPECT_EQ(read_file(path(fmt::format("killed.{:03}.exr", i))) ==
                  read_file(path(fmt::format("whole.{:03}.exr", i))),
              true)
        << i;
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(ImagesTest, ACancelledSequenceLeavesNothing) {
  ASSERT_TRUE(daemon_.start());
  write_frames(60, 480, 270);
  const std::string id = daemon_.submit(sequence("out.%03d.exr"));
  daemon_.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() >= 1 || has_ended(job); });
  v1::CancelJobRequest cancel;
  cancel.set_id(id);
  v1::CancelJobResponse response;
  ASSERT_TRUE(daemon_.jobs().CancelJob(call_context().get(), cancel, &response).ok());
  EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(wait_until([&] { return leftovers().empty(); }));
  EXPECT_FALSE(fs::exists(path("out.001.exr")));
}

}  // namespace
}  // namespace weft::scenarios
