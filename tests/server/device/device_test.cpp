// SPDX-License-Identifier: Apache-2.0
// Tests the list of devices, their names, opening, and the checks of arguments. tests/device_suite/
// tests every device.
#include "server/device/device.h"

#include <cstdlib>
#include <optional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/device/backend.h"
#include "server/device/readings.h"

namespace weft::device {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Sets WEFT_DEVICES during its lifetime and restores the earlier value.
class ChosenDevices {
 public:
  explicit ChosenDevices(const char* ids) {
    if (const char* before = std::getenv("WEFT_DEVICES")) before_ = before;
    setenv("WEFT_DEVICES", ids, 1);
  }
  ~ChosenDevices() {
    before_.empty() ? unsetenv("WEFT_DEVICES") : setenv("WEFT_DEVICES", before_.c_str(), 1);
  }
  ChosenDevices(const ChosenDevices&) = delete;
  ChosenDevices& operator=(const ChosenDevices&) = delete;

 private:
  std::string before_;
};

std::vector<std::string> ids_of(const std::vector<DeviceInfo>& devices) {
  std::vector<std::string> ids;
  for (const DeviceInfo& info : devices) ids.push_back(info.id);
  return ids;
}

int rank_of(const DeviceInfo& info) {
  if (info.kind == BackendKind::kCuda) return 0;
  if (info.kind == BackendKind::kCpu) return 2;
  return info.is_software ? 3 : 1;
}

TEST(DeviceTest, EveryListedDevicePassesItsSelfTest) {
  const std::vector<DeviceInfo> devices = list_devices(nullptr);
  ASSERT_THAT(devices, Not(IsEmpty()));
  for (const DeviceInfo& info : devices) {
    StatusOr<std::unique_ptr<Device>> device = open_device(info);
    ASSERT_THAT(device, IsOk()) << info.id;
    EXPECT_THAT(self_test(**device), IsOk()) << info.id;
  }
}

TEST(DeviceTest, DevicesAreListedBestFirstAndEachOnce) {
  const ChosenDevices all("");
  const std::vector<DeviceInfo> devices = list_devices(nullptr);
  EXPECT_TRUE(std::ranges::is_sorted(devices, {}, rank_of));
  for (size_t i = 0; i < devices.size(); i++)
    for (size_t j = 0; j < i; j++) EXPECT_NE(devices[i].uuid, devices[j].uuid) << devices[i].id;
  EXPECT_THAT(ids_of(devices), Contains("cpu"));
  EXPECT_GE(list_devices_and_twins(nullptr).size(), devices.size());
}

TEST(DeviceTest, TheEnvironmentChooses) {
  const ChosenDevices chosen("nothing:1,cpu");
  std::vector<std::string> notes;
  EXPECT_THAT(ids_of(list_devices(&notes)), ElementsAre("cpu"));
  EXPECT_THAT(notes, Contains(HasSubstr("'nothing:1'")));
}

TEST(DeviceTest, AnUnknownIdNamesThoseThatExist) {
  EXPECT_THAT(open_device("gpu:7"), StatusIs(StatusCode::kNotFound, "cpu"));
}

TEST(DeviceTest, OptionsAreChecked) {
  EXPECT_THAT(open_device("cpu", {.cpu_threads = -1}), StatusIs(StatusCode::kInvalidArgument, "-1"));
  EXPECT_THAT(open_device("cpu", {.cpu_isa = "mmx"}), StatusIs(StatusCode::kInvalidArgument, "'mmx'"));
  for (const int threads : {1, 2, 7}) {
    StatusOr<std::unique_ptr<Device>> device =
        open_device("cpu", {.cpu_threads = threads, .cpu_isa = "baseline"});
    ASSERT_THAT(device, IsOk());
    EXPECT_THAT(self_test(**device), IsOk());
  }
}

// Device checks all arguments before its back end, so invalid calls fail on the null device, too.
// Valid calls succeed, and the self-test finds no results, because the null device executes
// nothing.
TEST(DeviceTest, TheNullDeviceExecutesNothing) {
  StatusOr<std::unique_ptr<Device>> opened = open_device("null");
  ASSERT_THAT(opened, IsOk());
  Device& device = **opened;
  EXPECT_THAT(self_test(device), StatusIs(StatusCode::kInternal, "wrong"));
  StatusOr<std::unique_ptr<Buffer>> buffer = device.allocate(MemoryKind::kDownload, 16);
  StatusOr<std::unique_ptr<Stream>> stream = device.make_stream();
  ASSERT_THAT(buffer, IsOk());
  ASSERT_THAT(stream, IsOk());
  (*buffer)->host()[3] = std::byte{7};
  (*stream)->fill(**buffer, 0, 16, std::byte{1});
  EXPECT_THAT((*stream)->wait((*stream)->mark()), IsOk());
  EXPECT_EQ((*buffer)->host()[3], std::byte{7});
  (*stream)->fill(**buffer, 10, 7, std::byte{1});
  EXPECT_THAT((*stream)->wait_all(),
              StatusIs(StatusCode::kInvalidArgument, "offset 10, 7 bytes, the buffer has 16"));
}

TEST(DeviceTest, MemoryOfTheNullDeviceRunsOut) {
  StatusOr<std::unique_ptr<Device>> device = open_device("null");
  ASSERT_THAT(device, IsOk());
  const size_t half = (*device)->info().memory_bytes / 2;
  StatusOr<std::unique_ptr<Buffer>> first = (*device)->allocate(MemoryKind::kDevice, half);
  StatusOr<std::unique_ptr<Buffer>> second = (*device)->allocate(MemoryKind::kDevice, half);
  EXPECT_THAT(first, IsOk());
  EXPECT_THAT(second, IsOk());
  EXPECT_THAT((*device)->allocate(MemoryKind::kDevice, 1),
              StatusIs(StatusCode::kResourceExhausted, "smaller batches"));
  first->reset();
  EXPECT_THAT((*device)->allocate(MemoryKind::kDevice, 1), IsOk());
}

// A back end with a driver that reports memory, and that allocates as the null device does.
class MeteredDevice final : public DeviceBackend {
 public:
  explicit MeteredDevice(std::optional<size_t>& used_by_all) : used_by_all_(used_by_all) {}
  StatusOr<std::unique_ptr<BufferBackend>> allocate(MemoryKind kind, size_t size_bytes) override {
    return null_->allocate(kind, size_bytes);
  }
  StatusOr<std::unique_ptr<StreamBackend>> make_stream(StreamPriority priority, StreamUse use) override {
    return null_->make_stream(priority, use);
  }
  StatusOr<std::unique_ptr<KernelBackend>> load(const kernels::KernelImage& image, KernelForm form) override {
    return null_->load(image, form);
  }
  std::optional<size_t> memory_used_by_all_bytes() const override { return used_by_all_; }

 private:
  std::unique_ptr<DeviceBackend> null_ = open_backend(DeviceInfo(), {}).value();  // kind kNull
  std::optional<size_t>& used_by_all_;
};

DeviceInfo info_of_gpu(size_t memory_bytes) {
  DeviceInfo info;
  info.kind = BackendKind::kVulkan;
  info.id = "vulkan:7";
  info.memory_bytes = info.max_buffer_bytes = memory_bytes;
  return info;
}

// Pinned buffers are in the host's memory: they leave a GPU's memory as it is.
TEST(DeviceTest, PinnedBuffersTakeNoMemoryOfAGpu) {
  std::optional<size_t> used;
  Device gpu(std::make_unique<MeteredDevice>(used), info_of_gpu(1000));
  const auto pinned = gpu.allocate(MemoryKind::kUpload, 900);
  ASSERT_THAT(pinned, IsOk());
  const auto buffer = gpu.allocate(MemoryKind::kDevice, 1000);
  ASSERT_THAT(buffer, IsOk());
  EXPECT_EQ(gpu.memory_used_bytes(), 1000u);
  EXPECT_THAT(gpu.allocate(MemoryKind::kDevice, 1), StatusIs(StatusCode::kResourceExhausted, "1000 of 1000"));
  EXPECT_THAT(gpu.allocate(MemoryKind::kDownload, 900), IsOk());
}

TEST(DeviceTest, ReadingsTellTheMemoryOfOtherPrograms) {
  std::optional<size_t> used;
  Device gpu(std::make_unique<MeteredDevice>(used), info_of_gpu(10'000));
  EXPECT_THAT(open_readings(gpu), StatusIs(StatusCode::kUnavailable, "vulkan:7"));
  used = 4000;
  const auto readings = open_readings(gpu);
  ASSERT_THAT(readings, IsOk());
  const auto buffer = gpu.allocate(MemoryKind::kDevice, 1500);
  EXPECT_EQ((*readings)->read().memory_used_bytes, 4000u);
  EXPECT_EQ((*readings)->read().memory_other_bytes, 2500u);
  used = 1000;  // the figure is older than the buffer
  EXPECT_EQ((*readings)->read().memory_other_bytes, 0u);
}

}  // namespace
}  // namespace weft::device
