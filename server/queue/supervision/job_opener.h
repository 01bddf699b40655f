// SPDX-License-Identifier: Apache-2.0
// Opens the files of attempts and looks at the room on their disks, on threads that may wait for a file system. Whoever asks lives
// on a loop and is answered there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/files/job_files.h"
#include "server/queue/supervision/event_loop.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// What is asked of file systems; tests put something else in its place.
struct FileAccess {
  std::function<StatusOr<OpenJob>(const v1::Job& job, std::string_view state_folder,
                                  std::string_view store_id, const FileRights& rights)>
      open = open_job;
  std::function<Status(const v1::Job& job, std::string_view state_folder, int64_t low_bytes)> check_low_disk =
      queue::check_low_disk;
};

// Closed on the threads that opened them, when nobody has them any more.
using SharedOpenJob = std::shared_ptr<const OpenJob>;

// On the loop's thread. Loop and threads outlive it; the threads end first.
class JobOpener {
 public:
  struct Opened {
    Status space;  // RESOURCE_EXHAUSTED: too little, and nothing was opened
    StatusOr<SharedOpenJob> files = SharedOpenJob();
  };

  // `state_folder`: where jobs work that write no file.
  JobOpener(EventLoop& loop, FileThreads& threads, FileAccess access, std::string state_folder)
      : loop_(loop), threads_(threads), access_(std::move(access)), state_folder_(std::move(state_folder)) {}

  // `rights`: of whoever submitted the job.
  void open(const v1::Job& job, const FileRights& rights, int64_t low_bytes, const std::string& store_id,
            std::function<void(const Opened&)> done);
  void check_disk(const v1::Job& job, int64_t low_bytes, std::function<void(const Status&)> done);
  // Of an attempt that nobody waits for any more: the work folder goes if opening has made it.
  void abandon(const v1::Job& job, const SharedOpenJob& files);

 private:
  EventLoop& loop_;
  FileThreads& threads_;
  std::vector<std::string> paths_with_work(const v1::Job& job) const;

  const FileAccess access_;
  const std::string state_folder_;
};

}  // namespace weft::queue
