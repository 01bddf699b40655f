// SPDX-License-Identifier: Apache-2.0
// How a convolution's lines are transformed: their lengths, radices and tables, and what a block of the kernels takes.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>

#include <fmt/format.h>

#include "server/filters/bloom/convolution.h"
#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

constexpr size_t kWideBytes = 8 * kComplexBytes;  // a point of the CPU's
constexpr int kWideTogether = 8;                  // points a power of 2 apart would share a cache's few ways
constexpr int kRowLanes = 128;
constexpr size_t kVulkanSizeBytes = 4096;
constexpr size_t kTableAlignment = 128;                 // a line of a GPU's caches
constexpr int kBankBytes = 128;                         // of shared memory, that a GPU reads at once
constexpr int kMostRows = 16;                           // of a block
constexpr size_t kComfortableBytes = size_t{56} << 10;  // of shared memory: several blocks a multiprocessor

// What to try, best first: without skews a line takes less room.
std::vector<Skews> skews_of(const ConvolutionShape& shape, const FftPlan& plan, int together, bool in_order) {
  if (shape.skew >= 0) return {Skews{shape.skew}};
  const Skews best = best_skews(plan, together, in_order);
  return best.first == Skews::kNone ? std::vector{best} : std::vector{best, Skews{}};
}

// An axis's transform: as given, of the image's own length, or of the cheapest that is long enough.
StatusOr<FftPlan> plan_axis(const ConvolutionShape& shape, LineAxis axis, RadixSet set) {
  const bool is_x = axis == LineAxis::kRows;
  const int side = is_x ? shape.width : shape.height;
  const std::vector<int>& radices = is_x ? shape.radices_x : shape.radices_y;
  int points = is_x ? shape.points_x : shape.points_y;
  FftPlan given;
  if (!radices.empty()) {
    ASSIGN_OR_RETURN(given, plan_of(radices, set));
    if (points != 0 && points != given.points)
      return invalid_argument("A transform's radices give {} points, where {} are asked for.", given.points,
                              points);
    points = given.points;
  }
  if (points == 0 && shape.is_circular) points = side;
  if (points == 0) {
    ASSIGN_OR_RETURN(points, cheapest_length(needed_points(shape, axis), set));
  }
  if (points < side)
    return invalid_argument("A transform is shorter than the image ({} points, {} pixels).", points, side);
  if (!radices.empty()) return given;
  return plan_line(points, set);
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

}  // namespace

// Zeros behind the end serve both ends; what continues them has room of its own for each. The kernel must not fold onto itself
// either.
int needed_points(const ConvolutionShape& shape, LineAxis axis) {
  const bool is_x = axis == LineAxis::kRows;
  const int side = is_x ? shape.width : shape.height, reach = is_x ? shape.reach_x : shape.reach_y;
  if (shape.is_circular) return side;
  return std::max(side + (shape.padding == Padding::kZero ? reach : 2 * reach), 2 * reach + 1);
}

Status Convolution::choose_lines(LineAxis axis, RadixSet set) {
  const bool is_x = axis == LineAxis::kRows;
  Line& line = is_x ? rows_.usual : columns_;
  ASSIGN_OR_RETURN(const FftPlan plan, plan_axis(shape_, axis, set));
  line.plan = plan;
  if (is_wide_) {
    choose_wide_lines(axis);
  } else {
    const LinePass pass = is_x ? LinePass::kRows : LinePass::kColumns;
    ASSIGN_OR_RETURN(const bool is_fixed, take_fixed_line(pass, plan));
    if (!is_fixed) RETURN_IF_ERROR(is_x ? choose_rows(rows_) : choose_columns());
  }
  (is_x ? shape_.points_x : shape_.points_y) = line.plan.points;
  if (!is_x) shape_.lines_log2 = line.lines;
  return ok_status();
}

// Where rows have a kernel for their length alone, there may be one back of other radices; else they are alike.
Status Convolution::choose_rows_back(RadixSet set) {
  rows_back_ = rows_;
  const FixedLine* const forward = find_fixed_line(LinePass::kRows, rows_.usual.variant);
  if (forward == nullptr && shape_.rows_back_variant.empty()) return ok_status();
  ASSIGN_OR_RETURN(const FftPlan plan, plan_line(rows_.usual.plan.points, set));
  ASSIGN_OR_RETURN(const bool is_fixed, take_fixed_line(LinePass::kRowsBack, plan));
  if (is_fixed) return ok_status();
  rows_back_.usual.plan = plan;
  return choose_rows(rows_back_);
}

// The CPU works on four rows at once, or four columns and their mirrors: that is what a point holds.
void Convolution::choose_wide_lines(LineAxis axis) {
  const bool is_x = axis == LineAxis::kRows;
  Line& line = is_x ? rows_.usual : columns_;
  line.skews = skews_of(shape_, line.plan, kWideTogether, is_x).front();
  line.shared_bytes = line.skews.places(line.plan.points) * kWideBytes * (is_x ? 1 : 2);
  line.lines = is_x ? 4 : 2;
  line.variant = "2";
  if (is_x) rows_.spread = line;
}

// The kernels for one length alone, where there are some for a length that is hardly more than is needed.
StatusOr<bool> Convolution::take_fixed_line(LinePass pass, const FftPlan& plan) {
  constexpr double kMostLonger = 1.1;
  const bool is_cpu = device_.info().kind == device::BackendKind::kCpu;
  const bool is_x = axis_of(pass) == LineAxis::kRows;
  const std::vector<int>& radices = is_x ? shape_.radices_x : shape_.radices_y;
  const bool is_planned = !radices.empty() || shape_.skew >= 0;
  const bool is_given =
      pass == LinePass::kRowsBack || shape_.is_circular || (is_x ? shape_.points_x : shape_.points_y) != 0;
  const int at_least = is_given ? plan.points : needed_points(shape_, axis_of(pass));
  const std::string& variant = pass == LinePass::kRows      ? shape_.rows_variant
                               : pass == LinePass::kColumns ? shape_.columns_variant
                                                            : shape_.rows_back_variant;
  if (!is_rgb_ && variant.empty()) return false;
  const bool is_named = !variant.empty() || (pass == LinePass::kRowsBack && !shape_.rows_variant.empty());
  if (!is_named && !shape_.fixed_lines.value_or(!is_cpu && !is_planned)) return false;
  const size_t most_bytes = device_.info().shared_memory_bytes;
  const FixedLine* fixed =
      variant.empty()
          ? shortest_fixed_line(pass, at_least, {most_bytes, device_.info().unit_shared_memory_bytes})
          : find_fixed_line(pass, variant);
  const bool fits = is_rgb_ && !is_cpu && fixed != nullptr && fixed->plan.points >= at_least &&
                    fixed->plan.points <= (is_given ? at_least : kMostLonger * plan.points) &&
                    fixed->shared_bytes <= most_bytes &&
                    (is_x || shape_.lines_log2 < 0 || shape_.lines_log2 == fixed->lines);
  if (!fits && !variant.empty())
    return invalid_argument("The variant '{}' of the kernels is not for {} of {} points on {}.", variant,
                            is_x ? "rows" : "columns", at_least, device_.info().id);
  if (!fits) return false;
  if (!is_x) {
    columns_ = line_of(*fixed);
    return true;
  }
  const FixedLine* const spread = variant.empty() ? spread_line(pass, *fixed, most_bytes) : nullptr;
  RowLines& rows = pass == LinePass::kRows ? rows_ : rows_back_;
  rows = {line_of(*fixed), line_of(spread == nullptr ? *fixed : *spread)};
  return true;
}

Convolution::Line Convolution::line_of(const FixedLine& fixed) {
  Line line;
  line.plan = fixed.plan;
  line.planes = fixed.planes;
  line.skews = fixed.skews;
  line.lines = fixed.lines;
  line.shared_bytes = fixed.shared_bytes;
  line.variant = fixed.variant;
  line.resident = fixed.resident;
  return line;
}

// The CPU's kernels for two planes are wide.
int Convolution::most_planes() const { return device_.info().kind == device::BackendKind::kCpu ? 1 : 2; }

// As many rows a block as keep its lanes busy, while several blocks fit on a multiprocessor.
Status Convolution::choose_rows(RowLines& rows) {
  Line& line = rows.usual;
  const size_t most = device_.info().shared_memory_bytes;
  const int points = line.plan.points;
  for (line.planes = most_planes(); line.planes >= 1; line.planes--) {
    const size_t point_bytes = kComplexBytes * static_cast<size_t>(line.planes);
    const size_t row_bytes = static_cast<size_t>(points) * point_bytes;
    const auto fit = static_cast<int>(std::min(most, kComfortableBytes) / row_bytes);
    // Skews take room too, so that fewer rows may fit than without.
    for (int lines = busiest_rows(line.plan, std::clamp(fit, 1, kMostRows)); lines >= 1; lines--) {
      const size_t place_bytes = point_bytes * static_cast<size_t>(lines);
      const int together = std::max(1, kBankBytes / static_cast<int>(place_bytes));
      for (const Skews skews : skews_of(shape_, line.plan, together, true)) {
        const size_t bytes = skews.places(points) * place_bytes;
        if (bytes > most) continue;
        line.lines = lines;
        line.skews = skews;
        line.shared_bytes = bytes;
        line.variant = fmt::to_string(line.planes);
        rows.spread = line;
        return ok_status();
      }
    }
  }
  return too_long("rows", points, device_.info());
}

// As many adjacent lines a block as leave room for three blocks, else two, else one: a row is touched in runs of them.
Status Convolution::choose_columns() {
  const size_t most = device_.info().shared_memory_bytes;
  const int points = columns_.plan.points;
  const auto try_columns = [&](int planes, int lines_log2, size_t room) {
    const size_t held_bytes = (size_t{1} << lines_log2) * kComplexBytes * static_cast<size_t>(planes);
    const int together = std::max(1, kBankBytes / static_cast<int>(held_bytes));
    for (const Skews skews : skews_of(shape_, columns_.plan, together, false)) {
      const size_t bytes = skews.places(points) * held_bytes;
      if (bytes > room) continue;
      columns_.planes = planes;
      columns_.lines = lines_log2;
      columns_.skews = skews;
      columns_.shared_bytes = bytes;
      columns_.variant = fmt::to_string(planes);
      return true;
    }
    return false;
  };
  const int given = shape_.lines_log2;
  for (int planes = most_planes(); planes >= 1; planes--) {
    for (const size_t room : {most / 3, most / 2, most})
      for (int lines_log2 = planes == 2 ? 2 : 3; lines_log2 >= 0; lines_log2--)
        if ((given < 0 ? lines_log2 > 0 || room == most : lines_log2 == given) &&
            try_columns(planes, lines_log2, room))
          return ok_status();
  }
  return too_long("columns", points, device_.info());
}

Status Convolution::make_tables() {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const auto& values) {
    const size_t offset = round_up(bytes.size(), kTableAlignment);
    bytes.resize(offset + values.size() * sizeof(values[0]));
    std::memcpy(bytes.data() + offset, values.data(), values.size() * sizeof(values[0]));
    return offset;
  };
  columns_.twiddles_offset = append(twiddles(columns_.plan));
  for (RowLines* const rows : {&rows_, &rows_back_}) {
    const FftPlan& plan = rows->usual.plan;
    rows->usual.twiddles_offset = rows->spread.twiddles_offset = append(twiddles(plan));
    rows->usual.order_offset = rows->spread.order_offset = append(block_order(plan));
  }
  ASSIGN_OR_RETURN(tables_, device_.allocate(device::MemoryKind::kDevice, bytes.size()));
  ASSIGN_OR_RETURN(const auto staging, device_.allocate(device::MemoryKind::kUpload, bytes.size()));
  std::memcpy(staging->host(), bytes.data(), bytes.size());
  ASSIGN_OR_RETURN(const auto stream, device_.make_stream());
  stream->copy(*tables_, 0, *staging, 0, bytes.size());
  return stream->wait_all();
}

Status Convolution::load_kernels() {
  // Through Vulkan each size is compiled anew, for seconds on a CPU: there are only a few.
  const device::DeviceInfo& info = device_.info();
  const size_t unit = info.kind != device::BackendKind::kVulkan ? 1
                      : info.is_software                        ? info.shared_memory_bytes
                                                                : kVulkanSizeBytes;
  const auto load = [&](std::string_view name, const Line& line, std::string_view kept) {
    const size_t bytes =
        std::min((line.shared_bytes + unit - 1) / unit * unit, size_t{info.shared_memory_bytes});
    return device_.load(fmt::format("bloom/{}.{}{}", name, line.variant, kept), bytes);
  };
  const std::string_view plain = is_rgb_ ? ".rgb" : "";
  const std::string_view kept = shape_.intermediates == Intermediates::kFp16 ? ".rgb_half" : plain;
  for (Line* const line : {&rows_.usual, &rows_.spread}) {
    ASSIGN_OR_RETURN(line->kernel, load("fft_rows", *line, kept));
    ASSIGN_OR_RETURN(line->spectrum_kernel, load("fft_rows", *line, plain));
  }
  for (Line* const line : {&rows_back_.usual, &rows_back_.spread}) {
    ASSIGN_OR_RETURN(line->kernel, load("fft_rows_back", *line, kept));
  }
  ASSIGN_OR_RETURN(columns_.kernel, load("fft_columns", columns_, kept));
  ASSIGN_OR_RETURN(columns_.spectrum_kernel, load("fft_columns", columns_, plain));
  return ok_status();
}

// The same for all portions of a pass, whose blocks are counted through.
const Convolution::Line& Convolution::rows_for(const RowLines& lines, int rows, int units) const {
  const auto planes = uint64_t(2 / lines.usual.planes);
  const uint64_t all = divide_up(uint64_t(rows), uint64_t(lines.usual.lines)) * planes * uint64_t(units),
                 at_once = uint64_t{device_.info().compute_units} * uint64_t(lines.usual.resident);
  const uint64_t places = round_up(all, at_once);
  return 3 * (places - all) > places ? lines.spread : lines.usual;
}

}  // namespace weft::filters::bloom
