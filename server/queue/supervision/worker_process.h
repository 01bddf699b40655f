// SPDX-License-Identifier: Apache-2.0
// Runs one weft-worker process, with its channel and its standard error. Used on the loop's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "base/status.h"
#include "server/channel/channel.h"
#include "server/queue/supervision/event_loop.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::queue {

// Descriptor numbers in the worker: its end of the channel, and the lock of its device, which the
// worker only keeps open.
inline constexpr int kWorkerChannelDescriptor = 3;
inline constexpr int kWorkerLockDescriptor = 4;

class WorkerProcess {
 public:
  struct Events {
    std::function<void(const internal::v1::FromWorker&)> on_message;
    // Called once, after the last message, when the process and its descendants have ended and
    // their files are closed. `reason` is a sentence. The callback may destroy the WorkerProcess.
    std::function<void(const std::string& reason)> on_gone;
  };

  // Starts a worker. `name` is for messages ("cpu"). `arguments` begin with the program. `lock` is
  // the lock's descriptor, which the worker of the device `name` inherits; -1: the worker has no
  // device.
  static StatusOr<std::unique_ptr<WorkerProcess>> start(EventLoop& loop, std::string name,
                                                        const std::vector<std::string>& arguments, int lock,
                                                        Events events);
  // Kills the process if it still runs, without waiting for its end.
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  // Returns the exit status of a process that ended by itself. Valid in on_gone.
  std::optional<int> exit_status() const;
  // Sends a message without blocking. An error also kills the worker, except UNAVAILABLE: the
  // worker has already ended. `owner` keeps the descriptors open, and is released after they are
  // sent.
  Status send(const internal::v1::ToWorker& message, std::span<const int> descriptors = {},
              std::shared_ptr<const void> owner = nullptr);
  // Reads all messages sent until now. Called before decisions about the worker.
  void read();
  // Sends SIGKILL, once. on_gone follows with this reason.
  void kill(const std::string& reason);
  // As kill(), without a log line. For a worker that is no longer needed.
  void dismiss(const std::string& reason);
  // Called at every tick. Detects the end of the process.
  void tick();

 private:
  WorkerProcess(EventLoop& loop, std::string name, std::string device, pid_t pid,
                channel::FileDescriptor channel, channel::FileDescriptor log, Events events);
  void on_channel(uint32_t events);
  void on_log();
  void log_lines(bool all);
  void log_line(std::string_view line) const;
  void end(const std::string& reason);
  void update_interest();

  EventLoop& loop_;
  const std::string name_;
  const std::string device_;  // for log lines; empty if it has none
  const pid_t pid_;
  channel::Channel channel_;
  channel::FileDescriptor log_;
  std::string log_rest_;  // an incomplete line
  Events events_;
  bool channel_watched_ = true;
  bool log_watched_ = true;
  bool wants_write_ = false;
  TimePoint closed_at_;  // time at which the channel ended
  bool killed_ = false;
  std::optional<int> status_;  // result of waitpid() after its end
  std::string reason_;         // reason of kill() or dismiss(); empty if it ended by itself
};

// Runs a program to its end and returns its standard output. DEADLINE_EXCEEDED: it does not end in
// time. UNAVAILABLE: it cannot be started, or fails (the message contains the end of its standard
// error). RESOURCE_EXHAUSTED: its output is too long.
StatusOr<std::string> run_program(const std::vector<std::string>& arguments, Duration timeout);

}  // namespace weft::queue
