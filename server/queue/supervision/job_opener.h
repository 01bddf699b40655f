// SPDX-License-Identifier: Apache-2.0
// Opens the files of attempts and measures free disk space, on threads that may wait for a file
// system. Results are posted to the caller's event loop.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/queue/files/disk_budget.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/files/job_files.h"
#include "server/queue/supervision/event_loop.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Functions that access file systems; tests substitute others.
struct FileAccess {
  std::function<StatusOr<OpenJob>(const v1::Job& job, std::string_view state_folder,
                                  const StoreIdentity& store, const FileRights& rights)>
      open = open_job;
  std::function<StatusOr<OpenJob>(const v1::Job& job, std::string_view state_folder,
                                  const StoreIdentity& store, const FileRights& rights)>
      open_task = queue::open_task;
  std::function<std::vector<DiskSpace>(const v1::Job& job, std::string_view state_folder)> probe_disks =
      queue::probe_disks;
};

// Open files of a job. They are closed on threads for file access after the last owner has released
// them.
using SharedOpenJob = std::shared_ptr<const OpenJob>;

// Used on the loop's thread. The constructor's arguments outlive this object; the threads end
// before it.
class JobOpener {
 public:
  struct Opened {
    Status space;  // RESOURCE_EXHAUSTED: there is too little space, and no file was opened
    // Disk space reserved for the job's work and output; null if their file systems are unknown.
    DiskBudget::ReservationPtr reservation;
    StatusOr<SharedOpenJob> files = SharedOpenJob();
    std::optional<Status> memory = std::nullopt;  // result of the memory check, if requested
  };

  // `state_folder` contains the work folders of jobs without output files.
  JobOpener(EventLoop& loop, FileThreads& threads, DiskBudget& budget, FileAccess access,
            std::string state_folder)
      : loop_(loop),
        threads_(threads),
        disk_budget_(budget),
        access_(std::move(access)),
        state_folder_(std::move(state_folder)) {}

  // Opens a job's files with `rights`, the rights of the submitter, and reserves disk space. At
  // least `low_bytes` must be free at the start, and stay free in addition to the reservation.
  void open(const v1::Job& job, const FileRights& rights, int64_t low_bytes, const StoreIdentity& store,
            std::function<void(const Opened&)> done);
  // Opens the files of a further task, without a reservation.
  void open_task(const v1::Job& job, const FileRights& rights, const StoreIdentity& store,
                 std::function<void(const Opened&)> done);
  void check_disk(const v1::Job& job, int64_t low_bytes, std::function<void(const Status&)> done);
  // Releases the files of an attempt that has ended meanwhile. Removes the work folder if open()
  // created it.
  void abandon(const v1::Job& job, const SharedOpenJob& files);

 private:
  EventLoop& loop_;
  FileThreads& threads_;
  DiskBudget& disk_budget_;
  std::vector<std::string> paths_with_work(const v1::Job& job) const;
  // Reserves the space, before a file is opened.
  void reserve_space(const v1::Job& job, int64_t low_bytes, Opened& opened) const;

  const FileAccess access_;
  const std::string state_folder_;
};

}  // namespace weft::queue
