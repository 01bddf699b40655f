// SPDX-License-Identifier: Apache-2.0
#include "client/benchmark_plots.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "client/text.h"
#include "options/option.h"

namespace weft::client {
namespace {

constexpr double kWidth = 760, kHeight = 420;
// margins of the plot in the units of the SVG
constexpr double kLeft = 80, kRight = 220, kTop = 40, kBottom = 50;
constexpr double kLegendStep = 18;

// Returns lines with sizes and values as coordinates instead of fractions.
std::vector<PlotLine> lines_of(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark,
                               PlottedValue value) {
  std::vector<PlotLine> lines;
  for (const v1::Measurement& each : result.measurements()) {
    if (each.benchmark() != benchmark || each.median_seconds() <= 0 || each.units() <= 0) continue;
    const std::optional<double> y =
        value == PlottedValue::kTime ? std::optional(each.median_seconds()) : share_of_limit(each);
    if (!y) continue;
    const std::string name = plot_line_name(each);
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const PlotLine& known) { return known.name == name; });
    if (line == lines.end()) line = lines.insert(lines.end(), PlotLine{name, {}});
    line->points.push_back({each.units(), *y});
  }
  for (PlotLine& line : lines)
    std::sort(line.points.begin(), line.points.end(), [](PlotPoint a, PlotPoint b) { return a.x < b.x; });
  return lines;
}

// Maps values to coordinates along an axis. A logarithmic axis has a `base` above 1, and its ends
// are powers of the base.
struct Axis {
  double low = 0, high = 1;
  double base = 0;

  double position(double value) const {
    return base > 1 ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  }
  // Returns the values of the marks: at most ten powers of the base, or fifths.
  std::vector<double> marks() const {
    constexpr int kMostMarks = 10;
    std::vector<double> values;
    if (base > 1) {
      const int powers = int(std::lround(std::log(high / low) / std::log(base)));
      const int step = powers / kMostMarks + 1;
      for (int i = 0; i <= powers; i += step) values.push_back(low * std::pow(base, i));
    } else {
      for (int i = 0; i <= 5; i++) values.push_back(low + (high - low) * i / 5);
    }
    return values;
  }
};

// Returns an axis between powers of the base around the values.
Axis logarithmic_axis(double base, double low, double high) {
  const auto power = [&](double value) { return std::log(value) / std::log(base); };
  Axis axis{std::pow(base, std::floor(power(low) + 1e-9)), std::pow(base, std::ceil(power(high) - 1e-9)),
            base};
  if (axis.low >= axis.high) axis.high = axis.low * base;
  return axis;
}

// Return the labels of marks: a time ("10 ms"), a size ("2^20" from 1024 on) and a fraction
// ("40%").
std::string time_mark(double seconds) {
  if (seconds >= 0.999) return fmt::format("{:.6g} s", seconds);
  if (seconds >= 0.999e-3) return fmt::format("{:.6g} ms", seconds * 1e3);
  return fmt::format("{:.6g} us", seconds * 1e6);
}
std::string size_mark(double size) {
  return size >= 1024 ? fmt::format("2^{:.0f}", std::log2(size)) : fmt::format("{:g}", size);
}
std::string share_mark(double share) { return fmt::format("{:.0f}%", share * 100); }

std::vector<PlotMark> marks_of(const Axis& axis, std::string (*text)(double)) {
  std::vector<PlotMark> marks;
  for (const double mark : axis.marks()) marks.push_back({axis.position(mark), text(mark)});
  return marks;
}

// Convert fractions of the axes to coordinates of the SVG.
double across(double position) { return kLeft + (kWidth - kRight - kLeft) * position; }
double down(double position) { return kHeight - kBottom + (kTop - kHeight + kBottom) * position; }

std::string svg_text(double x, double y, std::string_view text, std::string_view anchor, int size = 12) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{}\" text-anchor=\"{}\">{}</text>\n", x, y,
                     size, anchor, markup_text(text));
}

std::string svg_stroke(double x1, double y1, double x2, double y2) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"#ccc\"/>\n", x1,
                     y1, x2, y2);
}

std::string draw_axes(const BenchmarkPlot& plot) {
  std::string svg;
  for (const PlotMark& mark : plot.size_marks) {
    svg += svg_stroke(across(mark.position), down(0), across(mark.position), down(1));
    svg += svg_text(across(mark.position), down(0) + 18, mark.text, "middle");
  }
  for (const PlotMark& mark : plot.value_marks) {
    svg += svg_stroke(across(0), down(mark.position), across(1), down(mark.position));
    svg += svg_text(across(0) - 8, down(mark.position) + 4, mark.text, "end");
  }
  return svg + svg_text(across(0.5), kHeight - 10, fmt::format("{}s", plot.unit), "middle");
}

std::string draw_line(const PlotLine& line, size_t number) {
  const char* colour = plot_colour(number);
  // Lines from the eighth on are dashed.
  const char* dash = number < kPlotColours ? "" : " stroke-dasharray=\"6 3\"";
  std::string path, dots;
  for (const PlotPoint& point : line.points) {
    path += fmt::format("{}{:.1f},{:.1f}", path.empty() ? "" : " ", across(point.x), down(point.y));
    dots += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" fill=\"{}\"/>\n", across(point.x),
                        down(point.y), colour);
  }
  const double legend_y = kTop + 10 + double(number) * kLegendStep, legend_x = kWidth - kRight + 16;
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n", path,
                     colour, dash) +
         dots +
         fmt::format(
             "<line x1=\"{0:.1f}\" y1=\"{1:.1f}\" x2=\"{2:.1f}\" y2=\"{1:.1f}\" stroke=\"{3}\" "
             "stroke-width=\"2\"{4}/>\n",
             legend_x, legend_y, legend_x + 18, colour, dash) +
         svg_text(legend_x + 24, legend_y + 4, line.name, "start", 11);
}

}  // namespace

std::vector<v1::BenchmarkName> benchmarks_of(const v1::BenchmarkResult& result) {
  std::vector<v1::BenchmarkName> names;
  for (const v1::Measurement& each : result.measurements())
    if (std::find(names.begin(), names.end(), each.benchmark()) == names.end())
      names.push_back(each.benchmark());
  return names;
}

std::string plot_line_name(const v1::Measurement& measurement) {
  return measurement.input().empty() ? measurement.variant()
                                     : measurement.variant() + ", " + measurement.input();
}

// Okabe and Ito, "Color Universal Design", 2008.
const char* plot_colour(size_t line) {
  constexpr std::array<const char*, kPlotColours> kColours = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                              "#e69f00", "#56b4e9", "#000000"};
  return kColours[line % kColours.size()];
}

BenchmarkPlot plot_of(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value,
                      const v1::BenchmarkResult* other) {
  BenchmarkPlot plot{lines_of(result, benchmark, value), {}, {}, {}, {}};
  if (other != nullptr) plot.others = lines_of(*other, benchmark, value);
  double low_x = HUGE_VAL, high_x = 0, low_y = HUGE_VAL, high_y = 0;
  for (const auto* lines : {&plot.lines, &plot.others}) {
    for (const PlotLine& line : *lines) {
      for (const PlotPoint& point : line.points) {
        low_x = std::min(low_x, point.x), high_x = std::max(high_x, point.x);
        low_y = std::min(low_y, point.y), high_y = std::max(high_y, point.y);
      }
    }
  }
  if (high_x <= 0) return plot;
  const bool is_time = value == PlottedValue::kTime;
  const Axis x = logarithmic_axis(2, low_x, high_x);
  const Axis y =
      is_time ? logarithmic_axis(10, low_y, high_y) : Axis{0, std::max(1.0, std::ceil(high_y * 5) / 5), 0};
  for (auto* lines : {&plot.lines, &plot.others})
    for (PlotLine& line : *lines)
      for (PlotPoint& point : line.points) point = {x.position(point.x), y.position(point.y)};
  plot.size_marks = marks_of(x, size_mark);
  plot.value_marks = marks_of(y, is_time ? time_mark : share_mark);
  for (const auto* from : {other, &result}) {
    if (from == nullptr) continue;
    for (const v1::Measurement& each : from->measurements())
      if (each.benchmark() == benchmark) plot.unit = each.unit();
  }
  return plot;
}

std::string plot_svg(const v1::BenchmarkResult& result, v1::BenchmarkName benchmark, PlottedValue value) {
  const BenchmarkPlot plot = plot_of(result, benchmark, value);
  const double height = std::max(kHeight, kTop + 20 + double(plot.lines.size()) * kLegendStep);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" "
      "height=\"{1:g}\" "
      "font-family=\"sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      kWidth, height);
  svg += svg_text(kLeft, 24,
                  fmt::format("{}: {}, {}", options::choice_name(benchmark),
                              value == PlottedValue::kTime ? "time of a run" : "share of the limit",
                              result.conditions().device_name()),
                  "start", 14);
  if (plot.lines.empty()) return svg + svg_text(kLeft, kTop + 40, "No timed cases.", "start") + "</svg>\n";
  svg += draw_axes(plot);
  for (size_t i = 0; i < plot.lines.size(); i++) svg += draw_line(plot.lines[i], i);
  return svg + "</svg>\n";
}

}  // namespace weft::client
