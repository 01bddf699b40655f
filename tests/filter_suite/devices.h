// SPDX-License-Identifier: Apache-2.0
// What the suite's tests share: a test for each device, every combination of options, comparison.
#pragma once

#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/filter_suite/clip.h"
#include "tests/filter_suite/run.h"

namespace weft::filters {

class DeviceTest : public testing::TestWithParam<device::Device*> {
 protected:
  device::Device& device() { return *GetParam(); }
};

std::string device_test_name(const testing::TestParamInfo<device::Device*>& parameter);

#define WEFT_ON_EVERY_DEVICE(Suite) \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::ValuesIn(test_devices()), device_test_name)

// What the options decide, and not the device: left out on software Vulkan, where the same bytes are checked elsewhere.
#define WEFT_ON_QUICK_DEVICES(Suite) \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::ValuesIn(quick_test_devices()), device_test_name)

// Software Vulkan takes ten to a hundred times as long as the CPU device.
bool is_slow(const device::Device& device);
std::vector<device::Device*> quick_test_devices();

// A filter with options.
struct Setting {
  const Registration* filter;
  Options options;
};
// Every deinterlacer with every rate, parity and selection (of networks, with three of their combinations); with those, every other filter as its cases have it.
std::vector<Setting> every_deinterlacer();
std::vector<Setting> every_setting();
// For what a filter's options hardly change: every setting, on a slow device the first of each filter.
std::vector<Setting> settings_for(const device::Device& device);
std::string describe(const Setting& setting, const VideoFormat& format);
void expect_same(const std::vector<Picture>& expected, const std::vector<Picture>& actual,
                 const std::string& what);
// As close as the filter promises to be to its model: the same, unless it has a tolerance.
void expect_like_model(const Registration& filter, const std::vector<Picture>& model,
                       const std::vector<Picture>& actual, const std::string& what);

}  // namespace weft::filters
