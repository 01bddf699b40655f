// SPDX-License-Identifier: Apache-2.0
// A process that opens, renames and removes files for a worker that may not, by their names in folders that the worker has open. So what
// the worker can get at are the files and folders that the daemon gave it, though it holds no right to open a path.
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

// Calls that may wait for file systems at once; further ones wait for one of them.
inline constexpr int kFolderCallsOfDevice = 64;
inline constexpr int kFolderCallsOfProbe = 4;

// A name is relative and stays beneath its folder: no "..", no link except where an existing file is opened for reading, and then the
// file's own name alone may be one. The process ends with the worker.
class FolderProcess final : public media::FolderCalls {
 public:
  // Forks: before threads start and before this process is confined. The child keeps CAP_DAC_OVERRIDE if this process has it, since
  // files may be private to their owners.
  static StatusOr<std::unique_ptr<FolderProcess>> start(int calls_at_once);
  ~FolderProcess() override;  // hangs up; the process ends

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
  std::vector<channel::FileDescriptor> sockets_;  // that no call uses
};

}  // namespace weft::worker
