// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/fixed_lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "kernels/lang/registry.h"

namespace weft::filters::bloom {
namespace {

// PLANES, RADIX_0 RADIX_1 RADIX_2 RADIX_3 (1: there is none), SKEW_0 SKEW_1, then ROWS or LINES_LOG2, LANES and BLOCKS.
constexpr size_t kNumbers = 10, kFirstRadix = 1, kMostRadices = 4, kFirstSkew = kFirstRadix + kMostRadices,
                 kLines = kFirstSkew + 2, kLanes = kLines + 1;

std::optional<FixedLine> parse(std::string_view variant) {
  std::array<int, kNumbers> numbers{};
  const char* place = variant.data();
  const char* const end = place + variant.size();
  for (size_t i = 0; i < kNumbers; i++) {
    const auto [past, error] = std::from_chars(place, end, numbers[i]);
    const bool is_last = i + 1 == kNumbers;
    if (error != std::errc() || (past == end) != is_last || (!is_last && *past != '_')) return std::nullopt;
    place = past + 1;
  }
  FixedLine line{.plan = {1, {}},
                 .skews = {numbers[kFirstSkew], numbers[kFirstSkew + 1]},
                 .planes = numbers[0],
                 .lines = numbers[kLines],
                 .lanes = numbers[kLanes],
                 .resident = numbers[kLanes + 1]};
  for (const int radix : std::span(numbers).subspan(kFirstRadix, kMostRadices))
    if (radix > 1) line.plan.radices.push_back(radix);
  for (const int radix : line.plan.radices) line.plan.points *= radix;
  line.variant = std::string(variant);
  return line;
}

bool are_the_same_line(const FixedLine& a, const FixedLine& b) {
  return a.plan.radices == b.plan.radices && a.skews.packed() == b.skews.packed() && a.planes == b.planes &&
         a.lines == b.lines;
}

std::vector<FixedLine> find_all(LineAxis axis) {
  const std::string_view kernel = axis == LineAxis::kRows ? "bloom/fft_rows." : "bloom/fft_columns.";
  std::vector<FixedLine> lines;
  for (const kernels::KernelImage& image : kernels::all_kernels()) {
    if (!image.name.starts_with(kernel)) continue;
    std::optional<FixedLine> line = parse(image.name.substr(kernel.size()));
    if (!line) continue;
    const size_t held = axis == LineAxis::kRows ? size_t(line->lines) : size_t{1} << line->lines;
    line->shared_bytes =
        held * line->skews.places(line->plan.points) * static_cast<size_t>(line->planes) * kComplexBytes;
    lines.push_back(*std::move(line));
  }
  std::ranges::sort(lines, [](const FixedLine& a, const FixedLine& b) {
    return std::tuple(a.plan.points, -a.lines, a.lanes, -a.resident) <
           std::tuple(b.plan.points, -b.lines, b.lanes, -b.resident);
  });
  for (size_t i = 1; i < lines.size(); i++)
    if (are_the_same_line(lines[i - 1], lines[i])) lines[i - 1].spread = lines[i].variant;
  return lines;
}

}  // namespace

std::span<const FixedLine> all_fixed_lines(LineAxis axis) {
  static const std::vector<FixedLine> rows = find_all(LineAxis::kRows);
  static const std::vector<FixedLine> columns = find_all(LineAxis::kColumns);
  return axis == LineAxis::kRows ? rows : columns;
}

const FixedLine* find_fixed_line(LineAxis axis, std::string_view variant) {
  const auto all = all_fixed_lines(axis);
  const auto found = std::ranges::find(all, variant, &FixedLine::variant);
  return found == all.end() ? nullptr : &*found;
}

const FixedLine* shortest_fixed_line(LineAxis axis, int at_least, size_t most_bytes) {
  const auto all = all_fixed_lines(axis);
  const auto found = std::ranges::find_if(all, [&](const FixedLine& line) {
    return line.plan.points >= at_least && line.shared_bytes <= most_bytes;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace weft::filters::bloom
