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

// Every filter with every rate, parity and selection.
std::vector<v1::DeinterlaceOptions> every_option();
std::string describe(const v1::DeinterlaceOptions& options, const VideoFormat& format);
void expect_same(const std::vector<Picture>& expected, const std::vector<Picture>& actual,
                 const std::string& what);

}  // namespace weft::filters
