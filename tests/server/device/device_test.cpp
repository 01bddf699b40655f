// SPDX-License-Identifier: Apache-2.0
// Tests the list of devices, their names, opening, and the checks of arguments. tests/device_suite/
// tests every device.
#include "server/device/device.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft::device
