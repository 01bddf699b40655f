// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/segment_claims.h"

#include <cerrno>
#include <chrono>
#include <thread>

#include <fcntl.h>

#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"

namespace weft::worker {
namespace {

// interval of the attempts to claim all segments
constexpr std::chrono::milliseconds kRetryInterval{20};

// Sets or removes a lock on bytes of an open file; `count` 0 means up to the end of all offsets.
int change_lock(int file, short type, int64_t first, int64_t count) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  lock.l_start = off_t(first);
  lock.l_len = off_t(count);
  while (::fcntl(file, F_OFD_SETLK, &lock) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace

StatusOr<std::unique_ptr<SegmentClaims>> SegmentClaims::open(int folder, const std::string& name,
                                                             std::string key) {
  const std::string file_name = name + "-claims";
  const media::FileCall call("opened", file_name);
  media::Descriptor file(media::open_in(folder, file_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file) return media::system_error(errno, "opened", file_name);
  // The byte after those of all segments, which no task claims.
  constexpr int64_t kUnused = INT64_MAX - 1;
  const int error = change_lock(file.get(), F_RDLCK, kUnused, 1);
  if (error != 0)
    return unimplemented("The file system of the work folder has no locks for claims on segments ({}).",
                         message_of(media::system_error(error, "locked", file_name)));
  change_lock(file.get(), F_UNLCK, kUnused, 1);
  return std::unique_ptr<SegmentClaims>(
      new SegmentClaims(std::move(file), SegmentJournal(folder, name), std::move(key)));
}

bool SegmentClaims::lock(int64_t first, int64_t count) const {
  return change_lock(file_.get(), F_WRLCK, first, count) == 0;
}

void SegmentClaims::release(int64_t segment) { change_lock(file_.get(), F_UNLCK, segment, 1); }

void SegmentClaims::release_all() { change_lock(file_.get(), F_UNLCK, 0, 0); }

Status SegmentClaims::claim_all(const std::function<Status()>& alive) {
  while (!lock(0, 0)) {
    RETURN_IF_ERROR(alive());
    std::this_thread::sleep_for(kRetryInterval);
  }
  return ok_status();
}

std::optional<internal::v1::SegmentRecord> SegmentClaims::find_finished(int64_t segment) const {
  return journal_.record(segment, key_);
}

}  // namespace weft::worker
