// SPDX-License-Identifier: Apache-2.0
// Tests the life of a job and of the daemon without kills.
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <sysexits.h>

#include "base/fault_point.h"
#include "client/connection.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using LifeTest = ScenarioTest;

TEST_F(LifeTest, AJobBecomesAFile) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  v1::SubmitJobResponse response;
  ASSERT_TRUE(daemon.submit(request(clip(2), path("out.mkv")), &response).ok());
  EXPECT_THAT(response.estimate().input_summary(), HasSubstr("mpeg2video"));
  const v1::Job job = daemon.wait_for_end_of(response.job().id());
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_EQ(job.attempt(), 1);
  EXPECT_EQ(job.result().units_in(), 50);
  EXPECT_EQ(job.result().units_out(), 100);
  EXPECT_EQ(job.result().output_bytes(), int64_t(std::filesystem::file_size(path("out.mkv"))));
  EXPECT_THAT(leftovers(), IsEmpty());

  std::string info;
  ASSERT_EQ(run({"ffprobe", "-v", "error", "-count_frames", "-select_streams", "v", "-show_entries",
                 "stream=codec_name,width,height,r_frame_rate,nb_read_frames,field_order", "-of",
                 "default=nw=1", path("out.mkv")},
                &info),
            0);
  for (const char* property : {"codec_name=ffv1", "width=320", "height=240", "r_frame_rate=50/1",
                               "nb_read_frames=100", "field_order=progressive"})
    EXPECT_THAT(info, HasSubstr(property));

  v1::ReadJobLogRequest log;
  log.set_id(job.id());
  const auto context = call_context();
  const auto reader = daemon.jobs().ReadJobLog(context.get(), log);
  std::string text;
  for (v1::ReadJobLogResponse line; reader->Read(&line);) text += line.text() + "\n";
  EXPECT_THAT(text, HasSubstr("The job succeeded."));
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(LifeTest, TheCommandLineDoesTheSame) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const auto weft = [&](std::vector<std::string> arguments, std::string* output) {
    arguments.insert(arguments.begin(), {WEFT, "--server", daemon.address()});
    return run(arguments, output);
  };
  std::string words;
  const std::vector<std::string> job{"bwdif",
                                     clip(2),
                                     "-o",
                                     path("out.mkv"),
                                     "--encoder",
                                     "ffv1",
                                     "--encoder-threads",
                                     "1",
                                     "--segment-frames",
                                     "25"};
  std::vector<std::string> submit{"submit"};
  submit.insert(submit.end(), job.begin(), job.end());
  submit.push_back("--follow");
  ASSERT_EQ(weft(submit, &words), 0) << words;
  EXPECT_EQ(read_file(path("out.mkv")) == undisturbed(clip(2)), true);
  const std::string id = daemon.list().jobs(0).id();
  ASSERT_EQ(weft({"--json", "show", id}, &words), 0) << words;
  EXPECT_THAT(words, HasSubstr(id));
  ASSERT_EQ(weft({"logs", id}, &words), 0) << words;
  EXPECT_THAT(words, HasSubstr("The job succeeded."));
  // The output exists by now.
  EXPECT_EQ(weft(submit, &words), 4) << words;
  EXPECT_THAT(words, HasSubstr(path("out.mkv")));
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(weft({"list"}, &words), 3) << words;
}

TEST_F(LifeTest, RunNeedsNoDaemon) {
  // A daemon of the machine, if there is one, keeps its devices.
  ::setenv("WEFT_LOCK_DIR", path("locks").c_str(), 1);
  std::string words;
  const int status =
      run({WEFT, "--server", "unix:" + path("nobody.sock"), "run", "bwdif", clip(2), "-o", path("out.mkv"),
           "--encoder", "ffv1", "--encoder-threads", "1", "--segment-frames", "25", "--device", "cpu"},
          &words);
  ::unsetenv("WEFT_LOCK_DIR");
  EXPECT_EQ(status, 0) << words;
  EXPECT_EQ(read_file(path("out.mkv")) == undisturbed(clip(2)), true);
}

// Returns the process of a daemon with its state below a folder.
pid_t daemon_below(const std::string& folder) {
  for (const auto& process : std::filesystem::directory_iterator("/proc")) {
    const std::string words = read_file(process.path().string() + "/cmdline");
    if (words.find("weftd") != std::string::npos &&
        words.find("--state-dir" + std::string(1, '\0') + folder) != std::string::npos)
      return std::stoi(process.path().filename().string());
  }
  return 0;
}

TEST_F(LifeTest, RunEndsAtOnceWithItsDaemonAndLeavesNothing) {
  std::filesystem::create_directory(path("tmp"));
  std::string words;
  int status = 0;
  std::thread running([&] {
    status = run({"env", "WEFT_LOCK_DIR=" + path("locks"), "TMPDIR=" + path("tmp"), WEFT, "--server",
                  "unix:" + path("nobody.sock"), "run", "bwdif", clip(60), "-o", path("out.mkv"), "--encoder",
                  "ffv1", "--segment-frames", "25", "--device", "cpu"},
                 &words);
  });
  // The first segments exist, so the submit was answered long before.
  EXPECT_TRUE(wait_until([&] {
    const std::vector<std::string> work = leftovers();
    std::error_code error;
    const std::filesystem::directory_iterator files(work.empty() ? path("none") : path(work[0]), error);
    return !error && std::distance(begin(files), end(files)) >= 6;
  }));
  const pid_t daemon = daemon_below(path("tmp"));
  EXPECT_GT(daemon, 0);
  if (daemon > 0) ::kill(daemon, SIGKILL);
  running.join();
  EXPECT_EQ(status, 3) << words;
  EXPECT_THAT(words, HasSubstr("The daemon that was started for this job is gone"));
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_TRUE(std::filesystem::is_empty(path("tmp")));
}

TEST_F(LifeTest, RunEndsAtOnceWithADaemonThatDiesWhileItTakesTheJob) {
  if (!kHasFaultPoints) GTEST_SKIP() << "built without fault points";
  std::string words;
  const auto begin = std::chrono::steady_clock::now();
  const int status = run({"env", "WEFT_KILL_AT=queue.start.before:1", "WEFT_LOCK_DIR=" + path("locks"), WEFT,
                          "--server", "unix:" + path("nobody.sock"), "run", "bwdif", clip(2), "-o",
                          path("out.mkv"), "--encoder", "ffv1", "--device", "cpu"},
                         &words);
  EXPECT_EQ(status, 3) << words;
  EXPECT_THAT(words, HasSubstr("The daemon that was started for this job is gone"));
  // A client that waited for the daemon to return would wait until its deadline.
  EXPECT_LT(std::chrono::steady_clock::now() - begin, client::ConnectionOptions().submit_deadline);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(LifeTest, ARunThatFailsTellsItsLogAndLeavesNothing) {
  // The truncated end of the input is reported at the end of the job.
  ASSERT_EQ(run({"ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x240:d=4", "-c:v", "mpeg2video",
                 path("in.mkv")}),
            0);
  std::filesystem::resize_file(path("in.mkv"), std::filesystem::file_size(path("in.mkv")) / 2);
  std::string words;
  const int status =
      run({"env", "WEFT_LOCK_DIR=" + path("locks"), WEFT, "--server", "unix:" + path("nobody.sock"), "run",
           "bwdif", path("in.mkv"), "-o", path("out.mkv"), "--encoder", "ffv1", "--device", "cpu",
           "--on-short-input", "fail"},
          &words);
  EXPECT_EQ(status, 1) << words;
  EXPECT_THAT(words, HasSubstr("Failed: "));
  EXPECT_THAT(words, HasSubstr("Attempt 1 starts on cpu."));
  EXPECT_THAT(words, Not(HasSubstr("weft logs"))) << "nobody would answer";
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_F(LifeTest, AFolderThatIsMovedAwayUnderAJobIsNoSuccess) {
  std::filesystem::create_directory(path("outputs"));
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(20), path("outputs/out.mkv")));
  daemon.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  std::filesystem::rename(path("outputs"), path("moved"));
  std::filesystem::create_directory(path("outputs"));
  const v1::Job job = daemon.wait_for_end_of(id);
  EXPECT_EQ(job.state(), v1::JOB_STATE_FAILED) << job.DebugString();
  EXPECT_THAT(job.error().message(), HasSubstr("is not where it was made"));
  EXPECT_TRUE(std::filesystem::is_empty(path("outputs")));
  // After the folder is moved back, the finished work is used.
  std::filesystem::remove(path("outputs"));
  std::filesystem::rename(path("moved"), path("outputs"));
  v1::RetryJobRequest retry;
  retry.set_id(id);
  v1::RetryJobResponse retried;
  ASSERT_TRUE(daemon.jobs().RetryJob(call_context().get(), retry, &retried).ok());
  EXPECT_EQ(daemon.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_GT(daemon.get(id).result().segments_resumed(), 0);
  EXPECT_TRUE(read_file(path("outputs/out.mkv")) == undisturbed(clip(20)));
}

TEST_F(LifeTest, AFileNameMayHave255Bytes) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  std::string name;
  while (name.size() + 3 + 4 <= 255) name += "\u7e54";  // three bytes per letter
  name.append(255 - 4 - name.size(), 'x');
  name += ".mkv";
  const std::string id = daemon.submit(request(clip(2), path(name)));
  EXPECT_EQ(daemon.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_TRUE(read_file(path(name)) == undisturbed(clip(2)));
}

TEST_F(LifeTest, AJobIsPausedResumedAndCancelled) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(60), path("out.mkv")));
  daemon.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 50; });
  v1::PauseJobRequest pause;
  pause.set_id(id);
  v1::PauseJobResponse paused;
  ASSERT_TRUE(daemon.jobs().PauseJob(call_context().get(), pause, &paused).ok());
  EXPECT_EQ(paused.job().state(), v1::JOB_STATE_PAUSED);
  // The device is free for other jobs.
  EXPECT_EQ(daemon.wait_for_end_of(daemon.submit(request(clip(2), path("other.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(daemon.get(id).state(), v1::JOB_STATE_PAUSED);

  v1::ResumeJobRequest resume;
  resume.set_id(id);
  v1::ResumeJobResponse resumed;
  ASSERT_TRUE(daemon.jobs().ResumeJob(call_context().get(), resume, &resumed).ok());
  daemon.wait_for(id,
                  [](const v1::Job& job) { return job.attempt() >= 2 && job.progress().units_done() > 100; });
  v1::CancelJobRequest cancel;
  cancel.set_id(id);
  v1::CancelJobResponse answer;
  ASSERT_TRUE(daemon.jobs().CancelJob(call_context().get(), cancel, &answer).ok());
  EXPECT_EQ(answer.job().state(), v1::JOB_STATE_CANCELLED);
  EXPECT_TRUE(wait_until([&] { return leftovers().empty(); }));
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
}

TEST_F(LifeTest, TwoDaemonsDoNotShareAFolderOrASocket) {
  Daemon first(path("daemon"));
  ASSERT_TRUE(first.start());
  Daemon second(path("daemon"), {"--device", "cpu", "--listen", "unix:" + path("other.sock")});
  second.spawn();
  EXPECT_EQ(second.wait_for_end(), EX_TEMPFAIL);
  EXPECT_THAT(second.log(), HasSubstr(std::to_string(first.pid())));
  Daemon third(path("daemon"), {"--device", "cpu", "--state-dir", path("other-state")});
  third.spawn();
  EXPECT_EQ(third.wait_for_end(), EX_TEMPFAIL);
  EXPECT_EQ(first.wait_for_end_of(first.submit(request(clip(2), path("out.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(first.stop(), 0);
}

TEST_F(LifeTest, ADeviceBelongsToOneDaemonAndPassesToTheNext) {
  Daemon first(path("first"));
  ASSERT_TRUE(first.start());
  ASSERT_TRUE(wait_until([&] { return first.device("cpu")->state() == v1::DEVICE_STATE_IN_SERVICE; }));
  Daemon second(path("second"), {"--device", "cpu", "--lock-dir", path("first/locks")});
  ASSERT_TRUE(second.start());
  ASSERT_TRUE(wait_until([&] { return second.device("cpu")->state() == v1::DEVICE_STATE_TAKEN; }));
  EXPECT_THAT(second.device("cpu")->reason(), HasSubstr(first.address()));
  const std::string id = second.submit(request(clip(2), path("out.mkv")));
  EXPECT_EQ(second.get(id).state(), v1::JOB_STATE_QUEUED);
  EXPECT_THAT(second.get(id).waiting_reason(), HasSubstr("taken"));
  EXPECT_EQ(first.stop(), 0);
  EXPECT_EQ(second.wait_for_end_of(id).state(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(LifeTest, SigtermLetsWhatRunsFinish) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string running = daemon.submit(request(clip(60), path("out.mkv")));
  const std::string waiting = daemon.submit(request(clip(2), path("other.mkv")));
  daemon.wait_for(running, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_EQ(read_file(path("out.mkv")) == undisturbed(clip(60)), true);
  EXPECT_FALSE(std::filesystem::exists(path("other.mkv")));
  ASSERT_TRUE(daemon.start());
  EXPECT_EQ(daemon.get(running).state(), v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(daemon.get(running).attempt(), 1);
  EXPECT_EQ(daemon.wait_for_end_of(waiting).state(), v1::JOB_STATE_SUCCEEDED);
}

TEST_F(LifeTest, AfterTheDrainTimeWhatRunsStopsAtAPlaceToGoOnFrom) {
  const std::string& wanted = undisturbed(clip(60));
  Daemon daemon(path("daemon"), {"--device", "cpu", "--drain-timeout", "0"});
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(60), path("out.mkv")));
  daemon.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 60; });
  EXPECT_EQ(daemon.stop(), 0);
  EXPECT_THAT(daemon.log(), Not(HasSubstr("is killed"))) << "a stop that was asked for alarms nobody";
  EXPECT_FALSE(std::filesystem::exists(path("out.mkv")));
  ASSERT_TRUE(daemon.start());
  const v1::Job job = daemon.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_GT(job.result().segments_resumed(), 0);
  EXPECT_EQ(read_file(path("out.mkv")) == wanted, true);
}

TEST_F(LifeTest, ASecondSigtermDoesNotWait) {
  Daemon daemon(path("daemon"), {"--device", "cpu", "--drain-timeout", "100000"});
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(60), path("out.mkv")));
  daemon.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 0; });
  daemon.signal(SIGTERM);
  EXPECT_TRUE(wait_until([&] { return daemon.log().find("The daemon stops") != std::string::npos; }));
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait_for_end(), 0);
  EXPECT_THAT(daemon.log(), HasSubstr("Told to stop again: workers are stopped at once."));
  EXPECT_THAT(daemon.log(), Not(HasSubstr("is killed"))) << "a stop that was asked for alarms nobody";
}

TEST_F(LifeTest, SighupReadsTheConfigurationAgain) {
  write_file(path("weft.toml"), "hang_timeout = 50\n");
  Daemon daemon(path("daemon"), {"--device", "cpu", "--config", path("weft.toml")});
  ASSERT_TRUE(daemon.start());
  const auto reads = [&](const std::string& text, const std::string& said) {
    write_file(path("weft.toml"), text);
    daemon.signal(SIGHUP);
    EXPECT_TRUE(wait_until([&] { return daemon.log().find(said) != std::string::npos; })) << said;
  };
  reads("hang_timeout = 51\n", "hang-timeout is now 51.");
  reads("hang_tmeout = 52\n", "hang_tmeout");
  reads("hang_timeout = 51\njobs_per_device = 2\n", "jobs-per-device is now 2, which takes effect when");
  EXPECT_EQ(daemon.wait_for_end_of(daemon.submit(request(clip(2), path("out.mkv")))).state(),
            v1::JOB_STATE_SUCCEEDED);
  EXPECT_EQ(daemon.stop(), 0);
}

TEST_F(LifeTest, ExitCodesSayWhatIsWrong) {
  const auto status_of = [&](std::vector<std::string> arguments) {
    Daemon daemon(path("daemon"), std::move(arguments));
    daemon.spawn();
    return daemon.wait_for_end();
  };
  write_file(path("bad.toml"), "no_such_key = 1\n");
  write_file(path("file"), "x");
  EXPECT_EQ(status_of({"--no-such-flag"}), EX_USAGE);
  EXPECT_EQ(status_of({"--listen", "0.0.0.0:1"}), EX_USAGE);
  EXPECT_EQ(status_of({"--config", path("bad.toml")}), EX_CONFIG);
  EXPECT_EQ(status_of({"--worker", path("none")}), EX_UNAVAILABLE);
  EXPECT_EQ(status_of({"--state-dir", path("file") + "/state"}), EX_CANTCREAT);
  EXPECT_EQ(status_of({"--version"}), 0);
  EXPECT_EQ(status_of({"--check-config"}), 0);
}

TEST_F(LifeTest, OneRequestIdFromTwentyThreadsIsOneJob) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  v1::SubmitJobRequest same = request(clip(2), path("out.mkv"));
  same.set_request_id("the-same");
  std::mutex mutex;
  std::set<std::string> ids;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; i++)
    threads.emplace_back([&] {
      const auto stub = v1::JobService::NewStub(daemon.new_channel());
      for (int k = 0; k < 50; k++) {
        v1::SubmitJobResponse response;
        const grpc::Status status = stub->SubmitJob(call_context().get(), same, &response);
        EXPECT_TRUE(status.ok()) << status.error_message();
        const std::lock_guard lock(mutex);
        ids.insert(response.job().id());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids.size(), 1u);
  EXPECT_EQ(daemon.list().total(), 1);
  EXPECT_EQ(daemon.wait_for_end_of(*ids.begin()).state(), v1::JOB_STATE_SUCCEEDED);
}

}  // namespace
}  // namespace weft::scenarios
