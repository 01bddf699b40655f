// SPDX-License-Identifier: Apache-2.0
// Tests that the end of a worker process is reported with its real reason, whichever thread notices
// the end first.
#include "server/queue/supervision/worker_process.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "server/queue/supervision/event_loop.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {
namespace {

// Waits until the process has ended, but does not reap it. Its channel is then closed, and the loop
// has not seen its end.
bool wait_for_death(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) == 0;
}

// Returns the reason of on_gone for a shell that runs `script`. The test sends a message to the
// shell after its end.
std::string reason_after_a_late_message(const std::string& script, Status* sent) {
  std::promise<std::string> reason;
  std::unique_ptr<WorkerProcess> process;
  auto loop = EventLoop::start([&] {
    if (process != nullptr) process->tick();
  });
  EXPECT_THAT(loop.status(), IsOk());
  (*loop)->post([&] {
    auto started = WorkerProcess::start(**loop, "test", {"/bin/sh", "-c", script}, -1,
                                        {[](const internal::v1::FromWorker&) {},
                                         [&](const std::string& why) {
                                           process.reset();
                                           reason.set_value(why);
                                         }});
    ASSERT_THAT(started.status(), IsOk());
    process = std::move(*started);
    ASSERT_TRUE(wait_for_death(process->pid()));
    internal::v1::ToWorker message;
    message.mutable_shutdown();
    *sent = process->send(message);
  });
  std::string why = reason.get_future().get();
  (*loop)->stop();
  return why;
}

TEST(WorkerProcess, AMessageThatComesTooLateDoesNotHideWhyTheProcessEnded) {
  Status sent;
  const std::string killed = reason_after_a_late_message("kill -KILL $$", &sent);
  EXPECT_THAT(sent, StatusIs(StatusCode::kUnavailable));
  EXPECT_NE(killed.find("signal 9"), std::string::npos) << killed;
  const std::string ended = reason_after_a_late_message("exit 7", &sent);
  EXPECT_THAT(sent, StatusIs(StatusCode::kUnavailable));
  EXPECT_NE(ended.find("status 7"), std::string::npos) << ended;
}

// The shell waits for a line from the test.
TEST(WorkerProcess, LinesOfItsLogKeepTheirFields) {
  ASSERT_THAT(start_log({.program = "weftd", .level = "info", .format = LogFormat::kJournal}), IsOk());
  testing::internal::CaptureStderr();
  Status sent;
  reason_after_a_late_message(
      R"(echo '{"level":"warning","job":"01ABC","attempt":2,"stream":7,"message":"A \"word\"."}' >&2
         echo '{"level":"debug","message":"Not shown."}' >&2
         echo '{not one of ours' >&2
         echo 'a library'\''s word' >&2)",
      &sent);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "warning weftd: [weft-worker] [01ABC #2] [stream 7] A \"word\".\n"
            "info weftd: [weft-worker] {not one of ours\n"
            "info weftd: [weft-worker] a library's word\n");
}

TEST(WorkerProcess, IsNotGoneBeforeWhatItStarted) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  std::promise<std::string> gone;
  std::unique_ptr<WorkerProcess> process;
  std::atomic<int> ticks_after_death{0};
  auto loop = EventLoop::start([&] {
    if (process == nullptr) return;
    process->tick();
    ticks_after_death++;
  });
  ASSERT_THAT(loop.status(), IsOk());
  const std::string script = fmt::format("(read word < /proc/{}/fd/{}) & exit 7", ::getpid(), ends[0]);
  (*loop)->post([&] {
    auto started = WorkerProcess::start(**loop, "test", {"/bin/sh", "-c", script}, -1,
                                        {[](const internal::v1::FromWorker&) {},
                                         [&](const std::string& why) {
                                           process.reset();
                                           gone.set_value(why);
                                         }});
    ASSERT_THAT(started.status(), IsOk());
    ASSERT_TRUE(wait_for_death((*started)->pid()));
    process = std::move(*started);
  });
  while (ticks_after_death < 3) std::this_thread::yield();
  auto reason = gone.get_future();
  EXPECT_EQ(reason.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  ASSERT_EQ(::write(ends[1], "go\n", 3), 3);
  EXPECT_NE(reason.get().find("status 7"), std::string::npos);
  (*loop)->stop();
  ::close(ends[0]);
  ::close(ends[1]);
}

}  // namespace
}  // namespace weft::queue
