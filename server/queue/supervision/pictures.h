// SPDX-License-Identifier: Apache-2.0
// Decodes single pictures of jobs' inputs and outputs, for display by clients. The daemon opens the
// files; a worker decodes them.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "base/status.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/files/file_rights.h"
#include "server/queue/files/file_threads.h"
#include "server/queue/records/caller.h"
#include "server/queue/supervision/file_worker.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/picture_service.pb.h"

namespace weft::queue {

inline constexpr int64_t kMaxPictureBytes = int64_t{512} << 20;
// requests that search for files of one file system at once
inline constexpr int kPicturesPerMount = 2;

// A picture with its samples in memory that no other process uses any more. Counts as one of
// kMaxPictures while it exists.
struct DecodedPicture {
  v1::PictureDescription description;
  channel::FileDescriptor samples;
  int64_t bytes = 0;
  std::shared_ptr<void> permit;
};

// Thread-safe.
class Pictures {
 public:
  using Done = std::function<void(StatusOr<DecodedPicture>)>;

  // `worker` must outlive this object. `rules` are the folders permitted for clients' files; null:
  // all.
  explicit Pictures(FileWorker& worker, std::shared_ptr<const FileRules> rules = nullptr)
      : worker_(worker), rules_(std::move(rules)) {}
  ~Pictures() { stop(); }

  // Reads a picture with the caller's rights to files. Returns at once; `done` is called once, on
  // any thread. The errors are those of ReadPicture in the API.
  void read(const v1::Job& job, const v1::ReadPictureRequest& request, const Caller& caller, Done done);
  // Drops requests that wait for a file system.
  void stop() { threads_.stop(); }

 private:
  void open(const v1::Job& job, const v1::ReadPictureRequest& request, const FileRights& rights,
            std::shared_ptr<void> permit, Done done);

  FileWorker& worker_;
  const std::shared_ptr<const FileRules> rules_;
  const std::shared_ptr<std::atomic<int>> at_work_ = std::make_shared<std::atomic<int>>(0);
  FileThreads threads_{kPicturesPerMount};
};

}  // namespace weft::queue
