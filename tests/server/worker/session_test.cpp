// SPDX-License-Identifier: Apache-2.0
// Tests the real weft-worker with the messages of the daemon.
#include "server/worker/session.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "options/validate.h"
#include "server/channel/status_message.h"
#include "server/channel/worker_exit.h"
#include "server/worker/memory_limit.h"
#include "tests/server/worker/jobs.h"
#include "tests/server/worker/worker_process.h"

namespace weft::worker {
namespace {

using internal::v1::FromWorker;
using internal::v1::ToWorker;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

const std::vector<std::string> kCpuWorker = {"--device",      "cpu", "--channel",   "{channel}",
                                             "--cpu-threads", "2",   "--log-level", "warning"};
const std::vector<std::string> kProbe = {"--probe", "--channel", "{channel}", "--log-level", "warning"};

bool is_ready(const FromWorker& message) { return message.has_ready(); }
bool is_end(const FromWorker& message) { return message.has_job_finished() || message.has_job_stopped(); }

void start_job(WorkerProcess& worker, const TestJob& job, int attempt = 1) {
  const channel::FileDescriptor input(::open(job.input.c_str(), O_RDONLY | O_CLOEXEC));
  const channel::FileDescriptor folder(::open(job.work_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  worker.send(job.order(attempt), {input.get(), folder.get()});
}

void stop_job(WorkerProcess& worker, const TestJob& job, internal::v1::StopKind kind, int attempt = 1) {
  ToWorker message;
  message.mutable_stop_job()->set_job_id(job.name);
  message.mutable_stop_job()->set_attempt(attempt);
  message.mutable_stop_job()->set_kind(kind);
  worker.send(message);
}

class SessionTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new media::TestFolder;
    clip_ = make_interlaced(*folder_, "clip.ts", 30);
    long_clip_ =
        make_interlaced(*folder_, "long.ts", 600, "-c:v mpeg2video -flags +ildct+ilme -b:v 3M", "720x480");
  }
  static void TearDownTestSuite() { delete folder_; }

  static media::TestFolder* folder_;
  static std::string clip_, long_clip_;
};
media::TestFolder* SessionTest::folder_ = nullptr;
std::string SessionTest::clip_, SessionTest::long_clip_;

TEST_F(SessionTest, ListsTheCpuAmongTheDevices) {
  const Printed printed = run_worker("--list-devices");
  EXPECT_EQ(printed.exit, 0);
  internal::v1::DeviceList list;
  ASSERT_TRUE(list.ParseFromString(printed.text));
  ASSERT_GE(list.devices_size(), 1);
  const bool has_cpu =
      std::any_of(list.devices().begin(), list.devices().end(), [](const v1::DeviceStatus& device) {
        return device.id() == "cpu" && device.kind() == v1::DEVICE_KIND_CPU && device.memory_bytes() > 0;
      });
  EXPECT_TRUE(has_cpu);
  EXPECT_THAT(run_worker("--list-devices --text").text, HasSubstr("cpu "));
}

TEST_F(SessionTest, SaysWhatItIsAndHowItIsUsed) {
  const Printed version = run_worker("--version");
  EXPECT_EQ(version.exit, 0);
  EXPECT_EQ(version.text, "weft-worker " WEFT_VERSION "\n");
  const Printed help = run_worker("--help");
  EXPECT_EQ(help.exit, 0);
  EXPECT_THAT(help.text, HasSubstr("usage: weft-worker"));
}

TEST_F(SessionTest, SenselessArgumentsAreAUsageError) {
  for (const char* arguments :
       {"", "--device cpu", "--probe", "--device cpu --probe --channel 3", "--channel x --probe",
        "--nonsense", "--list-devices --channel 3", "--list-devices extra"})
    EXPECT_EQ(run_worker(arguments).exit, 2) << arguments;
}

TEST_F(SessionTest, RunsAJobAndTellsOfIt) {
  WorkerProcess worker(kCpuWorker);
  const FromWorker ready = worker.wait_for(is_ready);
  EXPECT_EQ(ready.ready().device().id(), "cpu");
  EXPECT_EQ(ready.ready().error().code(), 0);
  EXPECT_GT(ready.ready().device().rates().bytes_per_second(), 0);
  EXPECT_GT(ready.ready().device().rates().operations_per_second(), 0);
  TestJob job(*folder_, "whole", clip_);
  job.video().mutable_encoding()->set_segment_frames(10);
  start_job(worker, job, 7);
  const FromWorker end = worker.wait_for(is_end);
  ASSERT_TRUE(end.has_job_finished()) << end.DebugString();
  EXPECT_EQ(end.job_finished().job_id(), "whole");
  EXPECT_EQ(end.job_finished().attempt(), 7);
  EXPECT_EQ(end.job_finished().result().units_out(), 60);
  EXPECT_EQ(picture_hashes(job.finished_path()), picture_hashes(clip_, "bwdif=send_field:auto:all"));
  int segments = 0, lines = 0;
  for (const FromWorker& message : worker.seen) {
    if (message.has_segment_finished()) {
      EXPECT_EQ(message.segment_finished().index(), segments++);
    }
    if (message.has_log_line()) lines++;
  }
  EXPECT_EQ(segments, 3);
  EXPECT_GE(lines, 2);
}

TEST_F(SessionTest, ProgressRisesAndSamplesCome) {
  WorkerProcess worker(kCpuWorker);
  worker.wait_for(is_ready);
  const TestJob job(*folder_, "progress", long_clip_);
  start_job(worker, job);
  const FromWorker sample = worker.wait_for(
      [](const FromWorker& message) { return message.device_report().sample().busy().nanos() > 0; });
  ASSERT_EQ(sample.device_report().sample().schedule().costs_size(), 1)
      << "what the rates are measured by is not told";
  EXPECT_EQ(sample.device_report().sample().schedule().costs(0).key(), "bwdif 720x480 4:2:0 8 bit");
  EXPECT_GT(sample.device_report().sample().schedule().costs(0).unit().nanos(), 0);
  uint64_t heartbeat = 0;
  int64_t units = 0;
  for (const FromWorker& message : worker.seen) {
    if (!message.has_progress()) continue;
    EXPECT_GT(message.progress().heartbeat(), heartbeat);
    EXPECT_GE(message.progress().progress().units_done(), units);
    heartbeat = message.progress().heartbeat();
    units = message.progress().progress().units_done();
  }
  EXPECT_GT(heartbeat, 0u);
  stop_job(worker, job, internal::v1::STOP_KIND_CANCEL);
  const FromWorker end = worker.wait_for(is_end);
  EXPECT_EQ(channel::to_status(end.job_stopped().error()).code(), StatusCode::kCancelled);
  EXPECT_FALSE(end.job_stopped().retriable());
}

TEST_F(SessionTest, AStopOfAnotherAttemptChangesNothing) {
  WorkerProcess worker(kCpuWorker);
  worker.wait_for(is_ready);
  const TestJob job(*folder_, "other-attempt", clip_);
  start_job(worker, job, 2);
  stop_job(worker, job, internal::v1::STOP_KIND_CANCEL, 1);
  EXPECT_TRUE(worker.wait_for(is_end).has_job_finished());
}

TEST_F(SessionTest, SeveralJobsRunSideBySide) {
  WorkerProcess worker(kCpuWorker);
  worker.wait_for(is_ready);
  const TestJob first(*folder_, "side-1", clip_), second(*folder_, "side-2", clip_);
  start_job(worker, first);
  start_job(worker, second);
  EXPECT_TRUE(worker.wait_for(is_end).has_job_finished());
  EXPECT_TRUE(worker.wait_for(is_end).has_job_finished());
  EXPECT_TRUE(same_bytes(media::read_file(first.finished_path()), media::read_file(second.finished_path())));
}

TEST_F(SessionTest, ShutdownStopsWhatRunsAndEnds) {
  WorkerProcess worker(kCpuWorker);
  worker.wait_for(is_ready);
  const TestJob job(*folder_, "shutdown", long_clip_);
  start_job(worker, job);
  worker.wait_for([](const FromWorker& message) { return message.progress().progress().outputs_done() > 0; });
  ToWorker message;
  message.mutable_shutdown();
  worker.send(message);
  EXPECT_TRUE(worker.wait_for(is_end).has_job_stopped());
  EXPECT_EQ(worker.wait(), kExitDone);
}

TEST_F(SessionTest, EndsAtOnceWhenTheDaemonIsGone) {
  WorkerProcess idle(kCpuWorker);
  idle.wait_for(is_ready);
  idle.hang_up();
  EXPECT_EQ(idle.wait(), kExitDaemonGone);

  WorkerProcess busy(kCpuWorker);
  busy.wait_for(is_ready);
  const TestJob job(*folder_, "orphan", long_clip_);
  start_job(busy, job);
  busy.wait_for([](const FromWorker& message) { return message.progress().progress().outputs_done() > 0; });
  busy.hang_up();
  EXPECT_EQ(busy.wait(), kExitDaemonGone);

  WorkerProcess probe(kProbe);
  probe.hang_up();
  EXPECT_EQ(probe.wait(), kExitDaemonGone);
}

TEST_F(SessionTest, AFullDiskIsAnErrorThatMayPass) {
  WorkerProcess worker(kCpuWorker);
  worker.wait_for(is_ready);
  worker.limit_files(100'000);
  const TestJob job(*folder_, "full", clip_);
  start_job(worker, job);
  const FromWorker end = worker.wait_for(is_end);
  ASSERT_TRUE(end.has_job_stopped()) << end.DebugString();
  EXPECT_EQ(channel::to_status(end.job_stopped().error()).code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(end.job_stopped().retriable());
  EXPECT_TRUE(job.segments().empty()) << "what is unfinished does not stay";
  // The worker still runs.
  TestJob none(*folder_, "full-null", clip_, "out.null");
  none.video().mutable_encoding()->set_encoder(v1::ENCODER_NULL);
  start_job(worker, none);
  EXPECT_TRUE(worker.wait_for(is_end).has_job_finished());
}

TEST_F(SessionTest, ASignalToItsGroupDoesNotEndIt) {
  WorkerProcess worker(kCpuWorker);
  worker.wait_for(is_ready);
  worker.signal(SIGTERM);
  worker.signal(SIGINT);
  const TestJob job(*folder_, "signals", clip_);
  start_job(worker, job);
  EXPECT_TRUE(worker.wait_for(is_end).has_job_finished());
}

TEST_F(SessionTest, ADeviceThatIsNotThereIsSaidAndEndsTheWorker) {
  WorkerProcess worker({"--device", "cuda:99", "--channel", "{channel}", "--log-level", "off"});
  const FromWorker ready = worker.wait_for(is_ready);
  EXPECT_EQ(channel::to_status(ready.ready().error()).code(), StatusCode::kNotFound);
  EXPECT_EQ(worker.wait(), kExitNoDevice);
}

internal::v1::ProbeAnswer probe(WorkerProcess& worker, const v1::JobSpec& spec, const std::string& input) {
  ToWorker message;
  message.mutable_probe_job()->set_request(42);
  *message.mutable_probe_job()->mutable_spec() = spec;
  const channel::FileDescriptor file(::open(input.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  worker.send(message, {file.get()});
  const auto answer =
      worker.wait_for([](const FromWorker& got) { return got.has_probe_answer(); }).probe_answer();
  EXPECT_EQ(answer.request(), 42u);
  return answer;
}

TEST_F(SessionTest, TheProbeEstimates) {
  WorkerProcess worker(kProbe);
  const TestJob job(*folder_, "probed", clip_);
  const auto answer = probe(worker, job.spec, clip_);
  EXPECT_EQ(answer.error().code(), 0) << answer.error().message();
  EXPECT_NEAR(double(answer.estimate().units_in()), 30, 2);
  EXPECT_EQ(answer.estimate().units_out(), 2 * answer.estimate().units_in());
  EXPECT_GT(answer.estimate().output_bytes(), 0);
  // A batch has 24 frames and more wait, each of 38 kB. Most of the memory is for libraries.
  EXPECT_GT(answer.estimate().host_bytes(), 50'000'000);
  EXPECT_LT(answer.estimate().host_bytes(), 200'000'000);
  EXPECT_GT(answer.estimate().shared_bytes(), 50'000'000);
  EXPECT_LT(answer.estimate().shared_bytes(), 200'000'000);
  EXPECT_EQ(answer.estimate().media(), v1::MEDIA_KIND_VIDEO);
  EXPECT_EQ(answer.estimate().cost_key(), "bwdif 176x144 4:2:0 8 bit");
  EXPECT_THAT(answer.estimate().pace_key(), AllOf(HasSubstr("mpeg2video"), HasSubstr("ffv1")));
  EXPECT_EQ(answer.estimate().unit_work().bytes(), 3 * (176 * 144 * 3 / 2))
      << "a frame is read, two are written";
  EXPECT_THAT(answer.estimate().input_summary(), HasSubstr("mpeg2video 176x144 4:2:0 8 bit"));
  EXPECT_THAT(answer.estimate().output_summary(), HasSubstr("ffv1"));
}

// The probe reads a sparse file that is larger than the process's memory limit.
TEST_F(SessionTest, AProbeThatNeedsTooMuchMemoryEndsAndSaysSo) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "a sanitizer needs the address space";
#endif
  std::vector<std::string> arguments = kProbe;
  arguments.insert(arguments.end(), {"--memory", std::to_string(int64_t{512} << 20)});
  WorkerProcess worker(arguments);
  TestJob job(*folder_, "probed-within-limits", clip_);
  EXPECT_EQ(probe(worker, job.spec, clip_).error().code(), 0);
  const std::string large = folder_->path("large.png");
  std::ofstream(large, std::ios::binary) << "\x89PNG\r\n\x1a\n";
  std::filesystem::resize_file(large, uint64_t{3} << 30);
  ToWorker message;
  v1::ImageJob& image = *message.mutable_probe_job()->mutable_spec()->mutable_image();
  image.set_input(large);
  image.set_output(folder_->path("small.png"));
  const channel::FileDescriptor file(::open(large.c_str(), O_RDONLY | O_CLOEXEC));
  worker.send(message, {file.get()});
  EXPECT_EQ(worker.wait(), channel::kExitOutOfMemory);
}

TEST_F(SessionTest, AWorkerIsEndedBeforeItsDaemonWhenThereIsNoMemory) {
  WorkerProcess worker(kProbe);
  worker.wait_for([](const FromWorker& message) { return message.has_ready(); });
  std::ifstream file("/proc/" + std::to_string(worker.pid()) + "/oom_score_adj");
  int score = 0;
  file >> score;
  EXPECT_EQ(score, kOutOfMemoryScore);
}

TEST_F(SessionTest, TheProbeEstimatesAPart) {
  WorkerProcess worker(kProbe);
  TestJob job(*folder_, "probed-part", clip_);
  const auto whole = probe(worker, job.spec, clip_).estimate();
  job.video().set_from("5f");
  job.video().set_to("0.5");
  const auto part = probe(worker, job.spec, clip_).estimate();
  EXPECT_EQ(part.units_in(), 10);
  EXPECT_EQ(part.units_out(), 20);
  EXPECT_LT(part.output_bytes(), whole.output_bytes() / 2);
}

TEST_F(SessionTest, TheProbeBlamesFieldsAndLivesOn) {
  WorkerProcess worker(kProbe);
  const auto blamed = [&](const v1::JobSpec& spec, const std::string& input) {
    const Status error = channel::to_status(probe(worker, spec, input).error());
    EXPECT_EQ(error.code(), StatusCode::kInvalidArgument) << error;
    const auto violations = options::violations_of(error);
    return violations.size() == 1 ? violations[0].field : message_of(error);
  };
  TestJob job(*folder_, "blamed", clip_);
  const std::string text = folder_->path("text.ts");
  media::write_file(text, std::string(5000, 'x'));
  EXPECT_EQ(blamed(job.spec, text), "spec.video.input");
  EXPECT_EQ(blamed(job.spec, folder_->path("")), "spec.video.input");
  const std::string audio = media::make_clip(*folder_, "audio.wav", "-f lavfi -i sine=duration=1");
  EXPECT_EQ(blamed(job.spec, audio), "spec.video.input");
  TestJob options_job(*folder_, "blamed-options", clip_);
  (*options_job.video().mutable_encoding()->mutable_encoder_options())["nonsense"] = "1";
  EXPECT_EQ(blamed(options_job.spec, clip_), "spec.video.encoding.encoder_options");
  TestJob container(*folder_, "blamed-container", clip_, "out.webm");
  EXPECT_EQ(blamed(container.spec, clip_), "spec.video.output");
  EXPECT_EQ(probe(worker, job.spec, clip_).error().code(), 0);
}

}  // namespace
}  // namespace weft::worker
