// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/verified_copy.h"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "server/channel/sha256.h"
#include "server/queue/files/file_error.h"
#include "server/queue/files/sync_file.h"

namespace weft::queue {
namespace {

constexpr size_t kBlockBytes = 1 << 20;
// Bytes between two syncs of a copy. Without them the last sync of a long copy would take minutes
// on a slow file system, without progress.
constexpr size_t kUnsyncedBytes = 64 << 20;

// Reads the file from its position to its end and passes each block to `take`.
Status read_blocks(const OpenFile& file, const std::function<Status(std::string_view block)>& take) {
  std::string block(kBlockBytes, '\0');
  while (true) {
    const ssize_t count = ::read(file.descriptor, block.data(), block.size());
    if (count == 0) return ok_status();
    if (count < 0 && errno != EINTR) return file_error(errno, "The finished file cannot be read", file.path);
    if (count > 0) RETURN_IF_ERROR(take({block.data(), size_t(count)}));
  }
}

Status cannot_write(int error, const OpenFile& file) {
  return file_error(error, "The finished file cannot be copied to the file system of its place", file.path);
}

Status write_block(const OpenFile& file, std::string_view block) {
  while (!block.empty()) {
    const ssize_t count = ::write(file.descriptor, block.data(), block.size());
    if (count < 0 && errno != EINTR) return cannot_write(errno, file);
    if (count > 0) block.remove_prefix(size_t(count));
  }
  return ok_status();
}

// Reserves the space of the copy where the file system can, so that a full one fails at once.
Status reserve(const OpenFile& from, const OpenFile& to) {
  struct stat info {};
  if (::fstat(from.descriptor, &info) != 0)
    return file_error(errno, "The finished file cannot be read", from.path);
  if (info.st_size == 0 || ::fallocate(to.descriptor, 0, 0, info.st_size) == 0) return ok_status();
  return errno == ENOSPC || errno == EDQUOT ? cannot_write(errno, to) : ok_status();
}

}  // namespace

StatusOr<std::string> copy_verified(const OpenFile& from, const OpenFile& to,
                                    const std::function<Status(int64_t bytes)>& progressed) {
  RETURN_IF_ERROR(reserve(from, to));
  channel::Sha256 hash, hash_of_copy;
  size_t unsynced_bytes = 0;
  const auto copy_block = [&](std::string_view block) -> Status {
    hash.add(block);
    RETURN_IF_ERROR(write_block(to, block));
    unsynced_bytes += block.size();
    if (unsynced_bytes >= kUnsyncedBytes) {
      RETURN_IF_ERROR(sync_file(to.descriptor, to.path));
      unsynced_bytes = 0;
    }
    return progressed(int64_t(block.size()));
  };
  RETURN_IF_ERROR(read_blocks(from, copy_block));
  RETURN_IF_ERROR(sync_file(to.descriptor, to.path));
  FAULT_POINT("publish.between_copy_and_check");
  // Without its pages in memory the copy is read from the file system, as far as that is possible.
  static_cast<void>(::posix_fadvise(to.descriptor, 0, 0, POSIX_FADV_DONTNEED));
  if (::lseek(to.descriptor, 0, SEEK_SET) != 0) return cannot_write(errno, to);
  RETURN_IF_ERROR(read_blocks(to, [&](std::string_view block) {
    hash_of_copy.add(block);
    return progressed(int64_t(block.size()));
  }));
  const std::string wanted = hash.digits(), found = hash_of_copy.digits();
  if (found == wanted) return wanted;
  return unavailable(
      "The copy of the finished file differs from it ({}: SHA-256 {} instead of {}); it is removed and made "
      "again. Check "
      "the file system of the output if this recurs.",
      to.path, found, wanted);
}

}  // namespace weft::queue
