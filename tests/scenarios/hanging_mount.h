// SPDX-License-Identifier: Apache-2.0
// Runs hanging_fs, a FUSE file system that blocks all calls on a test's order.
//
//   HangingMount mount(path("disk"));
//   if (!mount.is_there()) GTEST_SKIP() << mount.why_not();
//   mount.order("hang");
#pragma once

#include <filesystem>
#include <string>

#include "tests/scenarios/fuse_mount.h"

namespace weft::scenarios {

// Accepts the orders of hanging_fs.
class HangingMount : public FuseMount {
 public:
  // Makes `folder` and mounts another folder on it. That folder has the same parent.
  explicit HangingMount(const std::string& folder)
      : FuseMount(HANGING_FS, {make_behind(folder)}, folder), behind_(folder + ".behind") {}

  // Returns the path of a file outside the mount. Access through this path does not block.
  std::string behind(const std::string& name) const { return behind_ + "/" + name; }
  // Waits until a call is blocked in the file system. Returns false if none is in time.
  bool wait_until_it_hangs() { return wait_for_line("hangs"); }

 private:
  static std::string make_behind(const std::string& folder) {
    std::filesystem::create_directories(folder + ".behind");
    return folder + ".behind";
  }
  const std::string behind_;
};

}  // namespace weft::scenarios
