// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/machine_memory.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/server/queue/queue_fixture.h"

namespace weft::queue {
namespace {

constexpr int64_t kGibibyte = int64_t{1} << 30;

class MachineMemoryTest : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path place(folder_.path() + path);
    std::filesystem::create_directories(place.parent_path());
    std::ofstream(place) << text;
  }
  MachineMemory read() { return read_machine_memory(folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(MachineMemoryTest, TellsWhatTheMachineHas) {
  write("/proc/meminfo", "MemTotal:       25165824 kB\nMemFree:  1 kB\nMemAvailable:   12582912 kB\n");
  const MachineMemory memory = read();
  EXPECT_EQ(memory.all_bytes, 24 * kGibibyte);
  EXPECT_EQ(memory.available_bytes, 12 * kGibibyte);
  EXPECT_EQ(memory.for_jobs(), 23 * kGibibyte);
  EXPECT_EQ(memory.for_jobs_now(), 11 * kGibibyte);
}

TEST_F(MachineMemoryTest, AControlGroupOrOneAboveItLimits) {
  write("/proc/meminfo", "MemTotal: 25165824 kB\nMemAvailable: 12582912 kB\n");
  write("/proc/self/cgroup", "0::/system.slice/weftd.service\n");
  write("/sys/fs/cgroup/system.slice/weftd.service/memory.max", "max\n");
  write("/sys/fs/cgroup/system.slice/memory.max", std::to_string(4 * kGibibyte));
  write("/sys/fs/cgroup/system.slice/memory.current", std::to_string(3 * kGibibyte));
  write("/sys/fs/cgroup/system.slice/memory.stat",
        "anon 5\ninactive_file " + std::to_string(kGibibyte) + "\n");
  const MachineMemory memory = read();
  EXPECT_EQ(memory.all_bytes, 4 * kGibibyte);
  EXPECT_EQ(memory.available_bytes, 2 * kGibibyte) << "files that it can forget count as free";
  EXPECT_EQ(memory.reserve(), kGibibyte / 2) << "an eighth";
}

TEST_F(MachineMemoryTest, OfNothingThatCanBeReadNothingIsKnown) {
  EXPECT_EQ(read().all_bytes, 0);
  EXPECT_EQ(read().for_jobs(), 0);
}

TEST(MachineMemory, ReadsThisMachine) {
  const MachineMemory memory = read_machine_memory();
  EXPECT_GT(memory.all_bytes, kGibibyte / 4);
  EXPECT_GT(memory.available_bytes, 0);
  EXPECT_LE(memory.available_bytes, memory.all_bytes);
}

}  // namespace
}  // namespace weft::queue
