// SPDX-License-Identifier: Apache-2.0
#include "client_cli/jobs/progress.h"

#include <gmock/gmock.h>

namespace weft::cli {
namespace {

using std::chrono::seconds;

v1::JobProgress progress_of(int64_t done, int64_t total, double rate) {
  v1::JobProgress progress;
  progress.set_units_done(done);
  progress.set_units_total(total);
  progress.set_units_per_second(rate);
  return progress;
}

std::map<std::string, v1::Job> running(int64_t done, int64_t total, double rate) {
  v1::Job job;
  job.mutable_spec()->mutable_video();
  job.set_state(v1::JOB_STATE_RUNNING);
  *job.mutable_progress() = progress_of(done, total, rate);
  return {{"A", job}};
}

TEST(FormatProgress, PartsThatAreNotKnownAreLeftOut) {
  v1::JobProgress progress = progress_of(12345, 29160, 187.42);
  progress.mutable_eta()->set_seconds(89);
  EXPECT_EQ(format_progress(progress, "frame"), "[ 42.3%] 12345/29160 frames, 187.42 fps, eta 0:01:29");
  EXPECT_EQ(format_progress(progress_of(100, 100, 0), "frame"), "[100.0%] 100/100 frames");
  EXPECT_EQ(format_progress(progress_of(7, 0, 2), "frame"), "7 frames, 2.00 fps");
  EXPECT_EQ(format_progress(progress_of(1, 0, 2), "frame"), "1 frame, 2.00 fps");
  EXPECT_EQ(format_progress(progress_of(0, 1, 0), "frame"), "[  0.0%] 0/1 frame");
  EXPECT_EQ(format_progress(progress_of(120, 100, 0), "frame"), "[100.0%] 120/100 frames");
  EXPECT_EQ(format_progress(progress_of(1, 2, 3), "image"), "[ 50.0%] 1/2 images, 3.00 images/s");
}

TEST(SumProgress, AddsJobsUp) {
  std::map<std::string, v1::Job> jobs = running(50, 100, 10);
  v1::Job done;
  done.set_state(v1::JOB_STATE_SUCCEEDED);
  done.mutable_result()->set_units_in(100);
  jobs["B"] = done;
  const v1::JobProgress sum = sum_progress(jobs);
  EXPECT_EQ(sum.units_done(), 150);
  EXPECT_EQ(sum.units_total(), 200);
  EXPECT_EQ(sum.eta().seconds(), 5);
  v1::Job queued;
  queued.set_state(v1::JOB_STATE_QUEUED);
  jobs["C"] = queued;
  EXPECT_EQ(sum_progress(jobs).units_total(), 0) << "nobody knows how much C is";
}

TEST(SumProgress, IsNeverNoTimeFromTheEnd) {
  std::map<std::string, v1::Job> jobs = running(100, 100, 1000);
  jobs["B"] = jobs.begin()->second;
  EXPECT_FALSE(sum_progress(jobs).has_eta());
  jobs["B"].mutable_progress()->set_units_done(99);
  EXPECT_EQ(sum_progress(jobs).eta().seconds(), 1);
}

// The whole output as one text.
std::string written;
void write(std::string_view text) { written += text; }

class View : public ::testing::Test {
 protected:
  View() { written.clear(); }
  VirtualClock clock_;
};

TEST_F(View, PlainLinesComeAtIntervals) {
  ProgressView view(Terminal(), clock_, seconds(5), write);
  view.show(running(1, 10, 1));
  view.show(running(2, 10, 1));
  clock_.advance(seconds(5));
  view.show(running(3, 10, 1));
  view.print("Done.");
  EXPECT_EQ(written, "[ 10.0%] 1/10 frames, 1.00 fps\n[ 30.0%] 3/10 frames, 1.00 fps\nDone.\n");
}

TEST_F(View, ABarIsDrawnOverAndTakenAway) {
  Terminal terminal{true, false, true, 20};
  {
    ProgressView view(terminal, clock_, seconds(5), write);
    view.show(running(1, 10, 0));
    EXPECT_EQ(written, "\r[ 10.0%] 1/10 fram…\x1b[K") << "no wider than the terminal";
    clock_.advance(std::chrono::milliseconds(50));
    view.show(running(2, 10, 0));
    EXPECT_EQ(written, "\r[ 10.0%] 1/10 fram…\x1b[K") << "not more often than eyes want";
    written.clear();
    view.print("Line.");
    EXPECT_EQ(written, "\r\x1b[KLine.\n");
    clock_.advance(std::chrono::milliseconds(100));
    view.show(running(2, 10, 0));
    written.clear();
  }
  EXPECT_EQ(written, "\r\x1b[K");
}

TEST_F(View, WaitingJobsSayWhy) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_QUEUED);
  job.set_waiting_reason("The device cpu is busy.");
  ProgressView view(Terminal(), clock_, seconds(5), write);
  view.show({{"A", job}});
  EXPECT_EQ(written, "The device cpu is busy.\n");
}

TEST_F(View, AJobThatBeginsSaysWhatItDoes) {
  std::map<std::string, v1::Job> jobs = running(0, 0, 0);
  ProgressView view(Terminal(), clock_, seconds(5), write);
  view.show(jobs);
  jobs["A"].mutable_progress()->set_stage("analysing");
  view.show(jobs, true);
  EXPECT_EQ(written, "analysing\n");
}

}  // namespace
}  // namespace weft::cli
