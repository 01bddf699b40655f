// SPDX-License-Identifier: Apache-2.0
// A file system of FUSE that hangs when a test says so: hanging_fs as a process.
//
//   HangingMount mount(path("disk"));
//   if (!mount.is_there()) GTEST_SKIP() << mount.why_not();
//   mount.order("hang");
#pragma once

#include <filesystem>
#include <string>

#include "tests/scenarios/fuse_mount.h"

namespace weft::scenarios {

// Orders are lines of hanging_fs.
class HangingMount : public FuseMount {
 public:
  // Makes the folder and mounts there what lies in another beside it.
  explicit HangingMount(const std::string& folder)
      : FuseMount(HANGING_FS, {make_behind(folder)}, folder), behind_(folder + ".behind") {}

  // The same file past the file system, which does not hang.
  std::string behind(const std::string& name) const { return behind_ + "/" + name; }
  // Waits until something waits for the file system; false: nothing did in time.
  bool wait_until_it_hangs() { return wait_for_line("hangs"); }

 private:
  static std::string make_behind(const std::string& folder) {
    std::filesystem::create_directories(folder + ".behind");
    return folder + ".behind";
  }
  const std::string behind_;
};

}  // namespace weft::scenarios
