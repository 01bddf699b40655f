// SPDX-License-Identifier: Apache-2.0
// One running weft-worker: its process, its channel, its standard error. Lives on the loop's thread.
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

// Where a worker finds its end of the channel, and the lock of its device, which it only keeps open.
inline constexpr int kWorkerChannelDescriptor = 3;
inline constexpr int kWorkerLockDescriptor = 4;

class WorkerProcess {
 public:
  struct Events {
    std::function<void(const internal::v1::FromWorker&)> on_message;
    // The process is gone, with those that it started, and so is all it had open: once, after its last message. `reason`: a sentence. The
    // WorkerProcess may be destroyed in it.
    std::function<void(const std::string& reason)> on_gone;
  };

  // `name` is for messages ("cpu"). `arguments`: the program first. `lock`: a descriptor to inherit, that of the device `name`; -1: the
  // worker has no device.
  static StatusOr<std::unique_ptr<WorkerProcess>> start(EventLoop& loop, std::string name,
                                                        const std::vector<std::string>& arguments, int lock,
                                                        Events events);
  // Kills a process that still runs, and leaves it to the kernel to end it.
  ~WorkerProcess();

  pid_t pid() const { return pid_; }
  // In on_gone: what the process ended with by itself.
  std::optional<int> exit_status() const;
  // Never blocks. An error also kills the worker, unless it is gone already (UNAVAILABLE). `owner`: has the descriptors open, and is
  // let go when they are sent.
  Status send(const internal::v1::ToWorker& message, std::span<const int> descriptors = {},
              std::shared_ptr<const void> owner = nullptr);
  // Takes what it has sent until now, so that nothing is decided about it that it has answered already.
  void read();
  // SIGKILL, once; on_gone follows with this reason.
  void kill(const std::string& reason);
  // The same, without a word in the log: of one that keeps nothing, where nothing is wrong.
  void dismiss(const std::string& reason);
  // Every tick: sees whether a process that ended or was killed is gone.
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
  const std::string device_;  // of lines in the log; empty: none
  const pid_t pid_;
  channel::Channel channel_;
  channel::FileDescriptor log_;
  std::string log_rest_;  // a line whose end has not come
  Events events_;
  bool channel_watched_ = true;
  bool log_watched_ = true;
  bool wants_write_ = false;
  TimePoint closed_at_;  // when the channel ended
  bool killed_ = false;
  std::optional<int> status_;  // as waitpid says, once it has ended
  std::string reason_;         // why it was killed; empty: it ended by itself
};

// Runs a program to its end and gives what it wrote to standard output. DEADLINE_EXCEEDED, UNAVAILABLE (it cannot be
// started, or ends with an error: the end of its standard error is in the message), RESOURCE_EXHAUSTED (too much output).
StatusOr<std::string> run_program(const std::vector<std::string>& arguments, Duration timeout);

}  // namespace weft::queue
