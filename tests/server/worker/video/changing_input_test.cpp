// SPDX-License-Identifier: Apache-2.0
// Tests jobs with an input that grows while they run, or that ends early.
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_PAUSE;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class ChangingInputTest : public testing::Test {
 protected:
  // Makes the first part of the input and its later continuation.
  ChangingInputTest() {
    const std::string whole = media::read_file(media::make_clip(
        folder_, "whole.ts",
        "-f lavfi -i testsrc2=size=64x48:rate=25 -f lavfi -i sine -t 8 -c:v mpeg2video -c:a mp2"));
    constexpr size_t kPacketBytes = 188;
    const size_t half = whole.size() / 2 / kPacketBytes * kPacketBytes;
    begin_ = whole.substr(0, half);
    rest_ = whole.substr(half);
  }
  TestJob job_on(const std::string& name) {
    media::write_file(folder_.path(name + ".ts"), begin_);
    TestJob job(folder_, name, folder_.path(name + ".ts"));
    job.video().mutable_encoding()->set_segment_frames(20);
    return job;
  }
  void grow(const TestJob& job) { std::ofstream(job.input, std::ios::app | std::ios::binary) << rest_; }

  media::TestFolder folder_;
  std::string begin_, rest_;
};

TEST_F(ChangingInputTest, OneThatGrowsIsReadAsItWas) {
  const TestJob calm = job_on("calm");
  const Ran expected = run_attempt(calm);
  ASSERT_THAT(expected.end.status, IsOk());
  EXPECT_THAT(expected.end.result.notes(), Not(Contains(HasSubstr("grew"))));

  const TestJob growing = job_on("growing");
  const Ran ran = run_attempt(growing, [&](VideoRunner&, int index) {
    if (index == 0) grow(growing);
  });
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.end.result.notes(), Contains(HasSubstr("The input grew from")));
  EXPECT_TRUE(same_bytes(media::read_file(growing.finished_path()), media::read_file(calm.finished_path())));
}

TEST_F(ChangingInputTest, LaterAttemptsReadItAsTheFirstDid) {
  const TestJob calm = job_on("calm");
  ASSERT_THAT(run_attempt(calm).end.status, IsOk());
  const TestJob growing = job_on("growing");
  const Ran stopped = run_attempt(growing, [&](VideoRunner& runner, int index) {
    if (index == 1) runner.stop(STOP_KIND_PAUSE);
  });
  ASSERT_THAT(stopped.end.status, StatusIs(StatusCode::kCancelled));
  grow(growing);
  const Ran ran = run_attempt(growing);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_GE(ran.end.result.segments_resumed(), 2);
  EXPECT_THAT(ran.end.result.notes(), Contains(HasSubstr("The input grew from")));
  EXPECT_TRUE(same_bytes(media::read_file(growing.finished_path()), media::read_file(calm.finished_path())));
}

TEST_F(ChangingInputTest, AnotherInputIsNoneThatGrew) {
  const TestJob job = job_on("other");
  const Ran stopped = run_attempt(job, [&](VideoRunner& runner, int index) {
    if (index == 1) runner.stop(STOP_KIND_PAUSE);
  });
  ASSERT_THAT(stopped.end.status, StatusIs(StatusCode::kCancelled));
  media::write_file(job.input, rest_ + begin_);
  const Ran ran = run_attempt(job);
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_EQ(ran.end.result.segments_resumed(), 0);
}

TEST_F(ChangingInputTest, OneThatIsShortIsNotedOrFails) {
  const std::string whole = media::make_clip(
      folder_, "whole.mkv", "-f lavfi -i testsrc2=size=64x48:rate=25 -t 4 -c:v ffv1 -pix_fmt yuv420p");
  const std::string bytes = media::read_file(whole);
  media::write_file(folder_.path("half.mkv"), bytes.substr(0, bytes.size() / 2));
  TestJob job(folder_, "half", folder_.path("half.mkv"));
  job.video().mutable_encoding()->set_segment_frames(10);
  const Ran noted = run_attempt(job);
  ASSERT_THAT(noted.end.status, IsOk());
  EXPECT_THAT(noted.end.result.notes(), Contains(HasSubstr("The input is short: ")));
  // This attempt only makes the file. It decodes nothing that would show the missing end again.
  const Ran again = run_attempt(job);
  ASSERT_THAT(again.end.status, IsOk());
  EXPECT_THAT(again.end.result.notes(), Contains(HasSubstr("The input is short: ")));

  TestJob strict(folder_, "strict", folder_.path("half.mkv"));
  strict.video().mutable_decoding()->set_on_short_input(v1::SHORT_INPUT_FAIL);
  EXPECT_THAT(run_attempt(strict).end.status, StatusIs(StatusCode::kDataLoss, "--on-short-input note"));
  TestJob part(folder_, "part", folder_.path("half.mkv"));
  part.video().mutable_decoding()->set_on_short_input(v1::SHORT_INPUT_FAIL);
  part.video().set_to("1");
  EXPECT_THAT(run_attempt(part).end.status, IsOk()) << "the part is there";
}

}  // namespace
}  // namespace weft::worker
