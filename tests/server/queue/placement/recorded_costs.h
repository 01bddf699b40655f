// SPDX-License-Identifier: Apache-2.0
// Filters' device times, with the devices' rates of the same day. The CPU: unit_costs_bench
// --device cpu, on two cores; its rates are the results of measure_rates() there. The H100:
// unit_costs_bench --device cuda:0 --size 720x480 --size 1920x1080 --batch 8, with its rates of the
// same run; no operation count was fitted to it. The H200: docs/performance/, the tables of
// deinterlacing, motion and qtgmc, and the rates of the benchmarks.
#pragma once

#include <span>
#include <string_view>

#include "server/queue/placement/device_speed.h"

namespace weft::queue {

struct RecordedCost {
  std::string_view filter, options;
  int width, height;  // 4:2:0, 8 bits, interlaced
  double us;          // device time of one frame
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
    {"bob", "", 720, 480, 2.97},
    {"bob", "", 1920, 1080, 10.36},
    {"bwdif", "", 720, 480, 2.30},
    {"bwdif", "", 1920, 1080, 7.36},
    {"yadif", "", 720, 480, 8.68},
    {"yadif", "", 1920, 1080, 47.72},
    {"weave", "", 720, 480, 2.94},
    {"weave", "", 1920, 1080, 10.16},
    {"crop", "size: '320x240'", 720, 480, 1.88},
    {"crop", "size: '320x240'", 1920, 1080, 1.91},
    {"pad", "size: '2000x1200'", 720, 480, 8.44},
    {"pad", "size: '2000x1200'", 1920, 1080, 9.87},
    {"convert", "bits: 10", 720, 480, 2.71},
    {"convert", "bits: 10", 1920, 1080, 11.24},
    {"deband", "", 720, 480, 3.35},
    {"deband", "", 1920, 1080, 15.53},
    {"edgelevel", "", 720, 480, 2.90},
    {"edgelevel", "", 1920, 1080, 12.04},
    {"temporal_nr", "", 720, 480, 6.07},
    {"temporal_nr", "", 1920, 1080, 33.10},
    {"bilateral", "", 720, 480, 7.48},
    {"bilateral", "", 1920, 1080, 32.01},
    {"dftdenoise", "", 720, 480, 43.02},
    {"dftdenoise", "", 1920, 1080, 236.2},
    {"smdegrain", "", 720, 480, 206.6},
    {"smdegrain", "", 1920, 1080, 1'124},
    {"nnedi", "network: NNEDI_NETWORK_FAST", 720, 480, 35.51},
    {"nnedi", "network: NNEDI_NETWORK_FAST", 1920, 1080, 199.1},
    {"nnedi", "", 720, 480, 3'151},
    {"nnedi", "", 1920, 1080, 15'314},
    {"bloom", "", 720, 480, 50.32},
    {"bloom", "", 1920, 1080, 301.5},
    {"qtgmc", "preset: QTGMC_PRESET_DRAFT", 720, 480, 89.63},
    {"qtgmc", "preset: QTGMC_PRESET_DRAFT", 1920, 1080, 388.2},
    {"qtgmc", "preset: QTGMC_PRESET_FASTER", 720, 480, 299.1},
    {"qtgmc", "preset: QTGMC_PRESET_FASTER", 1920, 1080, 1'508},
    {"qtgmc", "", 720, 480, 753.9},
    {"qtgmc", "", 1920, 1080, 4'144},
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
    {"an NVIDIA H100", {2.765e+12, 4.926e+13, 4.759e-6}, kH100Costs},
    {"an NVIDIA H200", {4.08e12, 6.22e13, 2e-6}, kH200Costs},
};

}  // namespace weft::queue
