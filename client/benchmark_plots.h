// SPDX-License-Identifier: Apache-2.0
// Plots of what was measured: as places, for who draws, and as SVG; and one page with everything of a machine, as HTML. Files need
// no network and no script. Pure.
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

// Places are parts of an axis, 0 to 1: from the left, from below.
struct PlotPoint {
  double x = 0, y = 0;
};

struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;  // by size
};

// What the line of a case is called: "look-back, random 50%".
std::string plot_line_name(const v1::Measurement& measurement);

struct PlotMark {
  double place = 0;
  std::string text;  // "2^20", "10 ms", "40%"
};

struct BenchmarkPlot {
  std::vector<PlotLine> lines;   // a variant and input each, in the order in which they were measured
  std::vector<PlotLine> others;  // of the run that it is compared with, on the same axes
  std::vector<PlotMark> size_marks, value_marks;
  std::string unit;  // that sizes count, for one: "element"
};

// The benchmark's cases in `result`, and those in `other` where it is given. Cases without the value are left out; where that are
// all, there is no mark.
BenchmarkPlot plot_of(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value,
                      const v1::BenchmarkResult* other = nullptr);

// "#0072b2", of a plot's lines in turn; colour-blind people tell them apart. The last one is black.
inline constexpr size_t kPlotColours = 7;
const char* plot_colour(size_t line);

// The benchmark's cases in `result`, a line for each variant and input. Cases without the value are left out; where that are all,
// the plot says so.
std::string plot_svg(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value);

// The benchmarks in `result`, in the order in which they were measured.
std::vector<v1::BenchmarkName> benchmarks_of(const v1::BenchmarkResult& result);

// `runs`: of any devices, the newest first.
std::string report_html(const v1::ListDevicesResponse& devices, const std::vector<BenchmarkRun>& runs);

}  // namespace weft::client
