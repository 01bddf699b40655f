// SPDX-License-Identifier: Apache-2.0
// Opens the files of attempts and looks at the room on their disks, on threads that may wait for a file system. Whoever asks lives
// on a loop and is answered there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/queue/files/disk_room.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/files/job_files.h"
#include "server/queue/supervision/event_loop.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// What is asked of file systems; tests put something else in its place.
struct FileAccess {
  std::function<StatusOr<OpenJob>(const v1::Job& job, std::string_view state_folder,
                                  const StoreIdentity& store, const FileRights& rights)>
      open = open_job;
  std::function<std::optional<DiskSpace>(const v1::Job& job, std::string_view state_folder)> look_at_disk =
      queue::look_at_disk;
};

// Closed on the threads that opened them, when nobody has them any more.
using SharedOpenJob = std::shared_ptr<const OpenJob>;

// On the loop's thread. Loop, room and threads outlive it; the threads end first.
class JobOpener {
 public:
  struct Opened {
    Status space;  // RESOURCE_EXHAUSTED: too little, and nothing was opened
    DiskRoom::ReservationPtr
        reservation;  // of what the job will write; null: its disk could not be looked at
    StatusOr<SharedOpenJob> files = SharedOpenJob();
    std::optional<Status> memory = std::nullopt;  // whether it suffices still, where that was asked
  };

  // `state_folder`: where jobs work that write no file.
  JobOpener(EventLoop& loop, FileThreads& threads, DiskRoom& room, FileAccess access,
            std::string state_folder)
      : loop_(loop),
        threads_(threads),
        room_(room),
        access_(std::move(access)),
        state_folder_(std::move(state_folder)) {}

  // `rights`: of whoever submitted the job. `low_bytes` are to be free when it starts, and to stay free next to what it reserves.
  void open(const v1::Job& job, const FileRights& rights, int64_t low_bytes, const StoreIdentity& store,
            std::function<void(const Opened&)> done);
  void check_disk(const v1::Job& job, int64_t low_bytes, std::function<void(const Status&)> done);
  // Of an attempt that nobody waits for any more: the work folder goes if opening has made it.
  void abandon(const v1::Job& job, const SharedOpenJob& files);

 private:
  EventLoop& loop_;
  FileThreads& threads_;
  DiskRoom& room_;
  std::vector<std::string> paths_with_work(const v1::Job& job) const;
  // Before anything is opened.
  void find_room(const v1::Job& job, int64_t low_bytes, Opened& opened) const;

  const FileAccess access_;
  const std::string state_folder_;
};

}  // namespace weft::queue
