// SPDX-License-Identifier: Apache-2.0
// A worker that is killed at any moment loses nothing that was told durable, and the next one's output has the same
// bytes as an undisturbed run's.
#include <csignal>
#include <random>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault_point.h"
#include "tests/server/worker/jobs.h"
#include "tests/server/worker/worker_process.h"

namespace weft::worker {
namespace {

using internal::v1::FromWorker;
using internal::v1::ToWorker;

constexpr int kFrames = 24;
constexpr int kSegmentFrames = 6;

bool is_ready(const FromWorker& message) { return message.has_ready(); }
bool is_end(const FromWorker& message) { return message.has_job_finished() || message.has_job_stopped(); }

std::unique_ptr<WorkerProcess> start_worker(const TestJob& job,
                                            const std::vector<std::string>& environment = {}) {
  const std::vector<std::string> arguments = {"--device",      "cpu", "--channel",   "{channel}",
                                              "--cpu-threads", "2",   "--log-level", "warning"};
  auto worker = std::make_unique<WorkerProcess>(arguments, environment);
  worker->wait_for(is_ready);
  const channel::FileDescriptor input(::open(job.input.c_str(), O_RDONLY | O_CLOEXEC));
  const channel::FileDescriptor folder(::open(job.work_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  worker->send(job.order(), {input.get(), folder.get()});
  return worker;
}

class KilledWorkerTest : public testing::TestWithParam<v1::Encoder> {
 protected:
  KilledWorkerTest() : clip_(make_interlaced(folder_, "clip.ts", kFrames)) {}

  TestJob make_job(const std::string& name) {
    TestJob job(folder_, name, clip_);
    job.video().mutable_encoding()->set_encoder(GetParam());
    job.video().mutable_encoding()->set_segment_frames(kSegmentFrames);
    return job;
  }
  std::string undisturbed() {
    const TestJob job = make_job("undisturbed");
    EXPECT_TRUE(start_worker(job)->wait_for(is_end).has_job_finished());
    return media::read_file(job.finished_path());
  }
  // Lets the job go on to its end and returns its bytes. `segments`: that were told durable.
  std::string go_on(const TestJob& job, int segments) {
    const FromWorker end = start_worker(job)->wait_for(is_end);
    EXPECT_TRUE(end.has_job_finished()) << end.DebugString();
    EXPECT_GE(end.job_finished().result().segments_resumed(), segments);
    EXPECT_EQ(end.job_finished().result().frames_in(), kFrames);
    return media::read_file(job.finished_path());
  }

  media::TestFolder folder_;
  std::string clip_;
};

TEST_P(KilledWorkerTest, KilledAfterEverySegment) {
  const std::string expected = undisturbed();
  ASSERT_FALSE(expected.empty());
  for (int segments = 1; segments <= kFrames / kSegmentFrames; segments++) {
    const TestJob job = make_job(fmt::format("segment-{}", segments));
    {
      auto worker = start_worker(job);
      worker->wait_for([&](const FromWorker& message) {
        return message.has_segment_finished() && message.segment_finished().index() == segments - 1;
      });
      worker->kill();
      EXPECT_EQ(worker->wait(), -SIGKILL);
    }
    EXPECT_TRUE(same_bytes(go_on(job, segments), expected)) << "after segment " << segments;
  }
}

// One job, killed again and again at random moments until it comes through.
TEST_P(KilledWorkerTest, KilledAtRandomMoments) {
  const std::string expected = undisturbed();
  const TestJob job = make_job("random");
  std::mt19937 random(5);
  int durable = 0;
  for (int kill = 0; kill < 15; kill++) {
    auto worker = start_worker(job);
    int left = int(random() % 12);  // messages that are let pass
    const FromWorker last = worker->wait_for([&](const FromWorker& message) {
      if (message.has_segment_finished()) durable = std::max(durable, message.segment_finished().index() + 1);
      return is_end(message) || left-- == 0;
    });
    ASSERT_FALSE(last.has_job_stopped()) << last.DebugString();
    worker->kill();
    worker->wait();
  }
  EXPECT_TRUE(same_bytes(go_on(job, durable), expected));
}

TEST_P(KilledWorkerTest, KilledAtEveryFaultPoint) {
  if (!kHasFaultPoints) GTEST_SKIP() << "built without fault points";
  const std::string expected = undisturbed();
  for (int at = 1;; at++) {
    ASSERT_LT(at, 1000) << "the points never end";
    const TestJob job = make_job(fmt::format("point-{}", at));
    int durable = 0;
    auto worker = start_worker(job, {fmt::format("WEFT_KILL_AT={}", at)});
    const FromWorker end = worker->wait_for([&](const FromWorker& message) {
      if (message.has_segment_finished()) durable = message.segment_finished().index() + 1;
      return is_end(message);
    });
    if (end.has_job_finished()) {
      EXPECT_GT(at, 2 * kFrames / kSegmentFrames) << "there are two points a segment";
      break;
    }
    EXPECT_EQ(worker->wait(), -SIGKILL);
    EXPECT_TRUE(same_bytes(go_on(job, durable), expected)) << "at point " << at;
  }
}

INSTANTIATE_TEST_SUITE_P(Encoders, KilledWorkerTest, testing::Values(v1::ENCODER_FFV1, v1::ENCODER_X264),
                         [](const auto& test) { return test.param == v1::ENCODER_FFV1 ? "ffv1" : "x264"; });

}  // namespace
}  // namespace weft::worker
