// SPDX-License-Identifier: Apache-2.0
#include "server/worker/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/media/file_calls.h"
#include "server/media/folder_calls.h"

namespace weft::worker {
namespace {

using channel::FileDescriptor;

constexpr std::string_view kPrefix = "weft-scratch-";

FileDescriptor open_folder(const std::string& path) {
  return FileDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

// Returns true if the folder belongs to this user, and no process has locked it.
bool is_abandoned(const std::string& path) {
  const FileDescriptor folder = open_folder(path);
  struct stat info {};
  return folder.is_open() && ::fstat(folder.get(), &info) == 0 && info.st_uid == ::geteuid() &&
         ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0;
}

void remove_abandoned(const std::filesystem::path& parent) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!entry.path().filename().string().starts_with(kPrefix) || !is_abandoned(entry.path())) continue;
    std::error_code ignored;  // the next worker tries again
    std::filesystem::remove_all(entry.path(), ignored);
  }
}

}  // namespace

StatusOr<std::unique_ptr<ScratchFolder>> ScratchFolder::make(const std::string& parent) {
  std::error_code error;
  const std::filesystem::path above =
      parent.empty() ? std::filesystem::temp_directory_path(error) : std::filesystem::path(parent);
  std::filesystem::create_directories(above, error);
  FileDescriptor outer = open_folder(above);
  // Without the lock another worker could remove the folder between its creation and its lock.
  if (!outer.is_open() || ::flock(outer.get(), LOCK_EX) != 0)
    return media::system_error(errno, "opened", above.string());
  remove_abandoned(above);
  std::string path = above / (std::string(kPrefix) + "XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) return media::system_error(errno, "made", path);
  FileDescriptor lock = open_folder(path);
  if (!lock.is_open() || ::flock(lock.get(), LOCK_EX) != 0) return media::system_error(errno, "locked", path);
  ::flock(outer.get(), LOCK_UN);
  return std::unique_ptr<ScratchFolder>(
      new ScratchFolder(std::move(path), std::move(outer), std::move(lock)));
}

ScratchFolder::~ScratchFolder() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(path_, error))
    std::filesystem::remove_all(entry.path(), error);
  static_cast<void>(media::remove_in(parent_.get(), std::filesystem::path(path_).filename(), AT_REMOVEDIR));
}

}  // namespace weft::worker
