// SPDX-License-Identifier: Apache-2.0
// Manages the disk space for the work and the outputs of running jobs: free bytes, and the reserved
// part of them.
//
// A job reserves its estimate when it starts. It releases the reservation as it writes, and at the
// end of its attempt. A waiting or paused job reserves nothing: space is checked before it starts.
// (docs/decisions/0042)
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// A file system that a job writes to.
struct DiskSpace {
  // Files that the job writes there.
  enum class Use {
    kAll,       // segments and the finished output
    kWork,      // segments and the finished output, which is copied from there
    kFinished,  // the copy of the finished output
  };
  std::string folder;
  uint64_t file_system = 0;  // number of the file system (st_dev)
  int64_t free_bytes = 0;    // free bytes, without blocks reserved for root
  Use use = Use::kAll;
};

// Returns the disk space of the work folder, and that of the output if it is on another file
// system. A folder that cannot be examined is left out; opening the job's files then reports the
// cause. May wait for a slow file system.
std::vector<DiskSpace> probe_disks(const v1::Job& job, std::string_view state_folder);

// RESOURCE_EXHAUSTED: fewer than `low_bytes` are free.
Status check_low_disk(const DiskSpace& space, int64_t low_bytes);

// Returns the number of bytes that a job with `done` of `total` finished units has still to write.
// The estimate includes the segments and the finished file made of them; segments are half of it.
// If `total` is 0 it is unknown, and the whole estimate is returned.
int64_t bytes_to_write(const v1::JobEstimate& estimate, int64_t done, int64_t total);

// Returns the number of bytes of the finished output alone.
int64_t bytes_of_finished(const v1::JobEstimate& estimate);

// Thread-safe. Reservations may outlive the budget.
class DiskBudget {
  struct Books;

 public:
  // The reserved bytes of one job, released by the destructor.
  class Reservation {
   public:
    Reservation(std::shared_ptr<Books> books, v1::JobEstimate estimate)
        : books_(std::move(books)), estimate_(std::move(estimate)) {}
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    // Updates progress: written bytes are in use and no longer reserved.
    void progressed(int64_t done, int64_t total);

   private:
    friend DiskBudget;
    struct Part {
      DiskSpace space;
      int64_t bytes = 0;
    };

    const std::shared_ptr<Books> books_;
    const v1::JobEstimate estimate_;
    std::vector<Part> parts_;  // guarded by the mutex of books_
  };
  using ReservationPtr = std::shared_ptr<Reservation>;

  // Reserves the bytes that the job has still to write, in addition to other reservations and to
  // `kept_free` bytes. `spaces` are the current states of its file systems. RESOURCE_EXHAUSTED:
  // there is too little space on one of them, and nothing is reserved; the error contains the
  // numbers.
  StatusOr<ReservationPtr> reserve(const v1::Job& job, const std::vector<DiskSpace>& spaces,
                                   int64_t kept_free);

 private:
  struct Reserved {
    int64_t bytes = 0;
    int64_t jobs = 0;
  };
  struct Books {
    std::mutex mutex;
    std::unordered_map<uint64_t, Reserved> by_file_system;
  };

  Status check(const DiskSpace& space, int64_t wanted, int64_t kept_free) const;

  std::shared_ptr<Books> books_ = std::make_shared<Books>();
};

}  // namespace weft::queue
