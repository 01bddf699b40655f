// SPDX-License-Identifier: Apache-2.0
// Draws plots of benchmark results, as coordinates for a GUI and as SVG, and writes an HTML report
// of a machine. The report loads no other file and runs no script. All functions are pure.
#pragma once

#include <string>
#include <vector>

#include "client/benchmark_results.h"
#include "weft/v1/device_service.pb.h"

namespace weft::client {

// The value on the vertical axis. The horizontal axis is the size, on a logarithmic scale.
enum class PlottedValue {
  kTime,   // time of a run, on a logarithmic axis
  kShare,  // share of the limit, 0 to 1
};

// A point of a plot. The coordinates are fractions of the axes, 0 to 1, from the left and from the
// bottom.
struct PlotPoint {
  double x = 0, y = 0;
};

struct PlotLine {
  std::string name;
  std::vector<PlotPoint> points;  // sorted by size
};

// Returns the name of the line that contains a case: "look-back, random 50%".
std::string plot_line_name(const v1::Measurement& measurement);

struct PlotMark {
  double position = 0;
  std::string text;  // label of the mark: "2^20", "10 ms", "40%"
};

struct BenchmarkPlot {
  std::vector<PlotLine> lines;   // one line per variant and input, in the order of measurement
  std::vector<PlotLine> others;  // lines of the run compared with, on the same axes
  std::vector<PlotMark> size_marks, value_marks;
  std::string unit;  // unit of the sizes in the singular: "element"
};

// Returns the plot of the benchmark's cases in `result` and, if given, in `other`. Cases without
// the plotted value are omitted. A plot without cases has no marks.
BenchmarkPlot plot_of(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value,
                      const v1::BenchmarkResult* other = nullptr);

// Returns the colour of a line ("#0072b2"). People with colour blindness can distinguish the
// colours. After kPlotColours lines the colours repeat; the last colour is black.
inline constexpr size_t kPlotColours = 7;
const char* plot_colour(size_t line);

// Returns an SVG plot of the benchmark's cases in `result`, with one line per variant and input.
// Cases without the plotted value are omitted. A plot without cases contains a sentence that states
// their absence.
std::string plot_svg(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value);

// Returns the benchmarks in `result` in the order of measurement.
std::vector<v1::BenchmarkName> benchmarks_of(const v1::BenchmarkResult& result);

// Returns a report of the devices and of `runs` as an HTML page. `runs` are the results of any
// devices, newest first.
std::string report_html(const v1::ListDevicesResponse& devices, const std::vector<BenchmarkRun>& runs);

}  // namespace weft::client
