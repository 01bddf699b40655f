// SPDX-License-Identifier: Apache-2.0
// Fixture of the filter suite: one test for each device, every combination of options, and
// comparisons.
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

// For tests of options that do not depend on the device. They do not run on software Vulkan, as
// other tests check the same bytes there.
#define WEFT_ON_QUICK_DEVICES(Suite) \
  INSTANTIATE_TEST_SUITE_P(Devices, Suite, testing::ValuesIn(quick_test_devices()), device_test_name)

// Returns true for software Vulkan, which needs ten to a hundred times the time of the CPU device.
bool is_slow(const device::Device& device);
std::vector<device::Device*> quick_test_devices();

// A filter with options.
struct Setting {
  const Registration* filter;
  Options options;
};
// Return every deinterlacer with every rate, parity and frame selection (deinterlacers with
// networks: with three combinations). every_setting() adds every other filter with the options of
// its cases.
std::vector<Setting> every_deinterlacer();
std::vector<Setting> every_setting();
// Returns settings for tests that depend little on a filter's options: every setting, or on a slow
// device the first of each filter.
std::vector<Setting> settings_for(const device::Device& device);
std::string describe(const Setting& setting, const VideoFormat& format);
void expect_same(const std::vector<Picture>& expected, const std::vector<Picture>& actual,
                 const std::string& what);
// Compares the output with that of the model. They must be equal, or within the tolerance of the
// filter if it has one.
void expect_like_model(const Registration& filter, const std::vector<Picture>& model,
                       const std::vector<Picture>& actual, const std::string& what);

}  // namespace weft::filters
