// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/disk_budget.h"

#include <algorithm>
#include <utility>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "options/job_files.h"
#include "options/words.h"

namespace weft::queue {

std::optional<DiskSpace> probe_disk(const v1::Job& job, std::string_view state_folder) {
  const options::JobFiles files = options::files_of_job(job.spec());
  DiskSpace space;
  space.folder = files.outputs.empty() ? std::string(state_folder) : files.outputs[0].folder();
  struct statvfs budget {};
  struct stat info {};
  if (::statvfs(space.folder.c_str(), &budget) != 0 || ::stat(space.folder.c_str(), &info) != 0)
    return std::nullopt;
  space.free_bytes = int64_t(budget.f_bavail) * int64_t(budget.f_frsize);
  space.file_system = info.st_dev;
  return space;
}

Status check_low_disk(const DiskSpace& space, int64_t low_bytes) {
  if (space.free_bytes >= low_bytes) return ok_status();
  return resource_exhausted(
      "There is too little space where the job writes ({} bytes are free in {}, at least {} are wanted); "
      "the job goes on when there is room.",
      space.free_bytes, space.folder, low_bytes);
}

int64_t bytes_to_write(const v1::JobEstimate& estimate, int64_t done, int64_t total) {
  if (total <= 0) return estimate.output_bytes();
  const double share = std::clamp(double(done) / double(total), 0.0, 1.0);
  return estimate.output_bytes() - int64_t(share * double(estimate.output_bytes()) / 2);
}

DiskBudget::Reservation::Reservation(std::shared_ptr<Books> books, uint64_t file_system,
                                     v1::JobEstimate estimate, int64_t bytes)
    : books_(std::move(books)), file_system_(file_system), estimate_(std::move(estimate)), bytes_(bytes) {}

DiskBudget::Reservation::~Reservation() {
  const std::lock_guard lock(books_->mutex);
  const auto reserved = books_->by_file_system.find(file_system_);
  reserved->second.bytes -= bytes_;
  if (--reserved->second.jobs == 0) books_->by_file_system.erase(reserved);
}

void DiskBudget::Reservation::progressed(int64_t done, int64_t total) {
  const int64_t bytes = bytes_to_write(estimate_, done, total);
  const std::lock_guard lock(books_->mutex);
  books_->by_file_system[file_system_].bytes += bytes - std::exchange(bytes_, bytes);
}

StatusOr<DiskBudget::ReservationPtr> DiskBudget::reserve(const v1::Job& job, const DiskSpace& space,
                                                         int64_t kept_free) {
  // Output that an earlier attempt finished is already on the disk.
  const int64_t wanted =
      bytes_to_write(job.estimate(), job.progress().units_done(), job.estimate().units_in());
  const std::lock_guard lock(books_->mutex);
  const auto known = books_->by_file_system.find(space.file_system);
  const Reserved others = known == books_->by_file_system.end() ? Reserved{} : known->second;
  if (wanted > 0 && wanted > space.free_bytes - kept_free - others.bytes)
    return resource_exhausted(
        "There is too little space for the output ({} bytes wanted; {} are free in {}, of which {} are "
        "reserved for {} and {} are kept free); the job starts when there is room.",
        wanted, space.free_bytes, space.folder, others.bytes,
        options::format_count(others.jobs, "running job"), kept_free);
  auto reservation = std::make_shared<Reservation>(books_, space.file_system, job.estimate(), wanted);
  Reserved& reserved = books_->by_file_system[space.file_system];
  reserved.bytes += wanted;
  reserved.jobs++;
  return reservation;
}

}  // namespace weft::queue
