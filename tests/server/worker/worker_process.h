// SPDX-License-Identifier: Apache-2.0
// Runs the real weft-worker as a child process and communicates with it over its channel.
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
  // The entries of `environment`, "NAME=VALUE", are added to the environment of this process.
  // `{channel}` in an argument is replaced by the descriptor.
  explicit WorkerProcess(const std::vector<std::string>& arguments,
                         const std::vector<std::string>& environment = {});
  ~WorkerProcess();  // kills the worker
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  // Fails later writes past the first `bytes` bytes of a file, as on a full disk. Call it only when
  // the worker runs, since ThreadSanitizer writes a larger file at its start.
  void limit_files(size_t bytes);
  void send(const internal::v1::ToWorker& message, std::initializer_list<int> descriptors = {});
  // Reads messages until `wanted` returns true and returns that message, or an empty one if the
  // channel ends first. Every message is kept in `seen`.
  internal::v1::FromWorker wait_for(const std::function<bool(const internal::v1::FromWorker&)>& wanted);

  pid_t pid() const { return pid_; }
  void kill();
  void signal(int number);
  // Closes the test's end of the channel, as at the end of a daemon.
  void hang_up() { channel_.reset(); }
  // Waits for the end of the worker. Returns its exit code, or minus the signal that ended it, or
  // -1000 if it does not end within a minute.
  int wait();

  std::vector<internal::v1::FromWorker> seen;

 private:
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  std::unique_ptr<channel::Channel> channel_;
};

// Output of `weft-worker ARGUMENTS` and its exit code.
struct Printed {
  int exit = 0;
  std::string text;
};
Printed run_worker(const std::string& arguments);

}  // namespace weft::worker
