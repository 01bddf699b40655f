// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/disk_budget.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "options/job_files.h"
#include "options/words.h"

namespace weft::queue {
namespace {

std::optional<DiskSpace> probe_folder(std::string folder, DiskSpace::Use use) {
  struct statvfs budget {};
  struct stat info {};
  if (::statvfs(folder.c_str(), &budget) != 0 || ::stat(folder.c_str(), &info) != 0) return std::nullopt;
  return DiskSpace{.folder = std::move(folder),
                   .file_system = info.st_dev,
                   .free_bytes = int64_t(budget.f_bavail) * int64_t(budget.f_frsize),
                   .use = use};
}

// Returns the bytes that a job has still to write to a file system.
int64_t bytes_wanted(const v1::JobEstimate& estimate, DiskSpace::Use use, int64_t done, int64_t total) {
  return use == DiskSpace::Use::kFinished ? bytes_of_finished(estimate)
                                          : bytes_to_write(estimate, done, total);
}

}  // namespace

std::vector<DiskSpace> probe_disks(const v1::Job& job, std::string_view state_folder) {
  const options::JobFiles files = options::files_of_job(job.spec());
  const std::string& location = job.work_location();
  std::optional<DiskSpace> output, work;
  if (!files.outputs.empty()) output = probe_folder(files.outputs[0].folder(), DiskSpace::Use::kAll);
  if (!location.empty() || files.outputs.empty())
    work = probe_folder(location.empty() ? std::string(state_folder) : location, DiskSpace::Use::kAll);
  std::vector<DiskSpace> spaces;
  const bool are_two = output && work && output->file_system != work->file_system;
  if (are_two) {
    work->use = DiskSpace::Use::kWork;
    output->use = DiskSpace::Use::kFinished;
  }
  if (work) spaces.push_back(*work);
  if (output && (are_two || !work)) spaces.push_back(*output);
  return spaces;
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

int64_t bytes_of_finished(const v1::JobEstimate& estimate) { return bytes_to_write(estimate, 1, 1); }

DiskBudget::Reservation::~Reservation() {
  const std::lock_guard lock(books_->mutex);
  for (const Part& part : parts_) {
    const auto reserved = books_->by_file_system.find(part.space.file_system);
    reserved->second.bytes -= part.bytes;
    if (--reserved->second.jobs == 0) books_->by_file_system.erase(reserved);
  }
}

void DiskBudget::Reservation::progressed(int64_t done, int64_t total) {
  const std::lock_guard lock(books_->mutex);
  for (Part& part : parts_) {
    const int64_t bytes = bytes_wanted(estimate_, part.space.use, done, total);
    books_->by_file_system[part.space.file_system].bytes += bytes - std::exchange(part.bytes, bytes);
  }
}

// Called with the mutex held.
Status DiskBudget::check(const DiskSpace& space, int64_t wanted, int64_t kept_free) const {
  const auto known = books_->by_file_system.find(space.file_system);
  const Reserved others = known == books_->by_file_system.end() ? Reserved{} : known->second;
  if (wanted <= 0 || wanted <= space.free_bytes - kept_free - others.bytes) return ok_status();
  return resource_exhausted(
      "There is too little space for the {} ({} bytes wanted; {} are free in {}, of which {} are "
      "reserved for {} and {} are kept free); the job starts when there is room.",
      space.use == DiskSpace::Use::kWork ? "work" : "output", wanted, space.free_bytes, space.folder,
      others.bytes, options::format_count(others.jobs, "running job"), kept_free);
}

StatusOr<DiskBudget::ReservationPtr> DiskBudget::reserve(const v1::Job& job,
                                                         const std::vector<DiskSpace>& spaces,
                                                         int64_t kept_free) {
  // declared first, so that its destructor locks the mutex after this function has released it
  auto reservation = std::make_shared<Reservation>(books_, job.estimate());
  const std::lock_guard lock(books_->mutex);
  for (const DiskSpace& space : spaces) {
    // Output that an earlier attempt finished is already on the disk.
    const int64_t wanted =
        bytes_wanted(job.estimate(), space.use, job.progress().units_done(), job.estimate().units_in());
    RETURN_IF_ERROR(check(space, wanted, kept_free));
    Reserved& reserved = books_->by_file_system[space.file_system];
    reserved.bytes += wanted;
    reserved.jobs++;
    reservation->parts_.push_back({space, wanted});
  }
  return reservation;
}

}  // namespace weft::queue
