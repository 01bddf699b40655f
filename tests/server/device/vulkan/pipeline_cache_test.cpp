// SPDX-License-Identifier: Apache-2.0
// Tests that compiled kernels are stored on disk, and that a damaged file only causes a new
// compilation.
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/device/device.h"

namespace weft::device {
namespace {

namespace fs = std::filesystem;

class PipelineCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const DeviceInfo& info : list_devices_and_twins(nullptr))
      if (info.kind == BackendKind::kVulkan) id_ = info.id;
    if (id_.empty()) GTEST_SKIP() << "There is no Vulkan device here.";
    folder_ = fs::path(testing::TempDir()) / ("pipelines." + std::to_string(getpid())) / "made when missing";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_.parent_path());
  }

  // Opens the device with this folder and compiles a kernel.
  void use() const {
    StatusOr<std::unique_ptr<Device>> device = open_device(id_, {.cache_folder = folder_.string()});
    ASSERT_THAT(device, IsOk());
    EXPECT_THAT(self_test(**device), IsOk());
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder_, none)) found.push_back(entry.path());
    return found;
  }

  std::string id_;
  fs::path folder_;
};

TEST_F(PipelineCacheTest, OneFileIsWrittenAndUsedAgain) {
  use();
  ASSERT_EQ(files().size(), 1u);
  const auto written = fs::last_write_time(files()[0]);
  use();
  EXPECT_EQ(files().size(), 1u);
  EXPECT_EQ(fs::last_write_time(files()[0]), written);  // There is no new kernel to store.
}

TEST_F(PipelineCacheTest, ADamagedFileIsReplaced) {
  use();
  ASSERT_EQ(files().size(), 1u);
  const fs::path file = files()[0];
  const auto size = fs::file_size(file);
  for (const auto kept : {size / 2, uintmax_t{3}, uintmax_t{0}}) {
    fs::resize_file(file, kept);
    use();
    EXPECT_EQ(fs::file_size(file), size);
  }
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(static_cast<std::streamoff>(size / 2))
      .put('!');
  use();
  EXPECT_EQ(fs::file_size(file), size);
}

TEST_F(PipelineCacheTest, AFolderThatCannotBeWrittenIsNoError) {
  fs::create_directories(folder_.parent_path());
  std::ofstream(folder_) << "a file where the folder ought to be";
  use();
  EXPECT_TRUE(fs::is_regular_file(folder_));
}

}  // namespace
}  // namespace weft::device
