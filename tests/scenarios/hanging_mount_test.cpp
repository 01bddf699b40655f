// SPDX-License-Identifier: Apache-2.0
// Tests a file system that hangs for ten seconds under a job, with a hang_timeout of two seconds.
// Streams and all other jobs must continue, and no worker may be killed. The job must report its
// wait, and then continue or fail with the file system.
#include "tests/scenarios/hanging_mount.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>

#include "tests/scenarios/stream_scenario.h"

namespace weft::scenarios {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Clock = std::chrono::steady_clock;

constexpr seconds kHang{10};
constexpr milliseconds kFramePeriod{40};
constexpr int kFramesOfCalm = 75;      // number of frames for the latency without a hang
constexpr int kWritesBeforeHang = 60;  // in the middle of the job's second segment
constexpr int kWaitingSubmits = 8;     // more than the threads of one file system

// A stream with a frame every 40 ms, and the latency of each frame.
class PacedStream {
 public:
  explicit PacedStream(std::unique_ptr<client::FrameStream> stream) : stream_(std::move(stream)) {
    pushing_ = std::thread([this] { push(); });
    pulling_ = std::thread([this] { pull(); });
  }
  ~PacedStream() { end(); }
  void end() {
    stopping_ = true;
    if (pushing_.joinable()) pushing_.join();
    if (pulling_.joinable()) pulling_.join();
  }
  size_t frames() {
    const std::lock_guard lock(mutex_);
    return latencies_.size();
  }
  // Returns true if the stream has continued since `begin` while the mount hangs. Then most frames
  // after the first `after` returned after a short time, unlike those that wait for the mount.
  bool goes_on_since(Clock::time_point begin, size_t after) {
    return frames() >= after + kFramesOfCalm && p99(after) < (Clock::now() - begin) / 2;
  }
  // Returns the 99th percentile of the latencies of all frames after the first `after`. The latency
  // of a frame that has not returned counts until now.
  milliseconds p99(size_t after) {
    const std::lock_guard lock(mutex_);
    std::vector<milliseconds> sorted(latencies_.begin() + ptrdiff_t(after), latencies_.end());
    for (size_t i = latencies_.size(); i < pushed_.size(); i++)
      sorted.push_back(std::chrono::duration_cast<milliseconds>(Clock::now() - pushed_[i]));
    std::sort(sorted.begin(), sorted.end());
    return sorted.empty() ? milliseconds::max() : sorted[(sorted.size() - 1) * 99 / 100];
  }
  Status status() {
    const std::lock_guard lock(mutex_);
    return status_;
  }

 private:
  void note(const Status& status) {
    const std::lock_guard lock(mutex_);
    if (status_.ok()) status_ = status;
  }
  void push() {
    auto due = Clock::now();
    while (!stopping_) {
      wait_until([&] { return Clock::now() >= due || stopping_; });
      due += kFramePeriod;
      if (const auto samples = stream_->stage(); !samples.ok()) return note(samples.status());
      {
        const std::lock_guard lock(mutex_);
        pushed_.push_back(Clock::now());
      }
      if (const Status pushed = stream_->push(); !pushed.ok()) return note(pushed);
    }
    note(stream_->finish());
  }
  void pull() {
    while (true) {
      const auto picture = stream_->pull();
      if (!picture.ok()) return note(picture.status());
      if (!picture->has_value()) return;
      const std::lock_guard lock(mutex_);
      const auto pushed = pushed_.at(size_t((*picture)->facts.source_index()));
      latencies_.push_back(std::chrono::duration_cast<milliseconds>(Clock::now() - pushed));
    }
  }

  std::unique_ptr<client::FrameStream> stream_;
  std::atomic<bool> stopping_{false};
  std::mutex mutex_;
  std::vector<Clock::time_point> pushed_;
  std::vector<milliseconds> latencies_;
  Status status_;
  std::thread pushing_, pulling_;
};

class HangingMountTest : public StreamScenario {
 protected:
  HangingMountTest()
      : StreamScenario({"--device", "cpu", "--jobs-per-device", "3", "--hang-timeout", "2"}),
        mount_(path("disk")) {}

  void SetUp() override {
    if (!mount_.is_there()) GTEST_SKIP() << mount_.why_not();
    std::filesystem::copy_file(clip(4), mount_.behind("in.ts"));
    StreamScenario::SetUp();
  }

  std::unique_ptr<PacedStream> open_stream() {
    v1::OpenStream wanted = small_stream(v1::STREAM_CLASS_REALTIME);
    set_filters(wanted, "bob=frame");
    auto connection = client::Connection::open({.server = daemon_.address()});
    auto stream = client::FrameStream::open(*connection, wanted);
    EXPECT_THAT(stream, IsOk());
    return stream.ok() ? std::make_unique<PacedStream>(*std::move(stream)) : nullptr;
  }
  v1::SubmitJobRequest on_mount(const std::string& output) {
    return request(mount_.path("in.ts"), mount_.path(output));
  }
  // Submits a job and pauses it until resume().
  std::string submit_paused(const v1::SubmitJobRequest& submitted) {
    EXPECT_TRUE(daemon_.devices().DrainDevices(call_context().get(), {}, &drained_).ok());
    std::string id = daemon_.submit(submitted);
    v1::PauseJobRequest pause;
    pause.set_id(id);
    v1::PauseJobResponse paused;
    EXPECT_TRUE(daemon_.jobs().PauseJob(call_context().get(), pause, &paused).ok());
    EXPECT_TRUE(daemon_.devices().ResumeDevices(call_context().get(), {}, &resumed_).ok());
    return id;
  }
  void resume(const std::string& id) {
    v1::ResumeJobRequest again;
    again.set_id(id);
    v1::ResumeJobResponse response;
    EXPECT_TRUE(daemon_.jobs().ResumeJob(call_context().get(), again, &response).ok());
  }
  // Waits until a reason of the job contains `words`.
  void wait_for_reason(const std::string& id, const std::string& words) {
    v1::Job job;
    EXPECT_TRUE(wait_until([&] {
      job = daemon_.get(id);
      return job.waiting_reason().find(words) != std::string::npos;
    })) << words
        << "\n"
        << job.DebugString();
  }
  void expect_same_worker() {
    const auto device = daemon_.device("cpu");
    ASSERT_TRUE(device);
    EXPECT_EQ(device->worker_starts(), 1);
    EXPECT_EQ(device->state(), v1::DEVICE_STATE_IN_SERVICE);
  }
  void wait_for_the_end_of(Clock::time_point since) {
    wait_until([&] { return Clock::now() - since >= kHang; });
  }

  HangingMount mount_;
  v1::DrainDevicesResponse drained_;
  v1::ResumeDevicesResponse resumed_;
};

// Makes several submit calls at the same time, each on its own thread since each waits.
class Submits {
 public:
  Submits(Daemon& daemon, const std::vector<v1::SubmitJobRequest>& requests) {
    answers_.resize(requests.size());
    for (size_t i = 0; i < requests.size(); i++)
      threads_.emplace_back([&daemon, request = requests[i], answer = &answers_[i], this] {
        v1::SubmitJobResponse response;
        *answer = daemon.submit(request, &response);
        answered_++;
      });
  }
  ~Submits() { wait(); }
  int answered() const { return answered_; }
  const std::vector<grpc::Status>& wait() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
    return answers_;
  }

 private:
  std::atomic<int> answered_{0};
  std::vector<grpc::Status> answers_;
  std::vector<std::thread> threads_;
};

TEST_F(HangingMountTest, AllElseGoesOnAndTheJobGoesOnWithTheMount) {
  const std::string& wanted = undisturbed(clip(4));
  const auto stream = open_stream();
  ASSERT_NE(stream, nullptr);
  const std::string later = submit_paused(on_mount("later.mkv"));
  ASSERT_TRUE(wait_until([&] { return stream->frames() >= kFramesOfCalm; })) << stream->status();
  const milliseconds calm = stream->p99(0);

  mount_.order("hang-at-write " + std::to_string(kWritesBeforeHang));
  const std::string hit = daemon_.submit(on_mount("hit.mkv"));
  ASSERT_TRUE(mount_.wait_until_it_hangs());
  const auto begin = Clock::now();
  const size_t frames_before = stream->frames();
  resume(later);  // The files of this job are not open yet.
  std::vector<v1::SubmitJobRequest> requests;
  for (int i = 0; i < kWaitingSubmits; i++)
    requests.push_back(on_mount("submit-" + std::to_string(i) + ".mkv"));
  for (v1::SubmitJobRequest& each : requests) each.set_validate_only(true);
  Submits submits(daemon_, requests);

  // Another job runs from its submit to its publication.
  const std::string other = daemon_.submit(request(clip(4), path("other.mkv")));
  const v1::Job done = daemon_.wait_for_end_of(other);
  EXPECT_EQ(done.state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(done.attempt(), 1) << "it waited for a file system that it does not use";
  EXPECT_EQ(submits.answered(), 0) << "the mount hangs all the while";
  EXPECT_TRUE(read_file(path("other.mkv")) == wanted);
  wait_for_reason(hit, "written");
  EXPECT_THAT(daemon_.get(hit).waiting_reason(), HasSubstr(mount_.path("")));
  wait_for_reason(later, mount_.path("in.ts"));
  wait_for_the_end_of(begin);
  EXPECT_EQ(submits.answered(), 0);
  EXPECT_EQ(daemon_.get(hit).state(), v1::JOB_STATE_RUNNING);
  std::string words;
  EXPECT_EQ(shell("weft show " + hit, &words), 0);
  EXPECT_THAT(words, AllOf(HasSubstr("Waiting"), HasSubstr("written")));
  EXPECT_EQ(shell("weft explain " + hit, &words), 0);
  EXPECT_THAT(words, HasSubstr("written"));
  const milliseconds hung = stream->p99(frames_before);
  EXPECT_TRUE(wait_until([&] { return stream->goes_on_since(begin, frames_before); }));
  mount_.order("go");

  for (const std::string& id : {hit, later})
    EXPECT_EQ(daemon_.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  for (const char* name : {"hit.mkv", "later.mkv"})
    EXPECT_TRUE(read_file(mount_.path(name)) == wanted) << name;
  EXPECT_EQ(daemon_.get(hit).attempt(), 1);
  for (const grpc::Status& answer : submits.wait()) EXPECT_TRUE(answer.ok()) << answer.error_message();
  stream->end();
  EXPECT_THAT(stream->status(), IsOk());
  expect_same_worker();
  printf("p99 of the stream: %d ms before, %d ms while the mount hangs\n", int(calm.count()),
         int(hung.count()));
}

TEST_F(HangingMountTest, TheJobFailsAsTheMountFails) {
  const auto stream = open_stream();
  ASSERT_NE(stream, nullptr);
  mount_.order("hang-at-write " + std::to_string(kWritesBeforeHang));
  v1::SubmitJobRequest submitted = on_mount("hit.mkv");
  submitted.mutable_settings()->set_max_attempts(1);
  const std::string id = daemon_.submit(submitted);
  ASSERT_TRUE(mount_.wait_until_it_hangs());
  const auto begin = Clock::now();
  const size_t frames_before = stream->frames();
  wait_for_reason(id, "written");
  wait_for_the_end_of(begin);
  EXPECT_EQ(daemon_.get(id).state(), v1::JOB_STATE_RUNNING);
  EXPECT_TRUE(wait_until([&] { return stream->goes_on_since(begin, frames_before); }));
  mount_.order("fail");
  const v1::Job job = daemon_.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED);
  EXPECT_THAT(job.error().message(), HasSubstr("Input/output error"));
  stream->end();
  EXPECT_THAT(stream->status(), IsOk());
  expect_same_worker();
}

// A cancel waits neither for the file system of the job nor for the device.
TEST_F(HangingMountTest, ACancelledJobFreesItsPlace) {
  mount_.order("hang-at-write " + std::to_string(kWritesBeforeHang));
  const std::string id = daemon_.submit(on_mount("hit.mkv"));
  ASSERT_TRUE(mount_.wait_until_it_hangs());
  wait_for_reason(id, "written");
  v1::CancelJobRequest cancel;
  cancel.set_id(id);
  v1::CancelJobResponse cancelled;
  ASSERT_TRUE(daemon_.jobs().CancelJob(call_context().get(), cancel, &cancelled).ok());
  EXPECT_EQ(cancelled.job().state(), v1::JOB_STATE_CANCELLED);
  ASSERT_TRUE(wait_until([&] { return daemon_.device("cpu")->job_ids_size() == 0; }));
  const std::string other = daemon_.submit(request(clip(4), path("other.mkv")));
  EXPECT_EQ(daemon_.wait_for_end_of(other).state(), v1::JOB_STATE_SUCCEEDED);
  mount_.order("go");
  // The unfinished work of the job is removed as soon as the file system responds.
  const auto is_empty = [&] {
    namespace fs = std::filesystem;
    return std::none_of(
        fs::directory_iterator(mount_.behind("")), fs::directory_iterator(),
        [](const auto& entry) { return entry.path().string().find(".weft-") != std::string::npos; });
  };
  EXPECT_TRUE(wait_until(is_empty));
  expect_same_worker();
}

TEST_F(HangingMountTest, AFileSystemWithoutLinksTakesTheOutput) {
  mount_.order("rename-replaces");
  const std::string id = daemon_.submit(on_mount("out.mkv"));
  const v1::Job job = daemon_.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_TRUE(read_file(mount_.path("out.mkv")) == undisturbed(clip(4)));
}

}  // namespace
}  // namespace weft::scenarios
