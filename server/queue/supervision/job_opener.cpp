// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/job_opener.h"

#include <utility>

namespace weft::queue {
namespace {

Status check_all(const std::vector<DiskSpace>& spaces, int64_t low_bytes) {
  for (const DiskSpace& space : spaces) RETURN_IF_ERROR(check_low_disk(space, low_bytes));
  return ok_status();
}

}  // namespace

std::vector<std::string> JobOpener::paths_with_work(const v1::Job& job) const {
  std::vector<std::string> paths = paths_of(job);
  paths.push_back(work_folder_of(job, state_folder_));
  return paths;
}

void JobOpener::reserve_space(const v1::Job& job, int64_t low_bytes, Opened& opened) const {
  const std::vector<DiskSpace> spaces = access_.probe_disks(job, state_folder_);
  opened.space = check_all(spaces, low_bytes);
  if (!opened.space.ok() || spaces.empty()) return;
  auto reservation = disk_budget_.reserve(job, spaces, low_bytes);
  opened.space = reservation.status();
  if (reservation.ok()) opened.reservation = *std::move(reservation);
}

void JobOpener::open(const v1::Job& job, const FileRights& rights, int64_t low_bytes,
                     const StoreIdentity& store, std::function<void(const Opened&)> done) {
  threads_.add(paths_with_work(job), [this, job, rights, low_bytes, store, done = std::move(done)] {
    Opened opened;
    reserve_space(job, low_bytes, opened);
    if (opened.space.ok()) {
      StatusOr<OpenJob> files = access_.open(job, state_folder_, store, rights);
      if (files.ok())
        opened.files = SharedOpenJob(threads_.keep(paths_with_work(job), *std::move(files)));
      else
        opened.files = files.status();
    }
    loop_.post([opened = std::move(opened), done] { done(opened); });
  });
}

void JobOpener::open_task(const v1::Job& job, const FileRights& rights, const StoreIdentity& store,
                          std::function<void(const Opened&)> done) {
  threads_.add(paths_with_work(job), [this, job, rights, store, done = std::move(done)] {
    Opened opened;
    StatusOr<OpenJob> files = access_.open_task(job, state_folder_, store, rights);
    if (files.ok())
      opened.files = SharedOpenJob(threads_.keep(paths_with_work(job), *std::move(files)));
    else
      opened.files = files.status();
    loop_.post([opened = std::move(opened), done] { done(opened); });
  });
}

void JobOpener::check_disk(const v1::Job& job, int64_t low_bytes, std::function<void(const Status&)> done) {
  std::vector<std::string> paths = written_paths_of(job);
  paths.push_back(work_folder_of(job, state_folder_));
  threads_.add(std::move(paths), [this, job, low_bytes, done = std::move(done)] {
    std::vector<DiskSpace> spaces = access_.probe_disks(job, state_folder_);
    // A running job writes nothing to the file system to which its finished output is copied.
    std::erase_if(spaces, [](const DiskSpace& space) { return space.use == DiskSpace::Use::kFinished; });
    const Status space = check_all(spaces, low_bytes);
    loop_.post([space, done] { done(space); });
  });
}

// The folder's lock is held meanwhile, so that no later attempt uses the folder.
void JobOpener::abandon(const v1::Job& job, const SharedOpenJob& files) {
  threads_.add(paths_with_work(job),
               [job, files, state = state_folder_] { remove_unused_folder(job, state, *files); });
}

}  // namespace weft::queue
