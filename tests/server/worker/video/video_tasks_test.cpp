// SPDX-License-Identifier: Apache-2.0
// Tests that the tasks of a job on several devices give the bytes of one device. Each task has a
// CPU device of its own, and they share the work folder.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/worker/video/segment_claims.h"
#include "server/worker/video/video_runner.h"
#include "tests/server/worker/jobs.h"
#include "tests/set_filters.h"

namespace weft::worker {
namespace {

using internal::v1::STOP_KIND_PAUSE;
using testing::AnyOf;
using testing::Contains;
using testing::HasSubstr;

constexpr std::chrono::seconds kLongestWait{60};

std::unique_ptr<device::Device> open(std::string_view id) {
  device::OpenOptions options;
  options.cpu_threads = 1;
  auto opened = device::open_device(id, options);
  EXPECT_THAT(opened, IsOk());
  return *std::move(opened);
}

// A task on another device, on a thread of its own.
class FurtherTask final : public JobEvents {
 public:
  FurtherTask(const TestJob& job, int number, std::function<void()> on_segment = {},
              std::string_view device = "cpu")
      : on_segment_(std::move(on_segment)),
        device_(open(device)),
        runner_(order_of(job, number), {*device_, loop_, caches_, true, nullptr, 1}, *this),
        thread_([this] { end_ = runner_.run(); }) {}

  void stop() { runner_.stop(STOP_KIND_PAUSE); }
  Status wait() {
    thread_.join();
    return end_.status;
  }
  int segments() const { return segments_; }

 private:
  static JobOrder order_of(const TestJob& job, int number) {
    JobOrder order = job.start();
    order.task = number;
    order.has_several_devices = true;
    order.hashes = false;
    return order;
  }
  void on_segment_finished(int, int64_t) override {
    segments_++;
    if (on_segment_) on_segment_();
  }
  void on_log(std::string_view, std::string_view) override {}

  const std::function<void()> on_segment_;
  std::unique_ptr<device::Device> device_;
  filters::DeviceCaches caches_;
  DeviceLoop loop_;
  std::atomic<int> segments_{0};
  JobEnd end_;
  VideoRunner runner_;
  std::jthread thread_;  // last, so that it ends first
};

// Blocks until it is opened.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  bool wait() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kLongestWait, [this] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

Ran run_own_task(const TestJob& job, const std::function<void(VideoRunner&, int)>& on_segment = {},
                 int lanes = 0) {
  JobOrder order = job.start();
  order.has_several_devices = true;
  return run_order(std::move(order), on_segment, cpu_device(), caches(), lanes);
}

struct Case {
  std::string name;
  std::string codec;
  std::string filters;
  v1::Encoder encoder = v1::ENCODER_FFV1;
  decltype(&make_interlaced) make = make_interlaced;
};

class VideoTasksTest : public testing::TestWithParam<Case> {
 protected:
  static TestJob job_of(const Case& param, const std::string& name, const std::string& clip, int frames) {
    TestJob job(folder_, param.name + name, clip);
    set_filters(job.video(), param.filters);
    job.video().mutable_encoding()->set_encoder(param.encoder);
    job.video().mutable_encoding()->set_segment_frames(frames);
    return job;
  }
  static std::string clip_of(const Case& param) {
    return param.make(folder_, param.name + ".ts", 90, param.codec, "176x144");
  }
  static inline media::TestFolder folder_;
};

// The own task waits at its first segment until another task has rendered one.
TEST_P(VideoTasksTest, GiveTheBytesOfOneDevice) {
  const std::string clip = clip_of(GetParam());
  const TestJob alone = job_of(GetParam(), "-alone", clip, 6);
  const Ran expected = run_attempt(alone, {}, nullptr, 1);
  ASSERT_THAT(expected.end.status, IsOk());
  for (const int others : {1, 2}) {
    SCOPED_TRACE(others);
    const TestJob job = job_of(GetParam(), fmt::format("-{}", others), clip, 6);
    Gate rendered;
    std::vector<std::unique_ptr<FurtherTask>> tasks;
    for (int number = 1; number <= others; number++)
      tasks.push_back(std::make_unique<FurtherTask>(job, number, [&] { rendered.open(); }));
    std::once_flag first;
    const auto wait = [&](VideoRunner&, int) {
      std::call_once(first, [&] { EXPECT_TRUE(rendered.wait()) << "no other task rendered a segment"; });
    };
    const Ran ran = run_own_task(job, wait);
    ASSERT_THAT(ran.end.status, IsOk());
    for (const auto& task : tasks) EXPECT_THAT(task->wait(), IsOk());
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
    EXPECT_EQ(ran.end.result.units_in(), expected.end.result.units_in());
    EXPECT_EQ(ran.end.result.units_out(), expected.end.result.units_out());
    EXPECT_EQ(ran.end.result.segments(), expected.end.result.segments());
  }
}

// Every attempt ends at a random segment, with its tasks, and has a random number of tasks and
// lanes.
TEST_P(VideoTasksTest, StoppedAtRandomTheyGiveTheSameBytes) {
  const std::string clip = clip_of(GetParam());
  const TestJob alone = job_of(GetParam(), "-whole", clip, 6);
  ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
  const TestJob stopped = job_of(GetParam(), "-stopped", clip, 6);
  std::mt19937 random(11);
  for (int attempt = 0;; attempt++) {
    ASSERT_LT(attempt, 60);
    std::vector<std::unique_ptr<FurtherTask>> tasks;
    for (int number = 1; number <= int(random() % 3); number++)
      tasks.push_back(std::make_unique<FurtherTask>(stopped, number));
    std::atomic<int> left{attempt == 0 ? 1 : int(random() % 5) + 1};
    const int stopped_task_at = int(random() % 3);
    const auto stop = [&](VideoRunner& runner, int) {
      const int now = --left;
      if (now == stopped_task_at && !tasks.empty()) tasks.front()->stop();
      if (now == 0) runner.stop(STOP_KIND_PAUSE);
    };
    const Ran ran = run_own_task(stopped, stop, int(random() % 3) + 1);
    for (const auto& task : tasks) task->stop();
    for (const auto& task : tasks)
      EXPECT_THAT(task->wait().code(), AnyOf(StatusCode::kOk, StatusCode::kCancelled));
    if (ran.end.status.ok()) break;
    ASSERT_THAT(ran.end.status, StatusIs(StatusCode::kCancelled, "paused"));
  }
  EXPECT_TRUE(same_bytes(media::read_file(stopped.finished_path()), media::read_file(alone.finished_path())));
}

INSTANTIATE_TEST_SUITE_P(
    Jobs, VideoTasksTest,
    testing::Values(Case{"mpeg2bwdif", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "bwdif"},
                    Case{"h264yadif", "-c:v libx264 -flags +ildct+ilme -preset veryfast -g 10", "yadif",
                         v1::ENCODER_X264},
                    Case{"decimate", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "yadif=frame,decimate"},
                    Case{"ivtc", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "ivtc", v1::ENCODER_FFV1,
                         make_mixed_cadence},
                    Case{"kfm", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "kfm=preset=draft",
                         v1::ENCODER_X264, make_mixed_cadence},
                    Case{"qtgmc", "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "qtgmc=preset=draft"}),
    [](const auto& test) { return test.param.name; });

class SharedJobTest : public testing::Test {
 protected:
  TestJob make(const std::string& name, const std::string& clip, const std::string& filters = "bwdif") {
    TestJob job(folder_, name, clip);
    set_filters(job.video(), filters);
    job.video().mutable_encoding()->set_segment_frames(10);
    return job;
  }
  media::TestFolder folder_;
};

// The packets do not show that the flags of frames change, so that starts of segments are wrong.
TEST_F(SharedJobTest, WrongStartsGiveTheBytesOfOneDevice) {
  const std::string first =
      make_interlaced(folder_, "a.ts", 50, "-c:v mpeg2video -flags +ildct+ilme -b:v 3M");
  const std::string second = make_interlaced(folder_, "b.ts", 50, "-c:v mpeg2video -b:v 3M");
  media::write_file(folder_.path("list"), fmt::format("file {}\nfile {}\nfile {}\n", first, second, first));
  const std::string clip =
      media::make_clip(folder_, "mixed.ts", "-f concat -safe 0 -i " + folder_.path("list") + " -c copy");
  const TestJob alone = make("alone", clip, "bwdif=frames=flagged"),
                job = make("shared", clip, "bwdif=frames=flagged");
  ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
  Gate rendered;
  FurtherTask task(job, 1, [&] { rendered.open(); });
  std::once_flag once;
  const Ran ran = run_own_task(
      job, [&](VideoRunner&, int) { std::call_once(once, [&] { EXPECT_TRUE(rendered.wait()); }); });
  ASSERT_THAT(ran.end.status, IsOk());
  EXPECT_THAT(ran.log, Contains(HasSubstr("does not continue the one before it")));
  EXPECT_THAT(task.wait(), IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
}

// Packets do not show a change of the frame size, at which a part of the output ends.
TEST_F(SharedJobTest, WithoutStartsTheOwnTaskRendersAlone) {
  const std::string clip = make_interlaced(folder_, "clip.ts", 60);
  TestJob alone = make("alone", clip), job = make("shared", clip);
  for (TestJob* each : {&alone, &job})
    each->video().mutable_decoding()->set_on_size_change(v1::SIZE_CHANGE_SPLIT);
  ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
  FurtherTask task(job, 1);
  ASSERT_THAT(run_own_task(job).end.status, IsOk());
  EXPECT_THAT(task.wait(), IsOk());
  EXPECT_EQ(task.segments(), 0);
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
}

// Another task has claimed a segment, and is so slow that it never finishes it.
TEST_F(SharedJobTest, ASlowTaskDoesNotDelayTheEnd) {
  const std::string clip = make_interlaced(folder_, "slow.ts", 90);
  const TestJob alone = make("alone", clip), job = make("shared", clip);
  ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
  const media::Descriptor folder(::open(job.work_folder.c_str(), O_RDONLY | O_DIRECTORY));
  const auto slow = SegmentClaims::open(folder.get(), "segment", "");
  ASSERT_THAT(slow, IsOk());
  ASSERT_TRUE((*slow)->claim(4));
  ASSERT_THAT(run_own_task(job).end.status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
}

// The claims of a task that ends are free for others.
TEST_F(SharedJobTest, TheSegmentsOfALostTaskAreRendered) {
  const std::string clip = make_interlaced(folder_, "lost.ts", 90);
  const TestJob alone = make("alone", clip), job = make("shared", clip);
  ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
  const media::Descriptor folder(::open(job.work_folder.c_str(), O_RDONLY | O_DIRECTORY));
  auto lost = SegmentClaims::open(folder.get(), "segment", "");
  ASSERT_THAT(lost, IsOk());
  for (const int64_t segment : {0, 1, 5}) ASSERT_TRUE((*lost)->claim(segment));
  std::jthread loses([&] {
    std::this_thread::yield();
    lost->reset();
  });
  ASSERT_THAT(run_own_task(job).end.status, IsOk());
  EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
}

// Null devices compute nothing, so that only frames and times can be compared. Those of the chains
// below do not depend on the pictures.
TEST_F(SharedJobTest, NullDevicesShareTheFramesAndTimes) {
  const std::string clip = make_interlaced(folder_, "null.ts", 90);
  for (const std::string chain : {"bwdif", "ivtc"}) {
    SCOPED_TRACE(chain);
    const TestJob alone = make("alone-" + chain, clip, chain), job = make("shared-" + chain, clip, chain);
    const Ran expected = run_attempt(alone, {}, nullptr, 1);
    ASSERT_THAT(expected.end.status, IsOk());
    Gate rendered;
    std::vector<std::unique_ptr<FurtherTask>> tasks;
    for (int number = 1; number <= 4; number++)
      tasks.push_back(std::make_unique<FurtherTask>(
          job, number, [&] { rendered.open(); }, "null"));
    std::once_flag first;
    const auto wait = [&](VideoRunner&, int) {
      std::call_once(first, [&] { EXPECT_TRUE(rendered.wait()) << "no other task rendered a segment"; });
    };
    const auto device = open("null");
    filters::DeviceCaches device_caches;
    JobOrder order = job.start();
    order.has_several_devices = true;
    const Ran ran = run_order(std::move(order), wait, *device, device_caches, 1);
    ASSERT_THAT(ran.end.status, IsOk());
    for (const auto& task : tasks) EXPECT_THAT(task->wait(), IsOk());
    EXPECT_EQ(ran.end.result.units_in(), 90);
    EXPECT_EQ(ran.end.result.units_out(), expected.end.result.units_out());
    EXPECT_EQ(picture_times(job.finished_path()), picture_times(alone.finished_path()));
  }
}

// Random chains, parts, segments, lanes, tasks and stops give the bytes of one device, and the
// pictures of one segment.
TEST_F(SharedJobTest, RandomJobsGiveTheBytesOfOneDevice) {
  constexpr const char* kFirst[] = {"bwdif",
                                    "yadif=frame",
                                    "bob",
                                    "bwdif=frames=flagged",
                                    "qtgmc=preset=draft",
                                    "ivtc",
                                    "kfm=preset=draft",
                                    "repeat_fields,kfm=24p:preset=draft:ucf=yes"};
  constexpr const char* kThen[] = {"resize=96x80", "deband",    "temporal_nr",
                                   "crop=80x64",   "edgelevel", "decimate"};
  constexpr const char* kCodecs[] = {"-c:v mpeg2video -flags +ildct+ilme -b:v 3M -g 6",
                                     "-c:v libx264 -flags +ildct+ilme -preset veryfast -g 8"};
  std::mt19937 random(4);
  const auto below = [&](size_t limit) { return size_t(random() % limit); };
  for (int round = 0; round < 12; round++) {
    std::string chain = kFirst[below(std::size(kFirst))];
    for (size_t more = below(3); more > 0; more--)
      chain += fmt::format(",{}", kThen[below(std::size(kThen))]);
    const auto make_clip = below(2) == 0 ? make_interlaced : make_mixed_cadence;
    const bool is_cut = below(3) == 0;  // the times of the second half begin anew
    const std::string clip = make_clip(folder_, fmt::format("random-{}.ts", round), is_cut ? 35 : 70,
                                       kCodecs[below(std::size(kCodecs))], "176x144");
    if (is_cut) media::write_file(clip, media::read_file(clip) + media::read_file(clip));
    const size_t from = below(30), length = 20 + below(50), frames = 4 + below(9);
    SCOPED_TRACE(fmt::format("round {}: {}, {}from {}, {} frames, segments of {}", round, chain,
                             is_cut ? "cut, " : "", from, length, frames));
    const auto job_of = [&](const std::string& name, size_t segment_frames) {
      TestJob job(folder_, fmt::format("{}-{}", name, round), clip);
      set_filters(job.video(), chain);
      job.video().mutable_encoding()->set_encoder(v1::ENCODER_FFV1);
      job.video().mutable_encoding()->set_segment_frames(int(segment_frames));
      job.video().set_from(fmt::format("{}f", from));
      if (from + length < 70) job.video().set_to(fmt::format("{}f", from + length));
      return job;
    };
    const TestJob whole = job_of("whole", 1000), alone = job_of("alone", frames),
                  job = job_of("shared", frames);
    ASSERT_THAT(run_attempt(whole, {}, nullptr, 1).end.status, IsOk());
    ASSERT_THAT(run_attempt(alone, {}, nullptr, 1).end.status, IsOk());
    std::vector<std::unique_ptr<FurtherTask>> tasks;
    for (size_t number = 1; number <= round % 4u; number++)
      tasks.push_back(std::make_unique<FurtherTask>(job, int(number)));
    std::atomic<int> left{int(below(6))};
    const auto on_segment = [&](VideoRunner&, int) {
      if (--left == 0 && !tasks.empty()) tasks.back()->stop();
    };
    const Ran ran = run_own_task(job, on_segment, int(below(3)) + 1);
    ASSERT_THAT(ran.end.status, IsOk());
    for (const auto& task : tasks) task->stop();
    for (const auto& task : tasks) task->wait().IgnoreError();
    EXPECT_TRUE(same_bytes(media::read_file(job.finished_path()), media::read_file(alone.finished_path())));
    EXPECT_EQ(picture_hashes(job.finished_path()), picture_hashes(whole.finished_path()));
  }
}

}  // namespace
}  // namespace weft::worker
