// SPDX-License-Identifier: Apache-2.0
// Plots of what was measured, as SVG, and one page with everything of a machine, as HTML. Both need no network and no script. Pure.
#pragma once

#include <string>
#include <vector>

#include "client/benchmark_results.h"
#include "weft/v1/device_service.pb.h"

namespace weft::client {

// What a plot shows over the size, whose axis is logarithmic.
enum class PlottedValue {
  kTime,   // of a run, on a logarithmic axis
  kShare,  // of the limit, 0 to 1
};

// The benchmark's cases in `result`, a line for each variant and input. Cases without the value are left out; where that are all,
// the plot says so.
std::string plot_svg(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value);

// The benchmarks in `result`, in the order in which they were measured.
std::vector<v1::BenchmarkName> benchmarks_of(const v1::BenchmarkResult& result);

// `runs`: of any devices, the newest first.
std::string report_html(const v1::ListDevicesResponse& devices, const std::vector<BenchmarkRun>& runs);

}  // namespace weft::client
