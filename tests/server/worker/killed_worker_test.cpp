// SPDX-License-Identifier: Apache-2.0
// Tests that a worker that is killed at any moment loses no segment that it reported as durable.
// The output of the next worker has the same bytes as that of a run without a kill.
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <set>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

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

bool is_ready(const FromWorker& message) { return message.has_ready(); }
bool is_end(const FromWorker& message) { return message.has_job_finished() || message.has_job_stopped(); }

std::unique_ptr<WorkerProcess> start_worker(const TestJob& job,
                                            const std::vector<std::string>& environment = {},
                                            int segments_at_once = 1) {
  const std::vector<std::string> arguments = {
      "--device", "cpu",         "--channel", "{channel}",          "--cpu-threads",
      "2",        "--log-level", "warning",   "--segments-at-once", std::to_string(segments_at_once)};
  auto worker = std::make_unique<WorkerProcess>(arguments, environment);
  worker->wait_for(is_ready);
  const channel::FileDescriptor input(::open(job.input.c_str(), O_RDONLY | O_CLOEXEC));
  const channel::FileDescriptor folder(::open(job.work_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  worker->send(job.order(), {input.get(), folder.get()});
  return worker;
}

struct KilledJob {
  const char* name;
  v1::Encoder encoder;
  const char* chain = "bwdif";
  const char* from = "";
  const char* to = "";
  int frames = kFrames;
  int first_point = 1, point_step = 1;  // numbers of the fault points at which the worker is killed
  int segments_at_once = 1;
  const char* codec = "-c:v mpeg2video -flags +ildct+ilme -b:v 3M";
  int two_pass_rate = 0;  // kbit/s; 0: one pass at a constant quality
};

class KilledWorkerTest : public testing::TestWithParam<KilledJob> {
 protected:
  KilledWorkerTest() : clip_(make_interlaced(folder_, "clip.ts", kFrames, GetParam().codec)) {}

  TestJob make_job(const std::string& name) {
    TestJob job(folder_, name, clip_);
    set_filters(job.video(), GetParam().chain);
    job.video().set_from(GetParam().from);
    job.video().set_to(GetParam().to);
    job.video().mutable_encoding()->set_encoder(GetParam().encoder);
    job.video().mutable_encoding()->set_segment_frames(kSegmentFrames);
    if (GetParam().two_pass_rate > 0) {
      job.video().mutable_encoding()->set_passes(2);
      job.video().mutable_encoding()->set_bitrate(GetParam().two_pass_rate);
    }
    return job;
  }
  static std::unique_ptr<WorkerProcess> start(const TestJob& job,
                                              const std::vector<std::string>& environment = {}) {
    return start_worker(job, environment, GetParam().segments_at_once);
  }
  std::string undisturbed() {
    const TestJob job = make_job("undisturbed");
    EXPECT_TRUE(start_worker(job)->wait_for(is_end).has_job_finished());
    return media::read_file(job.finished_path());
  }
  // Runs the job to its end and returns the bytes of its output. `segments` is the number of
  // segments that were reported as durable.
  std::string go_on(const TestJob& job, int segments) {
    const FromWorker end = start(job)->wait_for(is_end);
    EXPECT_TRUE(end.has_job_finished()) << end.DebugString();
    EXPECT_GE(end.job_finished().result().segments_resumed(), segments);
    EXPECT_EQ(end.job_finished().result().units_in(), GetParam().frames);
    return media::read_file(job.finished_path());
  }

  media::TestFolder folder_;
  std::string clip_;
};

TEST_P(KilledWorkerTest, KilledAfterEverySegment) {
  const std::string expected = undisturbed();
  ASSERT_FALSE(expected.empty());
  for (int segments = 1; segments <= GetParam().frames / kSegmentFrames; segments++) {
    const TestJob job = make_job(fmt::format("segment-{}", segments));
    {
      auto worker = start(job);
      worker->wait_for([&](const FromWorker& message) {
        return message.has_segment_finished() && message.segment_finished().index() == segments - 1;
      });
      worker->kill();
      EXPECT_EQ(worker->wait(), -SIGKILL);
    }
    EXPECT_TRUE(same_bytes(go_on(job, segments), expected)) << "after segment " << segments;
  }
}

// One job is killed at random moments, again and again, until it ends.
TEST_P(KilledWorkerTest, KilledAtRandomMoments) {
  const std::string expected = undisturbed();
  const TestJob job = make_job("random");
  std::mt19937 random(5);
  int durable = 0;
  for (int kill = 0; kill < 15; kill++) {
    auto worker = start(job);
    int left = int(random() % 12);  // number of messages before the kill
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
  for (int at = GetParam().first_point;; at += GetParam().point_step) {
    ASSERT_LT(at, 1000) << "the points never end";
    const TestJob job = make_job(fmt::format("point-{}", at));
    int durable = 0;
    auto worker = start(job, {fmt::format("WEFT_KILL_AT={}", at)});
    const FromWorker end = worker->wait_for([&](const FromWorker& message) {
      if (message.has_segment_finished()) durable = message.segment_finished().index() + 1;
      return is_end(message);
    });
    if (end.has_job_finished()) {
      EXPECT_GT(at, 2 * GetParam().frames / kSegmentFrames) << "there are two points a segment";
      break;
    }
    EXPECT_EQ(worker->wait(), -SIGKILL);
    EXPECT_TRUE(same_bytes(go_on(job, durable), expected)) << "at point " << at;
  }
}

// The fault points are in the code of segments and passes, which encoders and filters do not
// change. x264 and the chain pass the same points as ffv1, and the part those of the decimated
// clip. So these jobs are killed at every third point only.
constexpr const char* kDecimating = "yadif=field,decimate,resize=96x80";
INSTANTIATE_TEST_SUITE_P(
    Jobs, KilledWorkerTest,
    testing::Values(KilledJob{"ffv1", v1::ENCODER_FFV1},
                    KilledJob{"x264", v1::ENCODER_X264, "bwdif", "", "", kFrames, 2, 3},
                    KilledJob{"chain", v1::ENCODER_FFV1, "yadif,resize=96x80,deband", "", "", kFrames, 3, 3},
                    KilledJob{"decimate", v1::ENCODER_X264, kDecimating},
                    KilledJob{"lanes", v1::ENCODER_FFV1, "bwdif", "", "", kFrames, 1, 1, 3,
                              "-c:v mpeg2video -flags +ildct+ilme -b:v 3M -g 3"},
                    KilledJob{"twopasses", v1::ENCODER_X264, "bwdif", "", "", kFrames, 1, 5, 1,
                              "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", 300},
                    KilledJob{"part", v1::ENCODER_FFV1, kDecimating, "3f", "0.7", 18, 1, 3}),
    [](const auto& test) { return test.param.name; });

// The first pass is repeated if its sizes are far from the bit rate; 20 kbit/s makes sure of it.
TEST(KilledFirstPass, GivesTheSameBytes) {
  if (!kHasFaultPoints) GTEST_SKIP() << "built without fault points";
  const media::TestFolder folder;
  const std::string clip = make_interlaced(folder, "clip.ts", kFrames);
  const auto make_job = [&](const std::string& name) {
    TestJob job(folder, name, clip);
    job.video().mutable_encoding()->set_encoder(v1::ENCODER_X264);
    job.video().mutable_encoding()->set_bitrate(20);
    job.video().mutable_encoding()->set_passes(2);
    job.video().mutable_encoding()->set_segment_frames(kSegmentFrames);
    return job;
  };
  const TestJob undisturbed = make_job("undisturbed");
  ASSERT_TRUE(start_worker(undisturbed)->wait_for(is_end).has_job_finished());
  ASSERT_TRUE(std::filesystem::exists(undisturbed.work_folder + "/first-pass-1-000000.weft"));
  const std::string expected = media::read_file(undisturbed.finished_path());
  for (const char* const point : {"worker.first_pass.finished:1", "worker.first_pass.finished:2",
                                  "worker.segment.before_finish:2", "worker.segment.after_finish:6"}) {
    SCOPED_TRACE(point);
    const TestJob job = make_job(point);
    const auto killed = start_worker(job, {fmt::format("WEFT_KILL_AT={}", point)});
    killed->wait_for(is_end);
    ASSERT_EQ(killed->wait(), -SIGKILL);
    ASSERT_TRUE(start_worker(job)->wait_for(is_end).has_job_finished());
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), expected));
  }
}

// Returns the durable results of the job's analysis: the names and the identities of the files.
std::map<std::string, std::pair<ino_t, int64_t>> analysis_of(const TestJob& job) {
  std::map<std::string, std::pair<ino_t, int64_t>> files;
  for (const auto& entry : std::filesystem::directory_iterator(job.work_folder)) {
    const std::string name = entry.path().filename();
    struct stat info {};
    if (!name.starts_with("analysis-") || !name.ends_with(".weft") ||
        ::stat(entry.path().c_str(), &info) != 0)
      continue;
    files[name] = {info.st_ino, info.st_mtim.tv_sec * 1'000'000'000 + info.st_mtim.tv_nsec};
  }
  return files;
}

struct AnalysedJob {
  const char* name;
  const char* chain;
  int analyses;              // number of passes before the pictures
  int step;                  // less than the number of fault points of a segment
  bool is_rendered = false;  // whether the job is killed while it renders, too
};

class KilledAnalysisTest : public testing::TestWithParam<AnalysedJob> {
 protected:
  TestJob make_job(const std::string& name) {
    TestJob job(folder_, name, clip_);
    set_filters(job.video(), GetParam().chain);
    job.video().mutable_encoding()->set_segment_frames(kSegmentFrames);
    return job;
  }
  media::TestFolder folder_;
  const std::string clip_ = make_mixed_cadence(folder_, "clip.ts", kFrames);
};

// A worker that is killed during an analysis or after it leaves records. The next worker reads them
// and does not repeat that part.
TEST_P(KilledAnalysisTest, WhatWasAnalysedIsNotAnalysedAgain) {
  if (!kHasFaultPoints) GTEST_SKIP() << "built without fault points";
  const TestJob undisturbed = make_job("undisturbed");
  ASSERT_TRUE(start_worker(undisturbed)->wait_for(is_end).has_job_finished());
  const std::string expected = media::read_file(undisturbed.finished_path());
  const int all = GetParam().analyses * kFrames / kSegmentFrames;
  std::set<int> seen;      // numbers of durable segments of analyses
  std::set<int> rendered;  // and of pictures
  for (int at = 1; GetParam().is_rendered || !seen.contains(all); at += GetParam().step) {
    SCOPED_TRACE(fmt::format("killed at point {}", at));
    const TestJob job = make_job(fmt::format("point-{}", at));
    const auto killed = start_worker(job, {fmt::format("WEFT_KILL_AT={}", at)});
    if (killed->wait_for(is_end).has_job_finished()) break;
    ASSERT_EQ(killed->wait(), -SIGKILL);
    const auto durable = analysis_of(job);
    seen.insert(int(durable.size()));
    rendered.insert(int(job.segments().size()));
    const FromWorker end = start_worker(job)->wait_for(is_end);
    ASSERT_TRUE(end.has_job_finished()) << end.DebugString();
    const auto after = analysis_of(job);
    EXPECT_EQ(int(after.size()), all);
    for (const auto& [name, file] : durable) EXPECT_EQ(after.at(name), file) << name << " was made again";
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), expected));
  }
  EXPECT_EQ(int(seen.size()), all + 1);
  EXPECT_TRUE(!GetParam().is_rendered || rendered.size() > 2);
}

INSTANTIATE_TEST_SUITE_P(Jobs, KilledAnalysisTest,
                         testing::Values(AnalysedJob{"decimate", "bwdif=field,decimate,temporal_nr", 1, 4},
                                         AnalysedJob{"kfm", "kfm=preset=draft", 2, 11, true}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace weft::worker
