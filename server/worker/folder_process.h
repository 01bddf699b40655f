// SPDX-License-Identifier: Apache-2.0
// Opens, renames and removes files for a confined worker, in a separate process, by names in
// folders that the worker has open. The worker thus reaches only the files and folders that it
// received from the daemon, and has no right to open a path.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/media/folder_calls.h"

namespace weft::worker {

// Calls that may wait for file systems at the same time; a further call waits until one of them has
// ended.
inline constexpr int kFolderCallsOfDevice = 64;
inline constexpr int kFolderCallsOfProbe = 4;

// A name is relative and refers to an object beneath its folder: ".." is refused. Links are
// refused, except the last component of the name of an existing file that is opened for reading.
// The process ends with the worker.
class FolderProcess final : public media::FolderCalls {
 public:
  // Forks the process. Call before threads start and before this process is confined. The child
  // keeps CAP_DAC_OVERRIDE if this process has it, since files may be private to their owners.
  static StatusOr<std::unique_ptr<FolderProcess>> start(int calls_at_once);
  ~FolderProcess() override;  // closes the connection, which ends the process

  int open(int folder, const std::string& name, int flags, mode_t mode) override;
  int rename(int folder, const std::string& from, const std::string& to) override;
  int remove(int folder, const std::string& name, int flags) override;
  int make_folder(int folder, const std::string& name, mode_t mode) override;
  int examine(int folder, const std::string& name) override;

  pid_t pid() const { return pid_; }

 private:
  struct Call;
  FolderProcess(pid_t pid, std::vector<channel::FileDescriptor> sockets)
      : pid_(pid), sockets_(std::move(sockets)) {}
  int call(int folder, const Call& call);

  const pid_t pid_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<channel::FileDescriptor> sockets_;  // sockets that no call uses
};

}  // namespace weft::worker
