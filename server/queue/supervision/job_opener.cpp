// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/job_opener.h"

#include <utility>

namespace weft::queue {

std::vector<std::string> JobOpener::paths_with_work(const v1::Job& job) const {
  std::vector<std::string> paths = paths_of(job);
  paths.push_back(work_folder_of(job, state_folder_));
  return paths;
}

void JobOpener::reserve_space(const v1::Job& job, int64_t low_bytes, Opened& opened) const {
  const std::optional<DiskSpace> space = access_.probe_disk(job, state_folder_);
  if (!space) return;
  opened.space = check_low_disk(*space, low_bytes);
  if (!opened.space.ok()) return;
  auto reservation = disk_budget_.reserve(job, *space, low_bytes);
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
  threads_.add({work_folder_of(job, state_folder_)}, [this, job, low_bytes, done = std::move(done)] {
    const std::optional<DiskSpace> space = access_.probe_disk(job, state_folder_);
    loop_.post([status = space ? check_low_disk(*space, low_bytes) : ok_status(), done] { done(status); });
  });
}

// The folder's lock is held meanwhile, so that no later attempt uses the folder.
void JobOpener::abandon(const v1::Job& job, const SharedOpenJob& files) {
  threads_.add(paths_with_work(job),
               [job, files, state = state_folder_] { remove_unused_folder(job, state, *files); });
}

}  // namespace weft::queue
