// SPDX-License-Identifier: Apache-2.0
// Tests workers that are killed at random moments. Every acknowledged job must succeed with the
// bytes of a run without faults, and no file may be left over.
#include <csignal>
#include <filesystem>

#include "tests/scenarios/faults_fixture.h"

namespace weft::scenarios {
namespace {

class KilledWorkersTest : public FaultsTest {
 protected:
  // Returns the number of durable segments, which have their final names in the job's work folder.
  size_t finished_segments(const std::string& id) const {
    size_t count = 0;
    for (const std::string& folder : leftovers()) {
      if (!folder.ends_with(id)) continue;
      std::error_code error;
      for (std::filesystem::directory_iterator entry(path(folder), error), end; !error && entry != end;
           entry.increment(error))
        count += entry->path().extension() == ".weft" ? 1 : 0;
    }
    return count;
  }
};

TEST_F(KilledWorkersTest, TheWorkerIsKilledFiftyTimes) {
  undisturbed(clip(60));
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  std::map<std::string, std::string> acknowledged;
  int next = 0;
  int kills = 0;
  int64_t last_pid = 0;
  while (kills < kRounds) {
    // One job runs at a time. After its end the next one is submitted.
    const std::string request_id = "job-" + std::to_string(next);
    v1::SubmitJobRequest submitted = request(clip(60), path(request_id + ".mkv"));
    submitted.set_request_id(request_id);
    const std::string id = acknowledged[request_id] = daemon.submit(submitted);
    next++;
    size_t finished = 0;  // number of segments at the last kill
    while (kills < kRounds) {
      // The job has finished a segment since the last kill. A job without progress fails after
      // three lost workers.
      v1::Job job;
      EXPECT_TRUE(wait_until([&] {
        job = daemon.get(id);
        return has_ended(job) || finished_segments(id) > finished;
      })) << job.DebugString();
      if (has_ended(job)) break;
      pass_time(daemon, milliseconds(100));
      finished = finished_segments(id);
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
