// SPDX-License-Identifier: Apache-2.0
// Runs power_cut_fs, a file system that loses its unsynced data on a test's order. It accepts the
// orders of power_cut_fs.
//
//   PowerCutMount mount(path("disk"));
//   if (!mount.is_there()) GTEST_SKIP() << mount.why_not();
//   mount.cut();  // unsynced data is gone
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/scenarios/fuse_mount.h"

namespace weft::scenarios {

class PowerCutMount : public FuseMount {
 public:
  explicit PowerCutMount(const std::string& folder) : FuseMount(POWER_CUT_FS, {}, folder) {}

  // Cuts the power and turns it on again. `left` is the part of the unsynced data that remains:
  // "nothing", "all", or "some" and a seed.
  void cut(const std::string& left = "nothing") {
    order("cut " + left);
    turn_on();
  }
  // Cuts the power at the n-th sync from now, before that sync begins.
  void cut_at_sync(int n, const std::string& left = "nothing") {
    order("cut-at-sync " + std::to_string(n) + " " + left);
    syncs();  // Its reply shows that the order was read.
  }
  bool is_cut() { return has_line("cut"); }
  // Waits until the power is cut, then turns it on.
  void turn_on() {
    EXPECT_TRUE(wait_for_line("cut"));
    order("on");
    syncs();  // Its reply shows that the power is on.
  }
  // Returns the number of syncs until now.
  int syncs() {
    order("count");
    std::string number;
    EXPECT_TRUE(wait_for_line("syncs ", &number));
    return number.empty() ? 0 : std::stoi(number);
  }
};

}  // namespace weft::scenarios
