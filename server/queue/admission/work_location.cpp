// SPDX-License-Identifier: Apache-2.0
#include "server/queue/admission/work_location.h"

#include <cerrno>
#include <filesystem>

#include <sys/statvfs.h>

#include "options/validate.h"
#include "server/queue/files/file_error.h"

namespace weft::queue {

StatusOr<WorkLocation> check_work_location(const v1::JobSettings& settings, const std::string& configured,
                                           const FileRights& rights) {
  const bool is_configured = settings.work_dir().empty();
  std::string path = is_configured ? configured : settings.work_dir();
  if (path.empty()) return WorkLocation();
  path = std::filesystem::path(path).lexically_normal().string();
  if (path.size() > 1 && path.ends_with('/')) path.pop_back();
  const FoundFile found = open_target_folder(is_configured ? FileRights{} : rights, path);
  if (is_shortage(found.error))
    return file_error(found.error, "The folder for work cannot be opened now", path);
  if (!found.is_found() && is_configured)
    return unavailable(
        "The daemon's folder for work {} ({}: work_dir); create or mount it, correct its permissions, or "
        "choose "
        "another folder with --work-dir.",
        found.why, path);
  if (!found.is_found())
    return options::to_status(
        {{"settings.work_dir",
          fmt::format(
              "The folder for work {} ({}); choose a folder in which you and the daemon may create files.",
              found.why, path)}});
  struct statvfs space {};
  if (::fstatvfs(found.descriptor.get(), &space) != 0)
    return file_error(errno, "The folder for work cannot be examined", path);
  return WorkLocation{.path = path,
                      .free_bytes = int64_t(space.f_bavail) * int64_t(space.f_frsize),
                      .disk_bytes = int64_t(space.f_blocks) * int64_t(space.f_frsize),
                      .file_system = found.info.st_dev};
}

}  // namespace weft::queue
