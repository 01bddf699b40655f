// SPDX-License-Identifier: Apache-2.0
// Tests pictures of jobs' files, read by real processes. fake_worker acts as weft-worker. Its
// picture has one byte: the number in the file that was opened for it.
#include "server/queue/supervision/pictures.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "server/queue/supervision/supervisor.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

// Ignores all events, since these tests need none.
class NoEvents final : public WorkerEvents {
  void on_device(const v1::DeviceStatus&) override {}
  void on_report(std::string_view, const internal::v1::DeviceReport&) override {}
  void on_progress(const AttemptId&, const v1::JobProgress&) override {}
  void on_segment_finished(const AttemptId&, int, int64_t) override {}
  void on_finished(const AttemptId&, const v1::JobResult&) override {}
  void on_stopped(const AttemptId&, const Status&, bool, const v1::JobResult&) override {}
  void on_start_refused(const AttemptId&, const Status&) override {}
  void on_out_of_space(const AttemptId&, const Status&) override {}
  void on_session_refused(const AttemptId&, const Status&, int, const v1::JobResult&) override {}
  void on_worker_lost(std::string_view, const std::vector<AttemptId>&, std::string_view) override {}
  void on_log(const AttemptId&, std::string_view, std::string_view) override {}
  void on_file_wait(const AttemptId&, std::string_view) override {}
};

class PicturesTest : public testing::Test {
 protected:
  void begin() {
    config_.workers.arguments = {FAKE_WORKER};
    config_.workers.lock_folder = folder_.path() + "/locks";
    auto made = Supervisor::make(config_, {}, events_, clock_);
    ASSERT_TRUE(made.ok()) << made.status();
    supervisor_ = *std::move(made);
    supervisor_->begin();
    pictures_ = std::make_unique<Pictures>(supervisor_->picture_worker());
  }
  void TearDown() override {
    if (!supervisor_) return;
    pictures_->stop();
    supervisor_->shut_down(std::chrono::seconds(5));
  }

  // Makes a job with `input` and `output` as the content of its files, which the fake worker reads.
  v1::Job make_job(const std::string& input, const std::string& output) {
    v1::Job job;
    job.set_id("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    job.mutable_settings()->set_owner("ann");
    write("in.ts", input);
    write("out.mkv", output);
    job.mutable_spec()->mutable_video()->set_input(folder_.path() + "/in.ts");
    job.mutable_spec()->mutable_video()->set_output(folder_.path() + "/out.mkv");
    return job;
  }
  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() + "/" + name) << text << "\n";
  }
  static v1::ReadPictureRequest request(v1::PictureSide side, int64_t index = 0) {
    v1::ReadPictureRequest result;
    result.set_side(side);
    result.set_index(index);
    return result;
  }
  StatusOr<DecodedPicture> read(const v1::Job& job, const v1::ReadPictureRequest& request,
                                const Caller& caller = {"ann"}) {
    return ask<DecodedPicture>([&](auto done) { pictures_->read(job, request, caller, done); });
  }
  static int sample(const DecodedPicture& picture) {
    char byte = -1;
    return ::pread(picture.samples.get(), &byte, 1, 0) == 1 ? byte : -1;
  }

  TemporaryFolder folder_;
  SystemClock clock_;
  NoEvents events_;
  SupervisorConfig config_;
  std::unique_ptr<Supervisor> supervisor_;
  std::unique_ptr<Pictures> pictures_;
};

TEST_F(PicturesTest, EitherSideIsReadFromTheJobsOwnFile) {
  begin();
  const v1::Job job = make_job("one", "other");
  const auto before = read(job, request(v1::PICTURE_SIDE_INPUT, 5));
  ASSERT_TRUE(before.ok()) << before.status();
  EXPECT_EQ(before->description.file(), folder_.path() + "/in.ts");
  EXPECT_EQ(before->bytes, 1);
  EXPECT_EQ(sample(*before), 5);
  const auto after = read(job, request(v1::PICTURE_SIDE_OUTPUT, 6));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->description.file(), folder_.path() + "/out.mkv");
  EXPECT_EQ(sample(*after), 6);
}

TEST_F(PicturesTest, ASideThatIsMissingIsSaid) {
  begin();
  v1::Job job = make_job("one", "other");
  EXPECT_THAT(read(job, {}), StatusIs(StatusCode::kInvalidArgument, "give input or output"));
  job.set_state(v1::JOB_STATE_RUNNING);
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_OUTPUT)),
              StatusIs(StatusCode::kFailedPrecondition, "no output yet: it is running"));
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)), IsOk());
  std::filesystem::remove(folder_.path() + "/in.ts");
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)), StatusIs(StatusCode::kInvalidArgument, "in.ts"));
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  std::filesystem::remove(folder_.path() + "/out.mkv");
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_OUTPUT)),
              StatusIs(StatusCode::kInvalidArgument, "The output does not exist"));
}

TEST_F(PicturesTest, OthersDoNotSeeThem) {
  begin();
  const v1::Job job = make_job("one", "other");
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT), {"bob"}),
              StatusIs(StatusCode::kPermissionDenied, "is ann's"));
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT), {"root", true, true}), IsOk());
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT), {.user = "carol", .is_operator = true}), IsOk());
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT), {}),
              StatusIs(StatusCode::kPermissionDenied, "not known"));
}

TEST_F(PicturesTest, FramesOfASequenceAreCountedInTheirOrder) {
  begin();
  v1::Job job;
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  job.mutable_settings()->set_owner("ann");
  v1::ImageJob& bloom = *job.mutable_spec()->mutable_image();
  bloom.set_input(folder_.path() + "/a.####.exr");
  bloom.set_output(folder_.path() + "/b.####.exr");
  for (const char* name : {"a.0007.exr", "a.0009.exr", "a.0008.exr", "a.0100.exr"}) write(name, "frame");
  const auto third = read(job, request(v1::PICTURE_SIDE_INPUT, 2));
  ASSERT_TRUE(third.ok()) << third.status();
  EXPECT_EQ(third->description.file(), folder_.path() + "/a.0009.exr");
  EXPECT_EQ(third->description.pictures(), 4);
  EXPECT_EQ(sample(*third), 0) << "the only one of its file";
  for (const int64_t index : {int64_t{4}, int64_t{-1}, int64_t{1} << 40})
    EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT, index)),
                StatusIs(StatusCode::kOutOfRange, "it has 4"));
  bloom.set_frames("8-9");
  EXPECT_EQ(read(job, request(v1::PICTURE_SIDE_INPUT, 1))->description.file(),
            folder_.path() + "/a.0009.exr");
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT, 2)), StatusIs(StatusCode::kOutOfRange, "it has 2"));
}

TEST_F(PicturesTest, TheWorkersErrorIsTheAnswerAndAFileThatKillsIsBlamed) {
  begin();
  v1::Job job = make_job("crash", "fail");
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_OUTPUT, 3)),
              StatusIs(StatusCode::kOutOfRange, "no picture 3"));
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)), StatusIs(StatusCode::kInvalidArgument, "damaged"));
  write("in.ts", "hang");
  const Duration usual = std::exchange(config_.probe_timeout, std::chrono::milliseconds(300));
  supervisor_->change(config_);
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)), StatusIs(StatusCode::kInvalidArgument, "too long"));
  write("in.ts", "one");
  config_.probe_timeout = usual;
  supervisor_->change(config_);
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)), IsOk());
}

TEST_F(PicturesTest, OneTooManyIsRefusedAndAPlaceIsFreeWhenAPictureIsTaken) {
  begin();
  const v1::Job job = make_job("one", "other");
  std::vector<DecodedPicture> held;
  for (size_t i = 0; i < kMaxPictures; i++) {
    auto picture = read(job, request(v1::PICTURE_SIDE_INPUT));
    ASSERT_TRUE(picture.ok()) << picture.status();
    held.push_back(*std::move(picture));
  }
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)),
              StatusIs(StatusCode::kResourceExhausted, "at most 8 at once"));
  held.pop_back();
  EXPECT_THAT(read(job, request(v1::PICTURE_SIDE_INPUT)), IsOk());
}

// A client sends its next request directly after an answer.
TEST_F(PicturesTest, APlaceIsFreeWhenAnErrorIsTold) {
  begin();
  const v1::Job good = make_job("one", "other");
  std::vector<DecodedPicture> held;
  while (held.size() + 1 < kMaxPictures) {
    auto picture = read(good, request(v1::PICTURE_SIDE_INPUT));
    ASSERT_TRUE(picture.ok()) << picture.status();
    held.push_back(*std::move(picture));
  }
  const auto ask_after_error = [&](const v1::Job& bad, v1::PictureSide side) {
    return ask<DecodedPicture>([&](auto done) {
      pictures_->read(bad, request(side), {"ann"},
                      [this, &good, done](const StatusOr<DecodedPicture>& refused) {
                        EXPECT_FALSE(refused.ok());
                        pictures_->read(good, request(v1::PICTURE_SIDE_INPUT), {"ann"}, done);
                      });
    });
  };
  v1::Job missing = good;
  missing.mutable_spec()->mutable_video()->set_input(folder_.path() + "/missing.ts");
  EXPECT_THAT(ask_after_error(missing, v1::PICTURE_SIDE_INPUT), IsOk());
  write("out.mkv", "fail");
  EXPECT_THAT(ask_after_error(good, v1::PICTURE_SIDE_OUTPUT), IsOk()) << "the worker's own error";
}

}  // namespace
}  // namespace weft::queue
