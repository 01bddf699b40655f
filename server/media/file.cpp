// SPDX-License-Identifier: Apache-2.0
#include "server/media/file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

#include "base/fault_point.h"
#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"

namespace weft::media {

namespace {

constexpr const char* kDiskFull = "weft.media/disk-full";

std::string_view kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "not a regular file";
}

StatusCode code_of(int number) {
  switch (number) {
    case ENOENT:
    case ENOTDIR:
      return StatusCode::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS:
      return StatusCode::kPermissionDenied;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
      return StatusCode::kResourceExhausted;
    case EIO:
      return StatusCode::kDataLoss;
    case ENAMETOOLONG:
    case ELOOP:
    case EISDIR:
    case ENXIO:
      return StatusCode::kInvalidArgument;
    case EEXIST:
      return StatusCode::kAlreadyExists;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

void Descriptor::reset() {
  if (number_ >= 0) {
    const FileCall call("closed", "");
    ::close(number_);
  }
  number_ = -1;
}

InputFilePtr InputFile::first_bytes(const InputFilePtr& file, int64_t bytes) {
  InputFile* const part = new InputFile(Descriptor(), file->name(), std::min(bytes, file->bytes()));
  part->whole_ = file;
  return InputFilePtr(part);
}

InputFile::~InputFile() {
  const FileCall call("closed", name_);
  descriptor_.reset();
}

StatusOr<InputFilePtr> InputFile::open(const std::string& path) {
  const FileCall call("opened", path);
  // O_NONBLOCK: without this flag, opening a FIFO waits for its writer.
  Descriptor descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor) return system_error(errno, "opened", path);
  return adopt(std::move(descriptor), path);
}

StatusOr<InputFilePtr> InputFile::adopt(Descriptor descriptor, std::string name) {
  const FileCall call("examined", name);
  struct stat info {};
  if (::fstat(descriptor.get(), &info) != 0) return system_error(errno, "examined", name);
  if (!S_ISREG(info.st_mode))
    return invalid_argument("The input ({}) is {}; give a regular file.", name, kind_of(info.st_mode));
  if (info.st_size == 0)
    return invalid_argument("The input ({}) is empty (0 bytes); give a video file.", name);
  return InputFilePtr(new InputFile(std::move(descriptor), std::move(name), info.st_size));
}

Status system_error(int number, std::string_view doing, std::string_view name) {
  const std::string_view advice = number == ENOENT                       ? "; check the path"
                                  : number == EACCES || number == EPERM  ? "; check its permissions"
                                  : number == ENOSPC || number == EDQUOT ? "; free some space"
                                                                         : "";
  Status status = make_status(code_of(number), fmt::format("The file ({}) cannot be {} ({}){}.", name, doing,
                                                           std::strerror(number), advice));
  if (number == ENOSPC || number == EDQUOT) status.SetPayload(kDiskFull, absl::Cord());
  return status;
}

bool take_disk_full(Status& status) { return status.ErasePayload(kDiskFull); }

void start_write_back(int descriptor, int64_t bytes, int64_t* begun) {
  constexpr int64_t kChunkBytes = int64_t{16} << 20;
  if (bytes - *begun < kChunkBytes) return;
  const FileCall call("written", "");
  // The call is a hint: if it fails, the sync writes everything and reports errors.
  ::sync_file_range(descriptor, *begun, bytes - *begun, SYNC_FILE_RANGE_WRITE);
  *begun = bytes;
}

namespace {

// Returns a name in the same folder as the file. A name that is too long for the suffix is cut and
// ends with a hash.
std::string unfinished_name(const std::string& path) {
  constexpr size_t kMaxNameBytes = 255;
  const size_t begin = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  const std::string name = path.substr(begin);
  if (name.size() + kUnfinishedSuffix.size() <= kMaxNameBytes) return path + std::string(kUnfinishedSuffix);
  const std::string hash = fmt::format("{:016x}", std::hash<std::string>()(name));
  return path.substr(0, begin + kMaxNameBytes - kUnfinishedSuffix.size() - hash.size()) + hash +
         std::string(kUnfinishedSuffix);
}

}  // namespace

Status write_whole_file(const FileLocation& location, std::string_view bytes) {
  const FileCall call("written", location.name);
  const std::string unfinished = unfinished_name(location.name);
  const Descriptor file(
      open_in(location.folder, unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file) return system_error(errno, "created", location.name);
  const auto failed = [&](std::string_view doing) {
    Status status = system_error(errno, doing, location.name);
    remove_in(location.folder, unfinished);
    return status;
  };
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t written = ::write(file.get(), bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failed("written");
    at += size_t(written);
  }
  FAULT_POINT("whole_file.before_sync");
  if (::fsync(file.get()) != 0) return failed("synced");
  FAULT_POINT("whole_file.before_rename");
  if (rename_in(location.folder, unfinished, location.name) != 0) return failed("renamed");
  return sync_folder_of(location);
}

Status sync_folder_of(const FileLocation& location) {
  const size_t slash = location.name.rfind('/');
  const std::string folder = slash == std::string::npos ? "."
                             : slash == 0               ? "/"
                                                        : location.name.substr(0, slash);
  const FileCall call("synced", folder);
  const Descriptor descriptor(open_in(location.folder, folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!descriptor || ::fsync(descriptor.get()) != 0) return system_error(errno, "synced", folder);
  return ok_status();
}

}  // namespace weft::media
