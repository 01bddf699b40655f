// SPDX-License-Identifier: Apache-2.0
// Owns a private folder of a worker, for libraries that exchange files by path.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "server/channel/file_descriptor.h"

namespace weft::worker {

class ScratchFolder {
 public:
  // Makes a folder in `parent`, or in the system's folder of temporary files if `parent` is empty,
  // and removes the folders of this user's workers that were killed. A folder is locked (flock) as
  // long as its worker lives. Call before the process is confined, and grant it the folder.
  static StatusOr<std::unique_ptr<ScratchFolder>> make(const std::string& parent);
  ~ScratchFolder();  // removes the folder and its files
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  ScratchFolder(std::string path, channel::FileDescriptor parent, channel::FileDescriptor lock)
      : path_(std::move(path)), parent_(std::move(parent)), lock_(std::move(lock)) {}

  const std::string path_;
  const channel::FileDescriptor parent_;  // for the removal by a confined process
  const channel::FileDescriptor lock_;
};

}  // namespace weft::worker
