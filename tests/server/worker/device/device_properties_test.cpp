// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_properties.h"

#include <gtest/gtest.h>

namespace weft::worker {
namespace {

device::DeviceInfo device_named(device::BackendKind kind, std::string id) {
  device::DeviceInfo info;
  info.kind = kind;
  info.id = std::move(id);
  return info;
}

TEST(DeviceProperties, AGpuDecodesForItself) {
  EXPECT_EQ(decoder_ordinal(device_named(device::BackendKind::kCuda, "cuda:0")), 0);
  EXPECT_EQ(decoder_ordinal(device_named(device::BackendKind::kCuda, "cuda:11")), 11);
}

TEST(DeviceProperties, TheDriverChoosesADecoderForDevicesThatCudaDoesNotShow) {
  EXPECT_EQ(decoder_ordinal(device_named(device::BackendKind::kCpu, "cpu")), -1);
  EXPECT_EQ(decoder_ordinal(device_named(device::BackendKind::kVulkan, "vulkan:1")), -1);
}

TEST(DeviceProperties, OnlyWhatIsKnownIsSent) {
  device::Readings readings;
  EXPECT_EQ(to_message(readings).ByteSizeLong(), 0u);
  readings.power_watts = 0;  // a known value of 0
  readings.memory_used_bytes = size_t(5) << 30;
  EXPECT_TRUE(to_message(readings).has_power_watts());
  EXPECT_FALSE(to_message(readings).has_temperature_celsius());
  EXPECT_FALSE(to_message(readings).has_clock_limited());
  readings.clock_limited = false;
  EXPECT_TRUE(to_message(readings).has_clock_limited());
  EXPECT_EQ(to_message(readings).memory_used_bytes(), int64_t(5) << 30);
}

TEST(DeviceProperties, TextHasALineForEachDeviceAndNote) {
  internal::v1::DeviceList list;
  *list.add_devices() = to_message(device_named(device::BackendKind::kCpu, "cpu"));
  list.add_notes("No GPU.");
  EXPECT_EQ(as_text(list), "cpu         (, 0 MiB)\nnote: No GPU.\n");
  device::DeviceInfo gpu = device_named(device::BackendKind::kCuda, "cuda:0");
  gpu.code = "machine code of 8.6";
  list.Clear();
  *list.add_devices() = to_message(gpu);
  EXPECT_EQ(as_text(list), "cuda:0      (, 0 MiB, machine code of 8.6)\n");
}

}  // namespace
}  // namespace weft::worker
