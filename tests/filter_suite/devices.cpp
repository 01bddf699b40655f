// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/devices.h"

#include <algorithm>

namespace weft::filters {

std::string device_test_name(const testing::TestParamInfo<device::Device*>& parameter) {
  std::string name = parameter.param->info().id;
  std::ranges::replace(name, ':', '_');
  return name;
}

std::vector<v1::DeinterlaceOptions> every_option() {
  std::vector<v1::DeinterlaceOptions> every;
  for (const Registration* registration : all_filters())
    for (const char* rate : {"FIELD", "FRAME"})
      for (const char* parity : {"AUTO", "TOP", "BOTTOM"})
        for (const char* frames : {"ALL", "FLAGGED"})
          for (const char* checks : {"true", "false"}) {
            if (registration->descriptor.name != "yadif" && std::string(checks) == "false") continue;
            every.push_back(parse_options(registration->descriptor.name,
                                          fmt::format("rate: OUTPUT_RATE_{} parity: PARITY_{} frames: "
                                                      "FRAME_SELECTION_{} yadif {{ spatial_check: {} }}",
                                                      rate, parity, frames, checks)));
          }
  return every;
}

std::string describe(const v1::DeinterlaceOptions& options, const VideoFormat& format) {
  return options.ShortDebugString() + " " + to_text(format);
}

void expect_same(const std::vector<Picture>& expected, const std::vector<Picture>& actual,
                 const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (size_t i = 0; i < expected.size(); i++)
    ASSERT_TRUE(expected[i] == actual[i])
        << what << ", picture " << i << ": " << difference(expected[i], actual[i]);
}

}  // namespace weft::filters
