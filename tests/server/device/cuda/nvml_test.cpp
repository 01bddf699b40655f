// SPDX-License-Identifier: Apache-2.0
// Tests the handling of NVML's results with a substitute library.
#include "server/device/cuda/nvml.h"

#include <cstring>
#include <map>
#include <optional>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::device::cuda {
namespace {

constexpr int kOwn = 100;
constexpr char kUuid[] = "0123456789abcdef0123456789abcdef";

// Results of the substitute library.
struct Driver {
  std::string asked_for;
  std::vector<NvmlProcess> compute, graphics;
  std::vector<NvmlProcessUse> use;
  NvmlResult process_use_result = kNvmlSuccess, list_result = kNvmlSuccess;
  unsigned whole = 0;
  // Values by kind; a kind without a value is not supported.
  std::map<int, unsigned> clocks, temperatures;
  std::optional<unsigned> power, power_limit;
  std::optional<unsigned long long> memory_used, clock_reasons;
};
Driver driver;

NvmlResult give(const std::vector<NvmlProcess>& from, unsigned* count, NvmlProcess* to) {
  if (driver.list_result != kNvmlSuccess) return driver.list_result;
  const bool fits = from.size() <= *count;
  *count = unsigned(from.size());
  if (!fits) return kNvmlInsufficientSize;
  std::copy(from.begin(), from.end(), to);
  return kNvmlSuccess;
}

template <class Number>
NvmlResult give(std::optional<Number> value, Number* to) {
  if (!value) return kNvmlNotSupported;
  *to = *value;
  return kNvmlSuccess;
}

std::optional<unsigned> find(const std::map<int, unsigned>& values, int kind) {
  const auto found = values.find(kind);
  return found == values.end() ? std::nullopt : std::optional(found->second);
}

NvmlApi fake() {
  NvmlApi api;
  api.init = [] { return kNvmlSuccess; };
  api.by_uuid = [](const char* uuid, NvmlDevice*) {
    driver.asked_for = uuid;
    return kNvmlSuccess;
  };
  api.use = [](NvmlDevice, NvmlUse* use) {
    use->compute = driver.whole;
    return kNvmlSuccess;
  };
  api.compute_processes = [](NvmlDevice, unsigned* count, NvmlProcess* to) {
    return give(driver.compute, count, to);
  };
  api.graphics_processes = [](NvmlDevice, unsigned* count, NvmlProcess* to) {
    return give(driver.graphics, count, to);
  };
  api.process_use = [](NvmlDevice, NvmlProcessUse* to, unsigned* count, unsigned long long) {
    if (driver.process_use_result != kNvmlSuccess) return driver.process_use_result;
    const bool fits = to != nullptr && driver.use.size() <= *count;
    *count = unsigned(driver.use.size());
    if (!fits) return kNvmlInsufficientSize;
    std::copy(driver.use.begin(), driver.use.end(), to);
    return kNvmlSuccess;
  };
  api.clock = [](NvmlDevice, int type, unsigned* mhz) { return give(find(driver.clocks, type), mhz); };
  api.temperature = [](NvmlDevice, int sensor, unsigned* celsius) {
    return give(find(driver.temperatures, sensor), celsius);
  };
  api.power = [](NvmlDevice, unsigned* milliwatts) { return give(driver.power, milliwatts); };
  api.power_limit = [](NvmlDevice, unsigned* milliwatts) { return give(driver.power_limit, milliwatts); };
  api.clock_reasons = [](NvmlDevice, unsigned long long* reasons) {
    return give(driver.clock_reasons, reasons);
  };
  api.memory = [](NvmlDevice, NvmlMemory* memory) {
    if (!driver.memory_used) return kNvmlNotSupported;
    memory->used = *driver.memory_used;
    return kNvmlSuccess;
  };
  return api;
}

class Nvml : public testing::Test {
 protected:
  Nvml() { driver = Driver{}; }
  ExternalLoadSample sample() {
    auto watch = watch_through_nvml(api_, kUuid, kOwn);
    EXPECT_THAT(watch, IsOk());
    auto sample = (*watch)->sample();
    EXPECT_THAT(sample, IsOk());
    return *sample;
  }
  NvmlApi api_ = fake();
};

TEST_F(Nvml, NamesTheDeviceAsTheLibraryDoes) {
  sample();
  EXPECT_EQ(driver.asked_for, "GPU-01234567-89ab-cdef-0123-456789abcdef");
}

TEST_F(Nvml, ThisProcessIsNoOther) {
  driver.compute = {{kOwn, 1000, 0, 0}};
  driver.use = {{kOwn, 1, 90, 0, 0, 0}};
  driver.whole = 90;
  const ExternalLoadSample alone = sample();
  EXPECT_TRUE(alone.processes.empty());
  EXPECT_EQ(alone.utilisation, 0);
}

TEST_F(Nvml, TellsMemoryAndUseByProcess) {
  driver.compute = {{kOwn, 1000, 0, 0}, {7, 2000, 0, 0}};
  driver.graphics = {{8, kNvmlValueNotAvailable, 0, 0}, {7, 500, 0, 0}};
  // Some processes have several samples, in any order. The process 8 has one old sample, since it
  // is idle.
  driver.use = {{kOwn, 9'000'000, 50, 0, 0, 0},
                {7, 9'000'000, 40, 0, 0, 0},
                {7, 8'900'000, 10, 0, 0, 0},
                {8, 2'000'000, 30, 0, 0, 0}};
  const ExternalLoadSample others = sample();
  ASSERT_EQ(others.processes.size(), 2u);
  EXPECT_EQ(others.processes[0].pid, 7);
  EXPECT_EQ(others.processes[0].memory_bytes, 2000u);
  EXPECT_DOUBLE_EQ(others.processes[0].utilisation, 0.4);
  EXPECT_EQ(others.processes[1].memory_bytes, 0u);
  EXPECT_EQ(others.processes[1].utilisation, 0);
  EXPECT_DOUBLE_EQ(others.utilisation, 0.4);
}

TEST_F(Nvml, WhereProcessesAreNotToldApartTheDevicesFigureStands) {
  driver.compute = {{kOwn, 1000, 0, 0}, {7, 2000, 0, 0}};
  driver.process_use_result = kNvmlNotSupported;
  driver.whole = 60;
  EXPECT_DOUBLE_EQ(sample().utilisation, 0.6);
  driver.process_use_result = kNvmlNotFound;  // no process used the device
  EXPECT_EQ(sample().utilisation, 0);
}

TEST_F(Nvml, InAContainerOneOfTheUnknownNumbersIsOurs) {
  driver.compute = {{4711, 1000, 0, 0}};
  driver.whole = 50;
  EXPECT_TRUE(sample().processes.empty());
  driver.compute.push_back({4712, 1000, 0, 0});
  EXPECT_EQ(sample().processes.size(), 2u);
}

TEST_F(Nvml, MoreProcessesThanExpected) {
  driver.compute = {{kOwn, 1000, 0, 0}};
  for (unsigned i = 0; i < 50; i++) driver.compute.push_back({1000 + i, 1, 0, 0});
  EXPECT_EQ(sample().processes.size(), 50u);
}

TEST_F(Nvml, ErrorsAreTold) {
  driver.list_result = 999;
  auto watch = watch_through_nvml(api_, kUuid, kOwn);
  ASSERT_THAT(watch, IsOk());
  EXPECT_THAT((*watch)->sample(), StatusIs(StatusCode::kUnavailable, "999"));
}

TEST_F(Nvml, ReadsTheHardware) {
  driver.clocks = {{0, 1}, {kNvmlClockSm, 1905}, {kNvmlClockMemory, 3201}};
  driver.temperatures = {{kNvmlTemperatureGpu, 45}};
  driver.power = 121500;
  driver.power_limit = 700000;
  driver.memory_used = 5ull << 30;
  const Readings readings = (*read_through_nvml(api_, kUuid))->read();
  EXPECT_EQ(readings.graphics_clock_mhz, 1905);
  EXPECT_EQ(readings.memory_clock_mhz, 3201);
  EXPECT_EQ(readings.temperature_celsius, 45);
  EXPECT_EQ(readings.power_watts, 121.5);
  EXPECT_EQ(readings.power_limit_watts, 700);
  EXPECT_EQ(readings.memory_used_bytes, size_t(5) << 30);
}

TEST_F(Nvml, ReadsWhyAClockIsLow) {
  constexpr unsigned long long kIdle = 0x01, kSetByUser = 0x02, kPowerCap = 0x04, kHardwareSlowdown = 0x08,
                               kHardwareHeat = 0x40;
  const auto limited = [&](unsigned long long reasons) {
    driver.clock_reasons = reasons;
    return (*read_through_nvml(api_, kUuid))->read().clock_limited;
  };
  EXPECT_EQ(limited(0), false);
  EXPECT_EQ(limited(kIdle | kSetByUser), false);
  EXPECT_EQ(limited(kPowerCap), true);
  EXPECT_EQ(limited(kHardwareSlowdown), true);
  EXPECT_EQ(limited(kSetByUser | kHardwareHeat), true);
  api_.clock_reasons = nullptr;
  EXPECT_EQ(limited(kPowerCap), std::nullopt) << "the library is too old";
}

TEST_F(Nvml, WhatIsNotSupportedIsNotKnown) {
  driver.temperatures = {{kNvmlTemperatureGpu, 45}};
  const Readings readings = (*read_through_nvml(api_, kUuid))->read();
  EXPECT_EQ(readings.temperature_celsius, 45);
  EXPECT_FALSE(readings.graphics_clock_mhz || readings.memory_clock_mhz || readings.power_watts ||
               readings.power_limit_watts || readings.memory_used_bytes || readings.clock_limited);
}

TEST(ExternalLoadWatch, NobodyTellsOfTheCpu) {
  DeviceInfo cpu;
  cpu.id = "cpu";
  cpu.is_software = true;
  EXPECT_THAT(watch_external_load(cpu), StatusIs(StatusCode::kUnavailable, "cpu"));
}

}  // namespace
}  // namespace weft::device::cuda
