// SPDX-License-Identifier: Apache-2.0
// The room on file systems where running jobs write: how much is free, and how much of that is reserved.
//
// A job reserves what its estimate says when it starts, and gives it back as it writes and when its attempt ends. A job that
// waits or is paused reserves nothing: it looks for room when its turn has come. (docs/decisions/0042)
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Of the file system where a job writes.
struct DiskSpace {
  std::string folder;
  uint64_t file_system = 0;  // its number
  int64_t free_bytes = 0;    // for the daemon's user
};

// May wait for a slow file system. Nullopt: the folder cannot be looked at; opening the job's files says what is wrong.
std::optional<DiskSpace> look_at_disk(const v1::Job& job, std::string_view state_folder);

// RESOURCE_EXHAUSTED when less than `low_bytes` are free.
Status check_low_disk(const DiskSpace& space, int64_t low_bytes);

// What a job that is `done` of `total` units has still to write of its estimate. The estimate counts the segments and the finished file
// made of them: while it works on segments it writes half. `total` 0: not known, nothing is taken as written.
int64_t bytes_to_write(const v1::JobEstimate& estimate, int64_t done, int64_t total);

// Thread-safe. Reservations may outlive it.
class DiskRoom {
  struct Books;

 public:
  // Given back when it goes.
  class Reservation {
   public:
    Reservation(std::shared_ptr<Books> books, uint64_t file_system, v1::JobEstimate estimate, int64_t bytes);
    ~Reservation();
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;
    // The job has come so far: what it wrote is in use, no longer reserved.
    void progressed(int64_t done, int64_t total);

   private:
    const std::shared_ptr<Books> books_;
    const uint64_t file_system_;
    const v1::JobEstimate estimate_;
    int64_t bytes_ = 0;  // guarded by the books' mutex
  };
  using ReservationPtr = std::shared_ptr<Reservation>;

  // What the job has still to write, next to what others reserve and to `kept_free` bytes. RESOURCE_EXHAUSTED: there is too little,
  // with the numbers. `space` is how things are now.
  StatusOr<ReservationPtr> reserve(const v1::Job& job, const DiskSpace& space, int64_t kept_free);

 private:
  struct Reserved {
    int64_t bytes = 0;
    int64_t jobs = 0;
  };
  struct Books {
    std::mutex mutex;
    std::unordered_map<uint64_t, Reserved> by_file_system;
  };
  std::shared_ptr<Books> books_ = std::make_shared<Books>();
};

}  // namespace weft::queue
