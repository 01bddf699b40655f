// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/job_opener.h"

#include <utility>

namespace weft::queue {

void JobOpener::open(const v1::Job& job, int64_t low_bytes, const std::string& store_id,
                     std::function<void(const Opened&)> done) {
  threads_.add(paths_of(job), [this, job, low_bytes, store_id, done = std::move(done)] {
    Opened opened;
    opened.space = access_.check_low_disk(job, low_bytes);
    if (opened.space.ok()) {
      StatusOr<JobFiles> files = access_.open(job, store_id);
      if (files.ok())
        opened.files = SharedJobFiles(threads_.keep(paths_of(job), *std::move(files)));
      else
        opened.files = files.status();
    }
    loop_.post([opened = std::move(opened), done] { done(opened); });
  });
}

void JobOpener::check_disk(const v1::Job& job, int64_t low_bytes, std::function<void(const Status&)> done) {
  const std::string work_folder = work_folder_of(job);
  if (work_folder.empty()) return loop_.post([done] { done(ok_status()); });
  threads_.add({work_folder}, [this, job, low_bytes, done = std::move(done)] {
    loop_.post([space = access_.check_low_disk(job, low_bytes), done] { done(space); });
  });
}

// With the folder's lock held, so that no later attempt is in it.
void JobOpener::abandon(const v1::Job& job, const SharedJobFiles& files) {
  threads_.add(paths_of(job), [job, files] { remove_unused_folder(job, *files); });
}

}  // namespace weft::queue
