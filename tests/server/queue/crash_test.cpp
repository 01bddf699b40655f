// SPDX-License-Identifier: Apache-2.0
// Tests a queue that is killed with SIGKILL in a child process: at every fault point in turn, and
// at random moments. The test starts its own program as the child (the two disabled tests at the
// end). WEFT_KILL_LOOPS=n sets the number of kills. WEFT_KILL_SEED=n repeats the moments of a run.
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "base/log.h"
#include "server/queue/store/store.h"
#include "tests/server/queue/crash_daemon.h"
#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

using testing::IsEmpty;

constexpr const char* kFolderVariable = "WEFT_CRASH_FOLDER";

// Starts this program again for one of its disabled tests.
pid_t start_child(const char* test, const std::string& folder, const std::string& kill_at) {
  const pid_t child = fork();
  if (child != 0) return child;
  setenv(kFolderVariable, folder.c_str(), 1);
  if (!kill_at.empty()) setenv("WEFT_KILL_AT", kill_at.c_str(), 1);
  const std::string filter = std::string("--gtest_filter=") + test;
  execl("/proc/self/exe", "crash_test", filter.c_str(), "--gtest_also_run_disabled_tests", "--gtest_brief=1",
        nullptr);
  _exit(127);
}

// Returns true if the child ended by itself with exit code 0, false if it was killed. Any other end
// fails the test.
bool ends_well(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) return false;
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child ended with status " << status;
  return true;
}

// Runs a daemon that is not killed, waits until all jobs are final, and checks them.
void expect_all_is_well(const std::string& folder) {
  CrashDaemon daemon(folder);
  ASSERT_TRUE(daemon.run_to_the_end());
  ASSERT_THAT(audit_after_crash(folder, daemon.jobs()), IsEmpty());
}

// Waits until the diary has `wanted` more lines. Returns false if no line is added for a minute.
bool wait_for_more(const Diary& diary, size_t wanted) {
  const size_t before = diary.read().size();
  size_t lines = before;
  auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (lines < before + wanted) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
    const size_t now = diary.read().size();
    if (now > lines) deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    lines = now;
  }
  return true;
}

unsigned number_of(const char* variable, unsigned otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : unsigned(std::strtoul(text, nullptr, 10));
}

TEST(Crash, AtEveryFaultPointInTurn) {
  if (!kHasFaultPoints)
    GTEST_SKIP() << "this build has no fault points; the presets ci, debug, asan and tsan have";
  ASSERT_TRUE(set_log_level("off").ok());
  int points = 0;
  for (bool all = false; !all && !HasFailure(); points++) {
    TemporaryFolder folder;
    SCOPED_TRACE(fmt::format("killed at the point {}", points + 1));
    all = ends_well(start_child("CrashChild.DISABLED_Scenario", folder.path(), std::to_string(points + 1)));
    // A second daemon is killed as well, early in its recovery.
    if (!all)
      ends_well(start_child("CrashChild.DISABLED_Scenario", folder.path(), std::to_string(1 + points % 5)));
    expect_all_is_well(folder.path());
  }
  EXPECT_GT(points, 20) << "the scenario passes too few fault points to mean anything";
}

TEST(Crash, AtRandomMoments) {
  ASSERT_TRUE(set_log_level("off").ok());
  const unsigned loops = number_of("WEFT_KILL_LOOPS", 12);
  const unsigned seed = number_of("WEFT_KILL_SEED", std::random_device{}());
  fmt::print("WEFT_KILL_SEED={} WEFT_KILL_LOOPS={}\n", seed, loops);
  std::mt19937 random(seed);
  TemporaryFolder folder;
  const Diary diary(folder.path() + "/diary");
  for (unsigned i = 0; i < loops && !HasFailure(); i++) {
    const pid_t child = start_child("CrashChild.DISABLED_SubmitForEver", folder.path(), "");
    // Half of the children are killed while they start, the others after one of their first
    // acknowledgements.
    const size_t lines = i % 2 == 1 ? 1 + random() % 40 : 0;
    ASSERT_TRUE(wait_for_more(diary, lines)) << "nothing was acknowledged";
    // The sleep selects a random moment between two lines; it does not wait for a condition.
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (lines == 0 ? 100'000 : 5'000)));
    kill(child, SIGKILL);
    EXPECT_FALSE(ends_well(child));
  }
  expect_all_is_well(folder.path());
}

TEST(CrashChild, DISABLED_Scenario) {
  ASSERT_TRUE(set_log_level("off").ok());
  CrashDaemon(std::getenv(kFolderVariable)).run_scenario();
}

TEST(CrashChild, DISABLED_SubmitForEver) {
  ASSERT_TRUE(set_log_level("off").ok());
  CrashDaemon(std::getenv(kFolderVariable)).submit_for_ever();
}

}  // namespace
}  // namespace weft::queue
