// SPDX-License-Identifier: Apache-2.0
// Workers killed at random moments: every job that was acknowledged succeeds with the bytes of an undisturbed run, and nothing is left
// behind.
#include <csignal>

#include "tests/scenarios/faults_fixture.h"

namespace weft::scenarios {
namespace {

TEST_F(FaultsTest, TheWorkerIsKilledFiftyTimes) {
  undisturbed(clip(60));
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  std::map<std::string, std::string> acknowledged;
  int next = 0;
  int kills = 0;
  int64_t last_pid = 0;
  while (kills < kRounds) {
    // Always one that runs: when it is done the next follows.
    const std::string request_id = "job-" + std::to_string(next);
    v1::SubmitJobRequest submitted = request(clip(60), path(request_id + ".mkv"));
    submitted.set_request_id(request_id);
    const std::string id = acknowledged[request_id] = daemon.submit(submitted);
    next++;
    while (kills < kRounds) {
      // At least a segment further than at the last kill: a job that gets nowhere is given up after three deaths.
      const int64_t from = daemon.get(id).progress().units_done();
      const v1::Job job = daemon.wait_for(id, [&](const v1::Job& each) {
        return has_ended(each) ||
               (each.state() == v1::JOB_STATE_RUNNING && each.progress().units_done() > from + 50);
      });
      if (has_ended(job)) break;
      pass_time(daemon, milliseconds(100));
      const auto device = daemon.device("cpu");
      if (!device || device->worker_pid() == 0 || device->worker_pid() == last_pid) continue;
      last_pid = device->worker_pid();
      ::kill(pid_t(last_pid), SIGKILL);
      kills++;
    }
  }
  check_outputs(daemon, acknowledged, [](const std::string&) { return clip(60); });
  EXPECT_THAT(leftovers(), IsEmpty());
  EXPECT_TRUE(daemon.is_running());
  printf("%d kills over %d jobs, the worker of the device was started %d times\n", kills, next,
         daemon.device("cpu")->worker_starts());
}

}  // namespace
}  // namespace weft::scenarios
