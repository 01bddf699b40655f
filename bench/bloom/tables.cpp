// SPDX-License-Identifier: Apache-2.0
#include "bench/bloom/tables.h"

#include <algorithm>
#include <array>
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
using filters::bloom::ConvolutionShape;
using filters::bloom::FftPlan;
using filters::bloom::RadixSet;
using graph::PixelType;

struct PassTimes {
  std::array<double, 3> us = {0, 0, 0};
  double all_us = 0;
  ConvolutionShape shape;
};

// Checks a shape against the direct sum, then times its passes and all of them together.
StatusOr<PassTimes> measure(Device& device, const Problem& problem, const ConvolutionShape& shape) {
  ASSIGN_OR_RETURN(const auto ours, Ours::make(device, problem, shape));
  std::vector<uint16_t> pixels;
  if (const std::string trouble = ours->convolve(pixels); !trouble.empty())
    return internal_error("{}", trouble);
  if (const double error = error_of(problem, pixels); !(error <= kMostError))
    return internal_error("The result is wrong (error {:.1e}); it is not timed.", error);
  PassTimes times;
  times.shape = ours->convolution().shape();
  ASSIGN_OR_RETURN(const double once, ours->measure_pass(1, -1));
  const int iterations = int(std::clamp(5e4 / once, 1.0, 200.0));
  std::array<std::vector<double>, 4> us;
  for (int repeat = 0; repeat < kRepeats; repeat++)
    for (int pass = -1; pass < 3; pass++) {
      ASSIGN_OR_RETURN(const double taken, ours->measure_pass(iterations, pass));
      us[size_t(pass + 1)].push_back(taken);
    }
  times.all_us = median(us[0]);
  for (size_t pass = 0; pass < 3; pass++) times.us[pass] = median(us[pass + 1]);
  return times;
}

// Microseconds of a launch that transforms as many lines as a picture as high as wide has.
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

// A fifth of each axis is zero. The same picture, once as large as the transform with its zeros in it, once without its
// zero rows, once without its zero columns too.
Status print_padding(Device& device) {
  fmt::print(
      "| transform | picture | nothing skipped us | zero rows skipped | ratio | and zero columns | ratio |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const int points : {512, 729, 972, 1024, 1296, 2048}) {
    const int side = points * 4 / 5, reach = points - side;
    std::array<double, 3> us = {};
    for (const int skipped : {0, 1, 2}) {
      const int width = skipped == 2 ? side : points, height = skipped >= 1 ? side : points;
      std::vector<uint16_t> pixels = random_pixels(size_t(width) * size_t(height));
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          if (x >= side || y >= side)
            std::fill_n(pixels.begin() + ptrdiff_t(4) * (ptrdiff_t(y) * width + x), 4, uint16_t{0});
      Problem problem{"", width, height, reach, points, points, false, 1, {}, pixels};
      // The light goes one way only: what would wrap around comes from zeros.
      problem.taps = {{0, 0, {0.5f}}, {reach, reach, {0.3f}}, {reach / 2, reach / 3, {0.2f}}};
      ConvolutionShape shape = shape_of(problem);
      shape.points_x = shape.points_y = points;
      ASSIGN_OR_RETURN(const PassTimes times, measure(device, problem, shape));
      us[size_t(skipped)] = times.all_us;
    }
    fmt::print("| {0}x{0} | {1}x{1} | {2:.2f} | {3:.2f} | {4:.3f} | {5:.2f} | {6:.3f} |\n", points, side,
               us[0], us[1], us[1] / us[0], us[2], us[2] / us[0]);
  }
  return ok_status();
}

using filters::bloom::LengthTable;

// One measurement of a pass, in us: of the CPU the time that its processors spent on it, since other programs may have them in between.
StatusOr<double> pass_us(Ours& ours, const device::DeviceInfo& info, int iterations, int pass) {
  if (info.kind != device::BackendKind::kCpu) return ours.measure_pass(iterations, pass);
  const std::clock_t begin = std::clock();
  RETURN_IF_ERROR(ours.measure_pass(iterations, pass).status());
  const double seconds = double(std::clock() - begin) / CLOCKS_PER_SEC;
  return 1e6 * seconds / iterations / std::max(1u, info.compute_units);
}

// The least of some measurements of passes, in ns. What else runs on the machine only adds to a time.
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

// How many lines of a length make a frame: of a GPU more points than its caches hold. They are a length of the other axis, too.
int lines_of(const Device& device, int points, int longest) {
  const int area = device.info().is_software ? 1 << 18 : 1 << 22;
  int lines = std::clamp(area / points, filters::bloom::kShortestLine, longest);
  while (!is_smooth(lines)) lines--;
  return lines;
}

// A frame of about as many points for each length, its lines along one axis; checked first. `pixels` are enough for any.
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
  ASSIGN_OR_RETURN(const auto ours, Ours::make(device, problem, shape_of(problem)));
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

// Every length up to the longest that the device does in one part, as server/filters/bloom/lengths/ wants it. On the CPU all are gone
// through twice, so that what else happens to the machine for a while does not stick to some of them.
Status print_lengths(Device& device, int most) {
  const int longest =
      int(std::min(size_t(most), size_t{device.info().shared_memory_bytes} / filters::bloom::kComplexBytes));
  const int sweeps = device.info().is_software ? 2 : 1;
  LengthTable table = filters::bloom::empty_length_table(device.info());
  for (int points = filters::bloom::kShortestLine; points <= longest; points++)
    if (is_smooth(points)) table.lines.push_back({points, 0, 0});
  size_t most_pixels = 0;
  for (const LengthTable::Line& line : table.lines)
    most_pixels = std::max(most_pixels, size_t(line.points) * size_t(lines_of(device, line.points, longest)));
  const std::vector<uint16_t> pixels = random_pixels(most_pixels);
  for (int sweep = 0; sweep < sweeps; sweep++) {
    fmt::print(stderr, "{}: time {} of {}\n", device.info().id, sweep + 1, sweeps);
    for (LengthTable::Line& line : table.lines)
      for (const bool is_column : {false, true}) {
        double& least = is_column ? line.column_ns : line.row_ns;
        ASSIGN_OR_RETURN(const double ns,
                         measure_lines(device, pixels, line.points, is_column, longest, sweep > 0));
        least = sweep == 0 ? ns : std::min(least, ns);
      }
  }
  fmt::print("# {}, {}, {} processors or multiprocessors (0: not told): bloom_bench --table lengths\n",
             device.info().name, device.info().driver, device.info().compute_units);
  fmt::print("{}", to_text(table));
  return ok_status();
}

}  // namespace

Status print_table(const std::string& name, const std::vector<std::unique_ptr<Device>>& devices,
                   double bytes_per_us, int longest) {
  for (const auto& device : devices) {
    fmt::print("\n# {} on {}\n\n", name, device->info().id);
    if (name == "strategies")
      print_strategies(*device, bytes_per_us);
    else if (name == "padding")
      RETURN_IF_ERROR(print_padding(*device));
    else if (name == "lengths")
      RETURN_IF_ERROR(print_lengths(*device, longest));
    else
      return invalid_argument("There is no table '{}'; use strategies, padding or lengths.", name);
  }
  return ok_status();
}

}  // namespace weft::bench
