// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/convolution_plan.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

constexpr size_t kWideBytes = 8 * kComplexBytes;  // bytes of a point in the CPU's layout
// On the CPU, points at distances of a power of 2 would compete for the few ways of a cache set.
constexpr int kWideTogether = 8;
constexpr int kRowLanes = 128;
// bytes of shared memory that a GPU reads at once
constexpr int kBankBytes = 128;
constexpr int kMostRows = 16;  // rows of a block
// shared memory that allows several blocks per multiprocessor
constexpr size_t kComfortableBytes = size_t{56} << 10;

// Returns candidates, the best first. Without skews a line uses less memory.
std::vector<Skews> skews_of(const FftPlan& plan, int together, bool in_order) {
  const Skews best = best_skews(plan, together, in_order);
  return best.first == Skews::kNone ? std::vector{best} : std::vector{best, Skews{}};
}

// Returns the number of rows, up to `most`, with the fewest idle lanes in a block. Fewer rows are
// preferred if the difference is small.
int busiest_rows(const FftPlan& plan, int most) {
  int best = 1;
  double best_rounds = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= most; rows++) {
    double rounds = 0;  // rounds of the block's lanes per row
    for (const int radix : plan.radices)
      rounds += radix * double(divide_up(size_t(rows * plan.points / radix), kRowLanes)) / rows;
    if (rounds > 0.95 * best_rounds) continue;
    best = rows;
    best_rounds = rounds;
  }
  return best;
}

Status too_long(std::string_view lines, int points, const device::DeviceInfo& device) {
  return failed_precondition(
      "{} cannot transform {} of {} points: a block's shared memory holds at most {}; make the image or "
      "the kernel smaller, or use another device.",
      device.id, lines, points, device.shared_memory_bytes / kComplexBytes);
}

// Plans a line for the CPU, which processes four rows at once, or four columns and their mirror
// images: the content of a point.
LinePlan plan_wide(const FftPlan& plan, LineAxis axis) {
  const bool is_x = axis == LineAxis::kRows;
  LinePlan line;
  line.plan = plan;
  line.skews = skews_of(plan, kWideTogether, is_x).front();
  line.shared_bytes = line.skews.padded_points(plan.points) * kWideBytes * (is_x ? 1 : 2);
  line.lines = is_x ? 4 : 2;
  line.variant = "2";
  return line;
}

// The CPU's kernels for two planes use the wide layout only.
int most_planes(const device::DeviceInfo& device) { return device.kind == device::BackendKind::kCpu ? 1 : 2; }

// Returns the specialised kernel for a length from `needed` to `most`, or null.
const FixedLine* fixed_line(LinePass pass, PointLayout layout, int needed, int most,
                            const device::DeviceInfo& device) {
  if (layout != PointLayout::kHalves || device.kind == device::BackendKind::kCpu) return nullptr;
  const FixedLine* const fixed =
      shortest_fixed_line(pass, needed, {device.shared_memory_bytes, device.unit_shared_memory_bytes});
  return fixed == nullptr || fixed->plan.points > most ? nullptr : fixed;
}

RowPlan with_spread(LinePass pass, const FixedLine& fixed, const device::DeviceInfo& device) {
  const FixedLine* const spread = spread_line(pass, fixed, device.shared_memory_bytes);
  return {fixed, spread == nullptr ? fixed : *spread};
}

// A transform of `given` points, or of the cheapest length that suffices. `most` is the greatest
// length that a specialised kernel may have instead.
struct AxisLength {
  FftPlan plan;
  int needed = 0;
  int most = 0;
};
StatusOr<AxisLength> length_of(const ConvolutionShape& shape, LineAxis axis, int given, RadixSet set) {
  constexpr double kMostLonger = 1.1;
  const int needed = given != 0 ? given : needed_points(shape, axis);
  int points = given;
  if (points == 0) {
    ASSIGN_OR_RETURN(points, cheapest_length(needed, set));
  }
  ASSIGN_OR_RETURN(FftPlan plan, plan_line(points, set));
  return AxisLength{std::move(plan), needed, given != 0 ? given : int(kMostLonger * points)};
}

}  // namespace

// Zeros after the end of a line serve both ends; a continuation needs separate points for each end.
// The kernel must not be folded onto itself either.
int needed_points(const ConvolutionShape& shape, LineAxis axis) {
  const bool is_x = axis == LineAxis::kRows;
  const int side = is_x ? shape.width : shape.height, reach = is_x ? shape.reach_x : shape.reach_y;
  return std::max(side + (shape.padding == Padding::kZero ? reach : 2 * reach), 2 * reach + 1);
}

RadixSet radices_of(const device::DeviceInfo& device) {
  return device.kind == device::BackendKind::kVulkan ? RadixSet::kFew : RadixSet::kAll;
}

int longest_line(const device::DeviceInfo& device) {
  return int(std::min(size_t{kLongestLine}, device.shared_memory_bytes / kComplexBytes));
}

PointLayout layout_of(const device::DeviceInfo& device) {
  return device.kind == device::BackendKind::kCpu ? PointLayout::kWide : PointLayout::kHalves;
}

StatusOr<ConvolutionPlan> plan_convolution(const ConvolutionShape& shape, const TransformSides& sides,
                                           PointLayout layout, const device::DeviceInfo& device) {
  const RadixSet set = radices_of(device);
  ASSIGN_OR_RETURN(const AxisLength x, length_of(shape, LineAxis::kRows, sides.x, set));
  ASSIGN_OR_RETURN(const AxisLength y, length_of(shape, LineAxis::kColumns, sides.y, set));
  ConvolutionPlan plan{.layout = layout};
  if (const FixedLine* const rows = fixed_line(LinePass::kRows, layout, x.needed, x.most, device)) {
    plan.rows = with_spread(LinePass::kRows, *rows, device);
    // The rows back have the same number of points, but may have other radices.
    const int points = rows->plan.points;
    if (const FixedLine* const back = fixed_line(LinePass::kRowsBack, layout, points, points, device)) {
      plan.rows_back = with_spread(LinePass::kRowsBack, *back, device);
    } else {
      ASSIGN_OR_RETURN(const FftPlan radices, plan_line(points, set));
      ASSIGN_OR_RETURN(plan.rows_back, plan_rows(radices, layout, device));
    }
  } else {
    ASSIGN_OR_RETURN(plan.rows, plan_rows(x.plan, layout, device));
    plan.rows_back = plan.rows;
  }
  if (const FixedLine* const columns = fixed_line(LinePass::kColumns, layout, y.needed, y.most, device)) {
    plan.columns = *columns;
  } else {
    ASSIGN_OR_RETURN(plan.columns, plan_columns(y.plan, layout, device));
  }
  RETURN_IF_ERROR(check_sides(plan.sides()));
  return plan;
}

// Plans as many rows per block as keep its lanes busy while several blocks fit on a multiprocessor.
StatusOr<RowPlan> plan_rows(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device) {
  if (layout == PointLayout::kWide) {
    const LinePlan line = plan_wide(plan, LineAxis::kRows);
    return RowPlan{line, line};
  }
  const size_t most = device.shared_memory_bytes;
  LinePlan line;
  line.plan = plan;
  for (line.planes = most_planes(device); line.planes >= 1; line.planes--) {
    const size_t point_bytes = kComplexBytes * static_cast<size_t>(line.planes);
    const size_t row_bytes = static_cast<size_t>(plan.points) * point_bytes;
    const auto fit = static_cast<int>(std::min(most, kComfortableBytes) / row_bytes);
    // Skews use memory too, so fewer rows may fit than without them.
    for (line.lines = busiest_rows(plan, std::clamp(fit, 1, kMostRows)); line.lines >= 1; line.lines--) {
      const size_t element_bytes = point_bytes * static_cast<size_t>(line.lines);
      const int together = std::max(1, kBankBytes / static_cast<int>(element_bytes));
      for (const Skews skews : skews_of(plan, together, true)) {
        line.skews = skews;
        line.shared_bytes = skews.padded_points(plan.points) * element_bytes;
        line.variant = fmt::to_string(line.planes);
        if (line.shared_bytes <= most) return RowPlan{line, line};
      }
    }
  }
  return too_long("rows", plan.points, device);
}

// Plans as many adjacent columns per block as leave room for three blocks on a multiprocessor, else
// two, else one: adjacent columns are contiguous in memory.
StatusOr<LinePlan> plan_columns(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device) {
  if (layout == PointLayout::kWide) return plan_wide(plan, LineAxis::kColumns);
  const size_t most = device.shared_memory_bytes;
  const auto find = [&](int planes, int lines_log2, size_t memory_limit) -> std::optional<LinePlan> {
    const size_t held_bytes = (size_t{1} << lines_log2) * kComplexBytes * static_cast<size_t>(planes);
    const int together = std::max(1, kBankBytes / static_cast<int>(held_bytes));
    for (const Skews skews : skews_of(plan, together, false)) {
      LinePlan line{.plan = plan, .skews = skews, .planes = planes, .lines = lines_log2};
      line.shared_bytes = skews.padded_points(plan.points) * held_bytes;
      line.variant = fmt::to_string(planes);
      if (line.shared_bytes <= memory_limit) return line;
    }
    return std::nullopt;
  };
  for (int planes = most_planes(device); planes >= 1; planes--)
    for (const size_t memory_limit : {most / 3, most / 2, most})
      for (int lines_log2 = planes == 2 ? 2 : 3; lines_log2 >= (memory_limit == most ? 0 : 1); lines_log2--)
        if (std::optional<LinePlan> line = find(planes, lines_log2, memory_limit)) return *std::move(line);
  return too_long("columns", plan.points, device);
}

// Kernels index pairs of channels with 31 bits.
Status check_sides(const TransformSides& sides) {
  constexpr double kMostPoints = 0x1p30 - 1;
  if (double(sides.x) * sides.y <= kMostPoints) return ok_status();
  return invalid_argument(
      "An image with its kernel's reach is too large for a transform ({} x {} points, at most 2^30 - 1 in "
      "all); make the image or the kernel smaller.",
      sides.x, sides.y);
}

}  // namespace weft::filters::bloom
