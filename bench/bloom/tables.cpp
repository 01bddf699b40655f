// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/tables.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/bloom/ours.h"
#include "server/benchmarks/line_transform.h"
#include "server/filters/bloom/length_table.h"

namespace weft::bench {
namespace {

using benchmarks::kLayouts;
using benchmarks::kSequences;
using benchmarks::LineLayout;
using benchmarks::LineStrategy;
using benchmarks::LineTransform;
using device::Device;
using filters::bloom::FftPlan;
using filters::bloom::RadixSet;

// Returns the microseconds of a launch that transforms `lines` lines.
StatusOr<double> measure_strategy(Device& device, const LineStrategy& strategy, int lines) {
  ASSIGN_OR_RETURN(const auto transform, LineTransform::make(device, strategy, lines));
  ASSIGN_OR_RETURN(const double error, benchmarks::worst_error(device, *transform));
  if (!(error <= 1e-5)) return internal_error("The result is wrong (error {:.1e}); it is not timed.", error);
  ASSIGN_OR_RETURN(const auto data, device.allocate(device::MemoryKind::kDevice, transform->bytes()));
  ASSIGN_OR_RETURN(const auto stream, device.make_stream());
  stream->fill(*data, 0, transform->bytes(), std::byte{0});
  std::vector<double> us;
  const int launches = device.info().is_software ? 1 : 50;
  for (int repeat = 0; repeat < kRepeats; repeat++) {
    const device::Mark begin = stream->mark();
    for (int i = 0; i < launches; i++) transform->enqueue(*stream, *data, 0, *data, 0);
    const device::Mark end = stream->mark();
    RETURN_IF_ERROR(stream->wait(end));
    ASSIGN_OR_RETURN(const Duration time, stream->elapsed(begin, end));
    us.push_back(double(time.count()) / 1e3 / launches);
  }
  return median(us);
}

void print_strategies(Device& device, double bytes_per_us) {
  const bool is_vulkan = device.info().kind == device::BackendKind::kVulkan;
  const RadixSet set = is_vulkan ? RadixSet::kFew : RadixSet::kAll;
  fmt::print(
      "| points | radices | in place | points lie | us a transform of as many lines | over copying their "
      "bytes |\n"
      "|---|---|---|---|---|---|\n");
  for (const std::vector<int>& radices : kSequences) {
    const StatusOr<FftPlan> plan = filters::bloom::plan_of(radices, set);
    if (!plan.ok()) continue;
    const int points = plan->points;
    for (const LineLayout& layout : kLayouts)
      for (const bool is_in_place : {true, false}) {
        fmt::print("| {} | {} | {} | {} | ", points, fmt::join(radices, " "), is_in_place ? "yes" : "no",
                   layout.name);
        const StatusOr<double> us = measure_strategy(device, {radices, layout, is_in_place}, points);
        if (!us.ok()) {
          fmt::print("{} | |\n", std::string(us.status().message()));
          continue;
        }
        fmt::print("{:.2f} | {:.2f} |\n", *us, *us / (32.0 * points * points / bytes_per_us));
      }
  }
}

using filters::bloom::LengthTable;

// Measures a pass once, in us. On the CPU it measures processor time, because other programs may
// run in between.
StatusOr<double> pass_us(Ours& ours, const device::DeviceInfo& info, int iterations, int pass) {
  if (info.kind != device::BackendKind::kCpu) return ours.measure_pass(iterations, pass);
  const std::clock_t begin = std::clock();
  RETURN_IF_ERROR(ours.measure_pass(iterations, pass).status());
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  return 1e6 * seconds / iterations / std::max(1u, info.compute_units);
}

// Returns the least of several measurements of passes, in ns. Other load of the machine only
// lengthens a time.
StatusOr<double> least_ns(Ours& ours, const device::DeviceInfo& info, std::initializer_list<int> passes) {
  constexpr int kMeasurements = 3;
  double sum = 0;
  for (const int pass : passes) {
    ASSIGN_OR_RETURN(double least, ours.measure_pass(1, pass));
    const int iterations = info.is_software ? 4 : int(std::clamp(8e3 / least, 1.0, 200.0));
    for (int i = 0; i < kMeasurements; i++) {
      ASSIGN_OR_RETURN(const double us, pass_us(ours, info, iterations, pass));
      least = i == 0 ? us : std::min(least, us);
    }
    sum += 1e3 * least;
  }
  return sum;
}

// Returns the number of lines of a length in a frame. On a GPU the frame has more points than the
// caches hold. The number is a valid length of the other axis, too.
int lines_of(const Device& device, int points, int longest) {
  const int area = device.info().is_software ? 1 << 18 : 1 << 22;
  int lines = std::clamp(area / points, filters::bloom::kShortestLine, longest);
  while (!is_smooth(lines)) lines--;
  return lines;
}

// Measures lines of a length along one axis, in a frame with about the same number of points for
// each length. With `is_checked` the result is checked first. `pixels` must suffice for any length.
StatusOr<double> measure_lines(Device& device, std::span<const uint16_t> pixels, int points, bool is_column,
                               int longest, bool is_checked) {
  const int across = lines_of(device, points, longest);
  Problem problem{"",
                  is_column ? across : points,
                  is_column ? points : across,
                  0,
                  0,
                  0,
                  false,
                  1,
                  {},
                  pixels.first(size_t(4) * size_t(points) * size_t(across))};
  problem.taps = random_taps(problem);
  ASSIGN_OR_RETURN(const auto ours, Ours::make(device, problem));
  if (!is_checked) {
    std::vector<uint16_t> result;
    if (const std::string trouble = ours->convolve(result); !trouble.empty())
      return internal_error("{}", trouble);
    if (const double error = error_of(problem, result); !(error <= kMostError))
      return internal_error("Lines of {} points are wrong (error {:.1e}).", points, error);
  }
  ASSIGN_OR_RETURN(const double ns,
                   is_column ? least_ns(*ours, device.info(), {1}) : least_ns(*ours, device.info(), {0, 2}));
  return ns / across;
}

// Prints every length up to the longest that the device computes in one part, in the form of
// server/filters/bloom/lengths.cpp. On the CPU all lengths are measured twice, so that a temporary
// disturbance does not affect some of them.
Status print_lengths(Device& device, int most) {
  const int longest = std::min(most, filters::bloom::longest_line(device.info()));
  const int sweeps = device.info().is_software ? 2 : 1;
  std::vector<LengthTable::Line> lines;
  for (int points = filters::bloom::kShortestLine; points <= longest; points++)
    if (is_smooth(points)) lines.push_back({points, 0, 0});
  size_t most_pixels = 0;
  for (const LengthTable::Line& line : lines)
    most_pixels = std::max(most_pixels, size_t(line.points) * size_t(lines_of(device, line.points, longest)));
  const std::vector<uint16_t> pixels = random_pixels(most_pixels);
  for (int sweep = 0; sweep < sweeps; sweep++) {
    fmt::print(stderr, "{}: time {} of {}\n", device.info().id, sweep + 1, sweeps);
    for (LengthTable::Line& line : lines)
      for (const bool is_column : {false, true}) {
        double& least = is_column ? line.column_ns : line.row_ns;
        ASSIGN_OR_RETURN(const double ns,
                         measure_lines(device, pixels, line.points, is_column, longest, sweep > 0));
        least = sweep == 0 ? ns : std::min(least, ns);
      }
  }
  fmt::print("// {}, {}, {} processors or multiprocessors (0: not told): bloom_bench --table lengths\n",
             device.info().name, device.info().driver, device.info().compute_units);
  for (const LengthTable::Line& line : lines)
    fmt::print("{{{}, {:.4g}, {:.4g}}},\n", line.points, line.row_ns, line.column_ns);
  return ok_status();
}

}  // namespace

Status print_table(const std::string& name, const std::vector<std::unique_ptr<Device>>& devices,
                   double bytes_per_us, int longest) {
  for (const auto& device : devices) {
    fmt::print("\n# {} on {}\n\n", name, device->info().id);
    if (name == "strategies")
      print_strategies(*device, bytes_per_us);
    else if (name == "lengths")
      RETURN_IF_ERROR(print_lengths(*device, longest));
    else
      return invalid_argument("There is no table '{}'; use strategies or lengths.", name);
  }
  return ok_status();
}

}  // namespace weft::bench
