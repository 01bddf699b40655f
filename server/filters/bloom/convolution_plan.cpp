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

constexpr size_t kWideBytes = 8 * kComplexBytes;  // a point of the CPU's
constexpr int kWideTogether = 8;                  // points a power of 2 apart would share a cache's few ways
constexpr int kRowLanes = 128;
constexpr int kBankBytes = 128;                         // of shared memory, that a GPU reads at once
constexpr int kMostRows = 16;                           // of a block
constexpr size_t kComfortableBytes = size_t{56} << 10;  // of shared memory: several blocks a multiprocessor

// What to try, best first: without skews a line takes less room.
std::vector<Skews> skews_of(const FftPlan& plan, int together, bool in_order) {
  const Skews best = best_skews(plan, together, in_order);
  return best.first == Skews::kNone ? std::vector{best} : std::vector{best, Skews{}};
}

// How many rows, up to `most`, leave the fewest lanes of a block idle; few rather than many.
int busiest_rows(const FftPlan& plan, int most) {
  int best = 1;
  double best_rounds = std::numeric_limits<double>::infinity();
  for (int rows = 1; rows <= most; rows++) {
    double rounds = 0;  // of the block's lanes, for a row
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

// The CPU works on four rows at once, or four columns and their mirrors: that is what a point holds.
LinePlan plan_wide(const FftPlan& plan, LineAxis axis) {
  const bool is_x = axis == LineAxis::kRows;
  LinePlan line;
  line.plan = plan;
  line.skews = skews_of(plan, kWideTogether, is_x).front();
  line.shared_bytes = line.skews.places(plan.points) * kWideBytes * (is_x ? 1 : 2);
  line.lines = is_x ? 4 : 2;
  line.variant = "2";
  return line;
}

// The CPU's kernels for two planes are wide.
int most_planes(const device::DeviceInfo& device) { return device.kind == device::BackendKind::kCpu ? 1 : 2; }

// The kernel for one length alone, where there is one for a length from what is needed to `most`.
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

// A transform of as many points as given, or of the cheapest that is long enough; and up to how many a kernel for one length alone may
// have in its place.
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

// Zeros behind the end serve both ends; what continues them has room of its own for each. The kernel must not fold onto itself
// either.
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
    // Rows back are of as many points, by other radices.
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

// As many rows a block as keep its lanes busy, while several blocks fit on a multiprocessor.
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
    // Skews take room too, so that fewer rows may fit than without.
    for (line.lines = busiest_rows(plan, std::clamp(fit, 1, kMostRows)); line.lines >= 1; line.lines--) {
      const size_t place_bytes = point_bytes * static_cast<size_t>(line.lines);
      const int together = std::max(1, kBankBytes / static_cast<int>(place_bytes));
      for (const Skews skews : skews_of(plan, together, true)) {
        line.skews = skews;
        line.shared_bytes = skews.places(plan.points) * place_bytes;
        line.variant = fmt::to_string(line.planes);
        if (line.shared_bytes <= most) return RowPlan{line, line};
      }
    }
  }
  return too_long("rows", plan.points, device);
}

// As many adjacent lines a block as leave room for three blocks, else two, else one: a row is touched in runs of them.
StatusOr<LinePlan> plan_columns(const FftPlan& plan, PointLayout layout, const device::DeviceInfo& device) {
  if (layout == PointLayout::kWide) return plan_wide(plan, LineAxis::kColumns);
  const size_t most = device.shared_memory_bytes;
  const auto find = [&](int planes, int lines_log2, size_t room) -> std::optional<LinePlan> {
    const size_t held_bytes = (size_t{1} << lines_log2) * kComplexBytes * static_cast<size_t>(planes);
    const int together = std::max(1, kBankBytes / static_cast<int>(held_bytes));
    for (const Skews skews : skews_of(plan, together, false)) {
      LinePlan line{.plan = plan, .skews = skews, .planes = planes, .lines = lines_log2};
      line.shared_bytes = skews.places(plan.points) * held_bytes;
      line.variant = fmt::to_string(planes);
      if (line.shared_bytes <= room) return line;
    }
    return std::nullopt;
  };
  for (int planes = most_planes(device); planes >= 1; planes--)
    for (const size_t room : {most / 3, most / 2, most})
      for (int lines_log2 = planes == 2 ? 2 : 3; lines_log2 >= (room == most ? 0 : 1); lines_log2--)
        if (std::optional<LinePlan> line = find(planes, lines_log2, room)) return *std::move(line);
  return too_long("columns", plan.points, device);
}

// Places in an image are counted in 31 bits, in pairs of channels.
Status check_sides(const TransformSides& sides) {
  constexpr double kMostPoints = 0x1p30 - 1;
  if (double(sides.x) * sides.y <= kMostPoints) return ok_status();
  return invalid_argument(
      "An image with its kernel's reach is too large for a transform ({} x {} points, at most 2^30 - 1 in "
      "all); make the image or the kernel smaller.",
      sides.x, sides.y);
}

}  // namespace weft::filters::bloom
