// SPDX-License-Identifier: Apache-2.0
// For tests: the real weft-worker as a child of this process, spoken to over its channel.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "server/channel/channel.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

class WorkerProcess {
 public:
  // `environment`: "NAME=VALUE" added to this process's own. {channel} among the arguments is the descriptor.
  explicit WorkerProcess(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment = {});
  ~WorkerProcess();  // kills it
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // From now on writing past so many bytes of a file fails, as on a full disk. Not before the worker runs: ThreadSanitizer's
  // start writes a longer one.
  void limit_files(size_t bytes);
  void send(const internal::v1::ToWorker& message, std::initializer_list<int> descriptors = {});
  // Reads until `wanted` says true of a message, which is returned; an empty one when the channel ends first. Every
  // message is kept in `seen`.
  internal::v1::FromWorker wait_for(const std::function<bool(const internal::v1::FromWorker&)>& wanted);

  pid_t pid() const { return pid_; }
  void kill();
  void signal(int number);
  // Closes our end of the channel: for the worker, the daemon is gone.
  void hang_up() { channel_.reset(); }
  // Waits for its end: the exit code, or minus the signal. -1000 when it does not end within a minute.
  int wait();

  std::vector<internal::v1::FromWorker> seen;

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::unique_ptr<channel::Channel> channel_;
};

// What `weft-worker ARGUMENTS` prints, and its exit code.
struct Printed {
  int exit = 0;
  std::string text;
};
Printed run_worker(const std::string& arguments);

}  // namespace weft::worker
