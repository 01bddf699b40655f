// SPDX-License-Identifier: Apache-2.0
#include "server/queue/records/orphans.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "server/channel/file_descriptor.h"
#include "server/queue/records/ulid.h"

namespace weft::queue {
namespace {

namespace fs = std::filesystem;
using channel::FileDescriptor;

// precedes the id at the end of a work folder's name
constexpr std::string_view kBefore = ".weft-";
constexpr size_t kIdLength = 26;

// Returns the id in ".out.mkv.weft-01H...", or an empty string if the name is not of a work folder.
std::string id_of(const std::string& name) {
  if (!name.starts_with('.') || name.size() < kBefore.size() + kIdLength) return "";
  const std::string id = name.substr(name.size() - kIdLength);
  const bool ours = name.compare(name.size() - kIdLength - kBefore.size(), kBefore.size(), kBefore) == 0;
  return ours && is_ulid(id) ? id : "";
}

bool has_mark(int folder, std::string_view store_id) {
  const FileDescriptor mark(::openat(folder, kWorkFolderMark, O_RDONLY | O_NOFOLLOW | O_CLOEXEC));
  char text[64] = {};
  const ssize_t got = mark.is_open() ? ::read(mark.get(), text, sizeof(text)) : -1;
  return got >= 0 && std::string_view(text, size_t(got)) == store_id;
}

// Returns true if the folder belongs to this store and no worker uses it.
bool is_ours_and_free(const fs::path& path, const std::string& store_id) {
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info {};
  if (!folder.is_open() || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid()) return false;
  if (!has_mark(folder.get(), store_id)) return false;
  return ::flock(folder.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

}  // namespace

void mark_work_folder(int folder, std::string_view store_id) {
  if (has_mark(folder, store_id)) return;  // an earlier attempt wrote the mark, and it is durable
  const FileDescriptor mark(
      ::openat(folder, kWorkFolderMark, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!mark.is_open() || ::write(mark.get(), store_id.data(), store_id.size()) != ssize_t(store_id.size()) ||
      ::fsync(mark.get()) != 0)
    log_debug("A work folder cannot be marked: {}.", std::strerror(errno));
}

void unmark_work_folder(int folder) { ::unlinkat(folder, kWorkFolderMark, 0); }

std::vector<std::string> remove_orphans(const KnownJobs& known, const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> orphans;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string id = id_of(entry->path().filename().string());
    if (id.empty() || id >= known.before || std::binary_search(known.ids.begin(), known.ids.end(), id))
      continue;
    if (is_ours_and_free(entry->path(), known.store_id)) orphans.push_back(entry->path());
  }
  std::vector<std::string> removed;
  for (const fs::path& orphan : orphans) {
    fs::remove_all(orphan, error);
    log_info("A work folder that no job knows is removed ({}).", orphan.string());
    removed.push_back(orphan.string());
  }
  return removed;
}

}  // namespace weft::queue
