// SPDX-License-Identifier: Apache-2.0
// Tests that a task which is killed at any fault point leaves a work folder in which the other
// tasks of the job give the bytes of one device.
#include <csignal>
#include <mutex>
#include <random>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault_point.h"
#include "tests/server/worker/jobs.h"
#include "tests/server/worker/worker_process.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using internal::v1::FromWorker;
using internal::v1::ToWorker;

constexpr int kFrames = 24;
constexpr int kSegmentFrames = 6;

bool is_end(const FromWorker& message) { return message.has_job_finished() || message.has_job_stopped(); }

struct KilledJob {
  const char* name;
  const char* chain;
  int step;  // step between the fault points; the chains pass the same code
  decltype(&make_interlaced) make = make_interlaced;
};

class KilledTaskTest : public testing::TestWithParam<KilledJob> {
 protected:
  void SetUp() override {
    if (!kHasFaultPoints) GTEST_SKIP() << "built without fault points";
    clip_ = GetParam().make(folder_, "clip.ts", kFrames, "-c:v mpeg2video -flags +ildct+ilme -b:v 3M -g 3",
                            "176x144");
    const TestJob alone = make_job("alone");
    ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
    expected_ = media::read_file(alone.finished_path());
  }
  TestJob make_job(const std::string& name) {
    TestJob job(folder_, name, clip_);
    set_filters(job.video(), GetParam().chain);
    job.video().mutable_encoding()->set_segment_frames(kSegmentFrames);
    return job;
  }
  static std::unique_ptr<WorkerProcess> start(const TestJob& job, int task, int kill_at = 0) {
    std::vector<std::string> environment;
    if (kill_at > 0) environment.push_back(fmt::format("WEFT_KILL_AT={}", kill_at));
    auto worker = std::make_unique<WorkerProcess>(
        std::vector<std::string>{"--device", "cpu", "--channel", "{channel}", "--cpu-threads", "1",
                                 "--log-level", "warning", "--segments-at-once", "1"},
        environment);
    worker->wait_for([](const FromWorker& message) { return message.has_ready(); });
    const channel::FileDescriptor input(::open(job.input.c_str(), O_RDONLY | O_CLOEXEC));
    const channel::FileDescriptor folder(::open(job.work_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ToWorker order = job.order();
    order.mutable_start_job()->set_task(task);
    order.mutable_start_job()->mutable_settings()->set_devices("all");
    worker->send(order, {input.get(), folder.get()});
    return worker;
  }
  static void stop(WorkerProcess& worker, const TestJob& job) {
    ToWorker message;
    message.mutable_stop_job()->set_job_id(job.name);
    message.mutable_stop_job()->set_attempt(1);
    message.mutable_stop_job()->set_kind(internal::v1::STOP_KIND_PAUSE);
    worker.send(message);
    worker.wait_for(is_end);
  }

  media::TestFolder folder_;
  std::string clip_, expected_;
};

// The own task waits at its first segment until the other one has ended.
TEST_P(KilledTaskTest, AFurtherTaskIsKilledAtEveryFaultPoint) {
  for (int at = 1;; at += GetParam().step) {
    SCOPED_TRACE(at);
    ASSERT_LT(at, 1000) << "the points never end";
    const TestJob job = make_job(fmt::format("further-{}", at));
    auto further = start(job, 1, at);
    bool has_ended = false;  // without being killed
    std::once_flag once;
    JobOrder order = job.start();
    order.has_several_devices = true;
    const auto wait = [&](VideoRunner&, int) {
      std::call_once(once, [&] { has_ended = !further->wait_for(is_end).DebugString().empty(); });
    };
    const Ran ran = run_order(std::move(order), wait, cpu_device(), caches(), 0);
    ASSERT_THAT(ran.end.status, IsOk());
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), expected_));
    if (has_ended) {
      EXPECT_GT(at, kFrames / kSegmentFrames) << "there is at least a point a segment";
      break;
    }
    EXPECT_EQ(further->wait(), -SIGKILL);
  }
}

TEST_P(KilledTaskTest, TheOwnTaskIsKilledAtEveryFaultPoint) {
  for (int at = 1;; at += GetParam().step) {
    SCOPED_TRACE(at);
    ASSERT_LT(at, 1000) << "the points never end";
    const TestJob job = make_job(fmt::format("own-{}", at));
    auto further = start(job, 1);
    auto own = start(job, 0, at);
    const FromWorker end = own->wait_for(is_end);
    // The daemon stops the other tasks before the next attempt begins.
    stop(*further, job);
    if (end.has_job_finished()) {
      EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), expected_));
      break;
    }
    EXPECT_EQ(own->wait(), -SIGKILL);
    EXPECT_TRUE(start(job, 0)->wait_for(is_end).has_job_finished());
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), expected_));
  }
}

// Each attempt has three tasks, which are killed at random fault points, until the own one ends.
TEST_P(KilledTaskTest, AllTasksAreKilledAtRandomFaultPoints) {
  std::mt19937 random(2);
  const TestJob job = make_job("random");
  int killed = 0;  // number of attempts
  while (true) {
    SCOPED_TRACE(killed);
    ASSERT_LT(killed, 100) << "the job never ends";
    std::vector<std::unique_ptr<WorkerProcess>> further;
    for (const int task : {1, 2}) further.push_back(start(job, task, 1 + int(random() % 30)));
    auto own = start(job, 0, 1 + int(random() % 30));
    const bool has_finished = own->wait_for(is_end).has_job_finished();
    // The daemon ends the other tasks before the next attempt begins.
    for (const auto& task : further) {
      task->kill();
      task->wait();
    }
    if (has_finished) break;
    ASSERT_EQ(own->wait(), -SIGKILL);
    killed++;
  }
  EXPECT_GT(killed, 1);
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), expected_));
}

INSTANTIATE_TEST_SUITE_P(Chains, KilledTaskTest,
                         testing::Values(KilledJob{"bwdif", "bwdif", 2},
                                         KilledJob{"decimate", "yadif=frame,decimate", 5},
                                         KilledJob{"kfm", "kfm=preset=draft", 29, make_mixed_cadence}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace weft::worker
