// SPDX-License-Identifier: Apache-2.0
#include "server/streams/available_memory.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace weft::streams {
namespace {

constexpr int64_t kMiB = 1 << 20;

// Simulates the files in /proc and /sys about the memory of a machine.
class AvailableMemoryTest : public ::testing::Test {
 protected:
  AvailableMemoryTest() {
    root_ = ::testing::TempDir() + "weft-memory.XXXXXX";
    EXPECT_NE(::mkdtemp(root_.data()), nullptr);
    write("proc/meminfo",
          "MemTotal:       16000 kB\nMemFree:        500 kB\nMemAvailable:   8192 kB\nSwapTotal: 0 kB\n");
    write("proc/self/cgroup", "0::/system.slice/weftd.service\n");
  }
  ~AvailableMemoryTest() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = std::filesystem::path(root_) / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void group(const std::string& path, const std::string& limit, int64_t used) {
    write("sys/fs/cgroup" + path + "/memory.max", limit + "\n");
    write("sys/fs/cgroup" + path + "/memory.current", std::to_string(used) + "\n");
  }

  std::string root_;
};

TEST_F(AvailableMemoryTest, WithoutLimitsItIsTheMachines) {
  EXPECT_EQ(available_memory(root_), 8 * kMiB);
  group("/system.slice/weftd.service", "max", kMiB);
  EXPECT_EQ(available_memory(root_), 8 * kMiB);
}

TEST_F(AvailableMemoryTest, TheGroupsLimitCounts) {
  group("/system.slice/weftd.service", std::to_string(4 * kMiB), kMiB);
  EXPECT_EQ(available_memory(root_), 3 * kMiB);
  group("/system.slice/weftd.service", std::to_string(4 * kMiB), 5 * kMiB);
  EXPECT_EQ(available_memory(root_), 0) << "a limit that was lowered";
}

TEST_F(AvailableMemoryTest, EveryGroupAboveCounts) {
  group("/system.slice/weftd.service", std::to_string(6 * kMiB), kMiB);
  group("/system.slice", std::to_string(5 * kMiB), 3 * kMiB);
  EXPECT_EQ(available_memory(root_), 2 * kMiB);
  group("", std::to_string(2 * kMiB), kMiB);  // the top group of a container, as seen from inside
  EXPECT_EQ(available_memory(root_), kMiB);
}

TEST_F(AvailableMemoryTest, PagesOfFilesCanBeHadBack) {
  group("/system.slice/weftd.service", std::to_string(4 * kMiB), 4 * kMiB);
  write("sys/fs/cgroup/system.slice/weftd.service/memory.stat",
        "anon 1048576\nfile 3145728\nshmem 1048576\ninactive_anon 0\nactive_file 524288\ninactive_file "
        "1572864\n");
  EXPECT_EQ(available_memory(root_), 2 * kMiB);
}

TEST_F(AvailableMemoryTest, AGroupThatTheNamespaceHidesIsLeftOut) {
  write("proc/self/cgroup", "12:memory:/old\n0::/../other\n");
  group("", std::to_string(2 * kMiB), kMiB);
  EXPECT_EQ(available_memory(root_), kMiB);
}

TEST_F(AvailableMemoryTest, AMachineThatSaysNothingHasNoLimit) {
  std::filesystem::remove_all(root_ + "/proc");
  EXPECT_EQ(available_memory(root_), std::numeric_limits<int64_t>::max());
}

TEST(AvailableMemory, ThisMachineHasSome) {
  EXPECT_GT(available_memory(), 0);
  EXPECT_LT(available_memory(), int64_t{1} << 50);
}

}  // namespace
}  // namespace weft::streams
