// SPDX-License-Identifier: Apache-2.0
// Tests memory groups with files in a folder that simulates a cgroup, and with a real cgroup if the
// machine has one.
#include "server/queue/supervision/memory_group.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

class MemoryGroupTest : public testing::Test {
 protected:
  MemoryGroupTest() {
    write("cgroup.controllers", "cpu memory pids\n");
    write("cgroup.procs", std::to_string(::getpid()) + "\n");
    write("cgroup.subtree_control", "");
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path(name)) << text; }
  std::string read(const std::string& name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TemporaryFolder folder_;
};

TEST_F(MemoryGroupTest, TheDaemonAndItsWorkersGetChildren) {
  for (int i = 0; i < 2; i++) {
    const auto group = MemoryGroup::make(folder_.path(), 1000);
    ASSERT_THAT(group.status(), IsOk());
    EXPECT_EQ(read("daemon/cgroup.procs"), std::to_string(::getpid()));
    EXPECT_EQ(read("cgroup.subtree_control"), "+memory");
    EXPECT_EQ(read("workers/memory.max"), "1000");
    EXPECT_THAT(group->add(42), IsOk());
    EXPECT_EQ(read("workers/cgroup.procs"), "42");
  }
}

TEST_F(MemoryGroupTest, WhatIsMissingIsSaidAndNothingIsMade) {
  write("cgroup.procs", "1\n");
  EXPECT_THAT(MemoryGroup::make(folder_.path(), 1000).status(),
              StatusIs(StatusCode::kFailedPrecondition, "with process 1"));
  write("cgroup.controllers", "cpu pids\n");
  EXPECT_THAT(MemoryGroup::make(folder_.path(), 1000).status(),
              StatusIs(StatusCode::kFailedPrecondition, "counts no memory"));
  write("cgroup.controllers", "memory\n");
  write("cgroup.procs", "");
  std::filesystem::remove(path("cgroup.subtree_control"));
  EXPECT_THAT(MemoryGroup::make(folder_.path(), 1000).status(),
              StatusIs(StatusCode::kFailedPrecondition, "Delegate=yes"));
  EXPECT_FALSE(std::filesystem::exists(path("daemon")));
  EXPECT_FALSE(std::filesystem::exists(path("workers")));
}

TEST_F(MemoryGroupTest, TheDefaultIsMostOfTheMachine) {
  EXPECT_GT(default_workers_memory(), int64_t{1} << 28);
}

}  // namespace
}  // namespace weft::queue
