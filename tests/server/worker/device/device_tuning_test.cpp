// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_tuning.h"

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "server/device/shapes.h"

namespace weft::worker {
namespace {

constexpr std::string_view kKernel = "video/bob.uint8_t";
constexpr int kFirstClass = 5, kClasses = 11;

class DeviceTuningTest : public testing::Test {
 protected:
  DeviceTuningTest() {
    std::filesystem::remove_all(folder_);
    tuning::TuningTable table;
    table.set_driver(device_->info().driver);
    for (int size_class = kFirstClass; size_class < kFirstClass + kClasses; size_class++) {
      v1::TunedKernel entry;
      entry.set_kernel(std::string(kKernel));
      entry.set_size_class(size_class);
      entry.set_shape("32x1");
      entry.set_default_shape("64x4");
      entry.set_seconds(1e-9);
      entry.set_default_seconds(1e-9);
      entry.set_reason("It was written by a test.");
      tuning::put_tuned(table, entry);
    }
    EXPECT_THAT(tuning::write_table(path_, table), IsOk());
  }
  ~DeviceTuningTest() override { std::filesystem::remove_all(folder_); }

  device::BlockShape shape() { return device_->load(kKernel).value()->form_for({64, 16, 1}).block; }

  const std::string folder_ = fmt::format("{}weft_device_tuning_test.{}", testing::TempDir(), ::getpid());
  std::unique_ptr<device::Device> device_ = device::open_device("cpu", {.cpu_threads = 1}).value();
  const std::string path_ = tuning::path_in(folder_, device_->info());
};

TEST_F(DeviceTuningTest, TheDeviceHasTheTablesShapes) {
  const DeviceTuning tuning(*device_, {.learnt = folder_});
  EXPECT_EQ(shape(), (device::BlockShape{32, 1}));
}

TEST_F(DeviceTuningTest, OffReadsAndWritesNoTables) {
  DeviceTuning tuning(*device_, {.learnt = folder_, .shipped = folder_, .is_on = false});
  EXPECT_EQ(tuning.table().kernels_size(), 0);
  EXPECT_EQ(shape(), (device::BlockShape{64, 4}));
  EXPECT_THAT(tuning.put({v1::TunedKernel()}), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(tuning::read_table(path_, device_->info()).kernels_size(), kClasses);
}

TEST_F(DeviceTuningTest, ShippedEntriesServeUntilOnesAreLearnt) {
  const std::string shipped = folder_ + "/shipped";
  std::filesystem::create_directories(shipped);
  std::filesystem::rename(path_, shipped + "/" + tuning::shipped_name(device_->info()));
  DeviceTuning tuning(*device_, {.learnt = folder_, .shipped = shipped});
  EXPECT_EQ(tuning.table().kernels_size(), kClasses);
  EXPECT_EQ(tuning.learnt().kernels_size(), 0);
  EXPECT_EQ(shape(), (device::BlockShape{32, 1}));
  v1::TunedKernel own = tuning.table().kernels(5);
  ASSERT_EQ(own.size_class(), 10);
  own.set_shape("32x2");
  own.set_reason("It is faster.");
  ASSERT_THAT(tuning.put({own}), IsOk());
  EXPECT_EQ(shape(), (device::BlockShape{32, 2}));
  EXPECT_EQ(tuning.table().kernels_size(), kClasses);
  const auto kept = tuning::read_table(path_, device_->info());
  ASSERT_EQ(kept.kernels_size(), 1);
  EXPECT_EQ(kept.kernels(0).reason(), "It is faster.");
}

}  // namespace
}  // namespace weft::worker
