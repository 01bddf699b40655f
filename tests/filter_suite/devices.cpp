// SPDX-License-Identifier: Apache-2.0
#include "tests/filter_suite/devices.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "weft/v1/options.pb.h"

namespace weft::filters {

std::string device_test_name(const testing::TestParamInfo<device::Device*>& parameter) {
  std::string name = parameter.param->info().id;
  std::ranges::replace(name, ':', '_');
  return name;
}

namespace {

// Returns true for a deinterlacer without special options. The others are tested by their cases.
bool is_plain_deinterlacer(const Registration& filter) {
  return filter.message()->options().GetExtension(v1::filter).role() == v1::FILTER_ROLE_DEINTERLACER &&
         filter.message()->FindFieldByName("rate") != nullptr;
}

// Leaves out combinations for networks, which are slow: each rate, parity and selection is tested
// once. Their combinations affect the timing, which is the same for all deinterlacers.
bool is_left_out(const Registration& filter, std::string_view rate, std::string_view parity,
                 std::string_view frames) {
  if (filter.tolerance == 0) return false;
  if (parity == "AUTO") return rate != "FIELD" || frames != "ALL";
  return frames != "FLAGGED" || rate != (parity == "TOP" ? "FRAME" : "FIELD");
}

}  // namespace

std::vector<Setting> every_deinterlacer() {
  std::vector<Setting> every;
  for (const Registration* filter : all_filters()) {
    if (!is_plain_deinterlacer(*filter)) continue;
    const std::string_view first = filter->cases.empty() ? "" : filter->cases[0].options;
    const bool checks = filter->message()->FindFieldByName("spatial_check") != nullptr;
    for (const char* rate : {"FIELD", "FRAME"})
      for (const char* parity : {"AUTO", "TOP", "BOTTOM"})
        for (const char* frames : {"ALL", "FLAGGED"})
          for (const char* check : {"", "spatial_check: false"}) {
            if ((!checks && *check != 0) || is_left_out(*filter, rate, parity, frames)) continue;
            every.push_back(
                {filter,
                 parse_options(filter->name(), fmt::format("rate: OUTPUT_RATE_{} parity: PARITY_{} frames: "
                                                           "FRAME_SELECTION_{} {} {}",
                                                           rate, parity, frames, check, first))});
          }
  }
  return every;
}

std::vector<Setting> every_setting() {
  std::vector<Setting> every = every_deinterlacer();
  for (const Registration* filter : all_filters()) {
    if (is_plain_deinterlacer(*filter)) continue;
    for (const Case& each : filter->cases)
      every.push_back({filter, parse_options(filter->name(), each.options)});
  }
  return every;
}

bool is_slow(const device::Device& device) {
  return device.info().is_software && device.info().kind == device::BackendKind::kVulkan;
}

std::vector<device::Device*> quick_test_devices() {
  std::vector<device::Device*> devices = test_devices();
  std::erase_if(devices, [](const device::Device* device) { return is_slow(*device); });
  return devices;
}

std::vector<Setting> settings_for(const device::Device& device) {
  std::vector<Setting> settings = every_setting();
  if (!is_slow(device)) return settings;
  const Registration* last = nullptr;
  std::erase_if(settings, [&](const Setting& setting) {
    return std::exchange(last, setting.filter) == setting.filter;
  });
  return settings;
}

std::string describe(const Setting& setting, const VideoFormat& format) {
  return fmt::format("{} {} {}", setting.filter->name(), setting.options->ShortDebugString(),
                     to_text(format));
}

void expect_same(const std::vector<Picture>& expected, const std::vector<Picture>& actual,
                 const std::string& what) {
  ASSERT_EQ(expected.size(), actual.size()) << what;
  for (size_t i = 0; i < expected.size(); i++)
    ASSERT_TRUE(expected[i] == actual[i])
        << what << ", picture " << i << ": " << difference(expected[i], actual[i]);
}

void expect_like_model(const Registration& filter, const std::vector<Picture>& model,
                       const std::vector<Picture>& actual, const std::string& what) {
  if (filter.tolerance == 0 || model.size() != actual.size()) return expect_same(model, actual, what);
  for (size_t i = 0; i < model.size(); i++) {
    ASSERT_TRUE(model[i].format == actual[i].format) << what << ", picture " << i;
    const int allowed =
        std::max(filter.codes, int(filter.tolerance * double(1 << (model[i].format.bit_depth - 8))));
    for (size_t plane = 0; plane < model[i].planes.size(); plane++)
      for (size_t at = 0; at < model[i].planes[plane].size(); at++) {
        const int expected = model[i].planes[plane][at], found = actual[i].planes[plane][at];
        ASSERT_LE(std::abs(expected - found), allowed)
            << what << ", picture " << i << ", plane " << plane << ", sample " << at << ": " << found
            << " in place of " << expected;
      }
  }
}

}  // namespace weft::filters
