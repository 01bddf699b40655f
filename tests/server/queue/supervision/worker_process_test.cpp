// SPDX-License-Identifier: Apache-2.0
// Why a worker's process ended is told as it was, whoever notices its end first.
#include "server/queue/supervision/worker_process.h"

#include <csignal>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "server/queue/supervision/event_loop.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {
namespace {

// Dead, but still unreaped: its channel is closed, and the loop has not seen it.
bool wait_for_death(pid_t pid) {
  siginfo_t facts{};
  return ::waitid(P_PID, id_t(pid), &facts, WEXITED | WNOWAIT) == 0;
}

// What on_gone says of a shell that runs `script`, when a message is sent to it after its death.
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

}  // namespace
}  // namespace weft::queue
