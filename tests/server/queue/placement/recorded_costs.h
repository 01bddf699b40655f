// SPDX-License-Identifier: Apache-2.0
// What filters took of devices, beside the devices' rates of the same day. The CPU: unit_costs_bench --device cpu, on two cores; its rates are
// what measure_rates() gives there. The GPUs: docs/performance/, the tables of deinterlacing, motion and qtgmc, and the rates of the benchmarks.
#pragma once

#include <span>
#include <string_view>

#include "server/queue/placement/device_speed.h"

namespace weft::queue {

struct RecordedCost {
  std::string_view filter, options;
  int width, height;  // 4:2:0, 8 bits, interlaced
  double us;          // of device time, for a frame
};
struct RecordedDevice {
  std::string_view name;
  PredictionRates rates;
  std::span<const RecordedCost> costs;
};

inline constexpr RecordedCost kCpuCosts[] = {
    {"bob", "", 720, 480, 34.6},
    {"bwdif", "", 720, 480, 357},
    {"yadif", "", 720, 480, 3810},
    {"weave", "", 720, 480, 83.8},
    {"convert", "bits: 10", 720, 480, 607},
    {"deband", "", 720, 480, 2976},
    {"edgelevel", "", 720, 480, 2084},
    {"temporal_nr", "", 720, 480, 2064},
    {"bilateral", "", 720, 480, 7572},
    {"dftdenoise", "", 720, 480, 7050},
    {"smdegrain", "", 720, 480, 28'009},
    {"nnedi", "network: NNEDI_NETWORK_FAST", 720, 480, 56'113},
    {"nnedi", "", 720, 480, 865'199},
    {"bloom", "", 720, 480, 32'023},
    {"qtgmc", "preset: QTGMC_PRESET_DRAFT", 720, 480, 13'552},
    {"qtgmc", "preset: QTGMC_PRESET_FASTER", 720, 480, 105'917},
    {"qtgmc", "preset: QTGMC_PRESET_SLOWER", 720, 480, 182'871},
};
inline constexpr RecordedCost kH100Costs[] = {
    {"bwdif", "", 1920, 1080, 2 * 2.97},
};
inline constexpr RecordedCost kH200Costs[] = {
    {"bwdif", "", 1920, 1080, 2 * 2.84},
    {"nnedi", "network: NNEDI_NETWORK_FAST", 1920, 1080, 2 * 99.2},
    {"nnedi", "", 1920, 1080, 2 * 6710.6},
    {"qtgmc", "preset: QTGMC_PRESET_DRAFT", 1920, 1080, 2e6 / 5149},
    {"qtgmc", "preset: QTGMC_PRESET_FASTER", 1920, 1080, 2e6 / 1378},
    {"qtgmc", "preset: QTGMC_PRESET_SLOWER", 1920, 1080, 2e6 / 510},
    {"qtgmc", "preset: QTGMC_PRESET_PLACEBO", 1920, 1080, 2e6 / 84},
};

inline constexpr RecordedDevice kRecordedDevices[] = {
    {"two cores of an AMD EPYC", {3.5e10, 1.34e11, 4e-7}, kCpuCosts},
    {"an NVIDIA H100", {3.0e12, 6.2e13, 2e-6}, kH100Costs},
    {"an NVIDIA H200", {4.08e12, 6.22e13, 2e-6}, kH200Costs},
};

}  // namespace weft::queue
