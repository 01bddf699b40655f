// SPDX-License-Identifier: Apache-2.0
// Makes files and folders durable.
#pragma once

#include <cerrno>
#include <string>

#include <unistd.h>

#include "base/fault_point.h"
#include "server/queue/files/file_error.h"

namespace weft::queue {

inline Status sync_file(int file, const std::string& path) {
  FAULT_POINT("publish.before_sync");
  return ::fsync(file) == 0 ? ok_status() : file_error(errno, "The file cannot be made durable", path);
}

// Some network file systems cannot sync a folder (EINVAL, ENOSYS). Their server then determines the
// durability of the names in it.
inline Status sync_folder(int folder, const std::string& path) {
  FAULT_POINT("publish.before_sync");
  if (::fsync(folder) == 0 || errno == EINVAL || errno == ENOSYS) return ok_status();
  return file_error(errno, "What was moved there cannot be made durable", path);
}

}  // namespace weft::queue
