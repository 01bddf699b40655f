// SPDX-License-Identifier: Apache-2.0
#include "client/paths.h"

#include <algorithm>
#include <filesystem>

namespace weft::client {

std::string absolute_path(const std::string& path) {
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  if (error) return path;
  // Only the file system can resolve ".." after a link.
  if (std::find(absolute.begin(), absolute.end(), "..") != absolute.end() && absolute.has_filename()) {
    const std::filesystem::path folder = std::filesystem::weakly_canonical(absolute.parent_path(), error);
    if (!error) return (folder / absolute.filename()).lexically_normal().string();
  }
  return absolute.lexically_normal().string();
}

}  // namespace weft::client
