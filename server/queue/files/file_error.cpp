// SPDX-License-Identifier: Apache-2.0
#include "server/queue/files/file_error.h"

#include <cerrno>
#include <cstring>

namespace weft::queue {

Status file_error(int error, std::string_view what, const std::string& path) {
  const std::string message = fmt::format("{} ({}): {}.", what, path, std::strerror(error));
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return make_status(StatusCode::kNotFound, message);
    case EACCES:
    case EPERM:
    case EROFS:
      return make_status(StatusCode::kPermissionDenied, message);
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
      return make_status(StatusCode::kResourceExhausted, message);
    case EEXIST:
      return make_status(StatusCode::kAlreadyExists, message);
    default:
      return make_status(StatusCode::kUnavailable, message);
  }
}

bool is_shortage(int error) {
  return error == EMFILE || error == ENFILE || error == ENOMEM || error == ENOBUFS;
}

}  // namespace weft::queue
