// SPDX-License-Identifier: Apache-2.0
// A file system that loses its power when a test says so: power_cut_fs as a process. Orders are its lines.
//
//   PowerCutMount mount(path("disk"));
//   if (!mount.is_there()) GTEST_SKIP() << mount.why_not();
//   mount.cut();  // what was not synced is gone
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/scenarios/fuse_mount.h"

namespace weft::scenarios {

class PowerCutMount : public FuseMount {
 public:
  explicit PowerCutMount(const std::string& folder) : FuseMount(POWER_CUT_FS, {}, folder) {}

  // Cuts the power and turns it on again. `left`: what is left of that which was not synced, "nothing", "all" or "some" and a seed.
  void cut(const std::string& left = "nothing") {
    order("cut " + left);
    turn_on();
  }
  // The power is cut when the n-th sync from now is asked for, before it has begun.
  void cut_at_sync(int n, const std::string& left = "nothing") {
    order("cut-at-sync " + std::to_string(n) + " " + left);
  }
  bool is_cut() { return has_line("cut"); }
  // Waits until it is cut first.
  void turn_on() {
    EXPECT_TRUE(wait_for_line("cut"));
    order("on");
    syncs();  // answered, so it is on
  }
  // That there were so far.
  int syncs() {
    order("count");
    std::string number;
    EXPECT_TRUE(wait_for_line("syncs ", &number));
    return number.empty() ? 0 : std::stoi(number);
  }
};

}  // namespace weft::scenarios
