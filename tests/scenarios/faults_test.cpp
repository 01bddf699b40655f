// SPDX-License-Identifier: Apache-2.0
// Tests daemons that are killed at random moments or at every fault point, and a full disk. Every
// acknowledged job must exist and succeed, once, with the bytes of a run without faults. No file
// may be left over.
#include <atomic>
#include <csignal>
#include <filesystem>
#include <map>
#include <random>
#include <set>
#include <thread>

#include <gmock/gmock.h>
#include <sys/mount.h>

#include "base/fault_point.h"
#include "tests/scenarios/faults_fixture.h"

namespace weft::scenarios {
namespace {

// every n-th round waits for the answer, on a machine of any speed
constexpr int kPatientEvery = 7;

TEST_F(FaultsTest, TheDaemonIsKilledFiftyTimes) {
  undisturbed(clip(60));
  undisturbed(clip(2));
  Daemon daemon(path("daemon"));
  const auto input_of = [](const std::string& request_id) {
    return request_id == "long" ? clip(60) : clip(2);
  };
  std::map<std::string, std::string> acknowledged;  // request id to job id
  std::set<std::string> asked;
  for (int round = 0; round < kRounds; round++) {
    ASSERT_TRUE(daemon.start());
    // A client submits while the daemon is killed. The daemon must keep acknowledged jobs and may
    // keep others.
    const std::string request_id = round == 0 ? "long" : "short-" + std::to_string(round);
    asked.insert(request_id);
    std::atomic<bool> is_answered = false;
    std::thread submitter([&] {
      v1::SubmitJobRequest submitted = request(input_of(request_id), path(request_id + ".mkv"));
      submitted.set_request_id(request_id);
      const auto context = call_context();
      v1::SubmitJobResponse response;
      if (daemon.jobs().SubmitJob(context.get(), submitted, &response).ok())
        acknowledged[request_id] = response.job().id();
      is_answered = true;
    });
    if (round % kPatientEvery == 0) wait_until([&] { return is_answered.load(); });
    pass_time(daemon, milliseconds(round == 0 ? 2000 : 700));
    daemon.kill();
    submitter.join();
  }
  EXPECT_GT(acknowledged.size(), size_t{kRounds / kPatientEvery});
  ASSERT_TRUE(daemon.start());
  check_outputs(daemon, acknowledged, input_of);

  std::set<std::string> ids;
  std::set<std::string> request_ids;
  const v1::ListJobsResponse list = daemon.list();
  for (const v1::Job& job : list.jobs()) {
    EXPECT_TRUE(ids.insert(job.id()).second);
    EXPECT_TRUE(request_ids.insert(job.request_id()).second) << job.request_id();
    EXPECT_TRUE(asked.contains(job.request_id())) << job.request_id();
    EXPECT_EQ(daemon.wait_for_end_of(job.id()).state(), v1::JOB_STATE_SUCCEEDED);
  }
  EXPECT_THAT(leftovers(), IsEmpty());
  printf("%zu of %d submits acknowledged, %d jobs\n", acknowledged.size(), kRounds, list.jobs_size());
}

// Needs a build with fault points, unlike the preset release. The daemon ends at its n-th fault
// point, n = 1, 2, 3 ... until it passes all of them.
TEST_F(FaultsTest, TheDaemonIsKilledAtEveryFaultPoint) {
  if (!kHasFaultPoints) GTEST_SKIP() << "This build has no fault points.";
  constexpr int kMostPoints = 500;
  undisturbed(clip(2));
  int points = 0;
  bool through = false;
  while (!through) {
    ASSERT_LT(++points, kMostPoints);
    Daemon daemon(path("daemon-" + std::to_string(points)));
    v1::SubmitJobRequest submitted = request(clip(2), path("out-" + std::to_string(points) + ".mkv"));
    submitted.set_request_id("the-one");
    daemon.spawn({"WEFT_KILL_AT=" + std::to_string(points)});
    std::string id;
    if (daemon.wait_until_it_answers()) {
      const auto context = call_context();
      v1::SubmitJobResponse response;
      if (daemon.jobs().SubmitJob(context.get(), submitted, &response).ok()) id = response.job().id();
      wait_until([&] {
        if (!daemon.is_running()) return true;
        v1::GetJobRequest get;
        get.set_id(id);
        v1::GetJobResponse got;
        return !id.empty() && daemon.jobs().GetJob(call_context(milliseconds(1000)).get(), get, &got).ok() &&
               has_ended(got.job());
      });
    }
    through = daemon.is_running() && daemon.stop() == 0;
    daemon.kill();
    ASSERT_TRUE(daemon.start());
    v1::SubmitJobResponse again;
    ASSERT_TRUE(daemon.submit(submitted, &again).ok());
    EXPECT_TRUE(id.empty() || again.job().id() == id) << "fault point " << points;
    const v1::Job job = daemon.wait_for_end_of(again.job().id());
    EXPECT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << "fault point " << points << "\n" << job.DebugString();
    EXPECT_EQ(read_file(job.spec().video().output()) == undisturbed(clip(2)), true)
        << "fault point " << points;
    EXPECT_THAT(leftovers(), IsEmpty()) << "fault point " << points;
  }
  printf("%d fault points\n", points - 1);
}

TEST_F(FaultsTest, AFullDiskStopsNothingForGood) {
  const std::string disk = path("disk");
  std::filesystem::create_directory(disk);
  if (::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=256m") != 0)
    GTEST_SKIP() << "A small file system cannot be mounted here (root only).";
  struct Unmount {
    std::string path;
    ~Unmount() { ::umount2(path.c_str(), MNT_DETACH); }
  } unmount{disk};
  const std::string& wanted = undisturbed(clip(20));

  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(20), disk + "/out.mkv"));
  daemon.wait_for(id, [](const v1::Job& job) { return job.progress().units_done() > 60; });
  // Another program fills the disk. The worker is stopped meanwhile: on a busy machine the job
  // could end before the disk is full.
  const pid_t worker = pid_t(daemon.device("cpu")->worker_pid());
  ASSERT_EQ(::kill(worker, SIGSTOP), 0);
  std::error_code error;
  const auto free_now = std::filesystem::space(disk, error).available;
  write_file(disk + "/ballast", std::string(free_now, 'x'));
  ASSERT_EQ(::kill(worker, SIGCONT), 0);
  daemon.wait_for(id,
                  [](const v1::Job& job) { return job.attempts_size() > 0 && job.attempts(0).has_error(); });
  EXPECT_FALSE(has_ended(daemon.get(id)));
  EXPECT_FALSE(std::filesystem::exists(disk + "/out.mkv"));
  // The other program frees the disk space.
  std::filesystem::remove(disk + "/ballast");
  const v1::Job job = daemon.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED) << job.DebugString();
  EXPECT_EQ(read_file(disk + "/out.mkv") == wanted, true);
}

}  // namespace
}  // namespace weft::scenarios
