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

// PLANES, RADIX_0 RADIX_1 RADIX_2 RADIX_3 (1: there is none), SKEW_0 SKEW_1, then ROWS or LINES_LOG2, LANES, BLOCKS and SPREAD
// (1: FixedLine::is_spread; of columns none is, since their spectrum may depend on LINES_LOG2).
constexpr size_t kNumbers = 11, kFirstRadix = 1, kMostRadices = 4, kFirstSkew = kFirstRadix + kMostRadices,
                 kLines = kFirstSkew + 2, kLanes = kLines + 1;

// From 32 on points are permuted, and the second number says how, too; all that counts here is the room that they take.
Skews skews_of(int first, int second) {
  constexpr int kPermuted = 32;
  return first < kPermuted ? Skews{first, second} : Skews{.permutation = first - kPermuted};
}

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
                 .skews = skews_of(numbers[kFirstSkew], numbers[kFirstSkew + 1]),
                 .planes = numbers[0],
                 .lines = numbers[kLines],
                 .lanes = numbers[kLanes],
                 .resident = numbers[kLanes + 1],
                 .is_spread = numbers[kLanes + 2] != 0};
  for (const int radix : std::span(numbers).subspan(kFirstRadix, kMostRadices))
    if (radix > 1) line.plan.radices.push_back(radix);
  for (const int radix : line.plan.radices) line.plan.points *= radix;
  line.variant = std::string(variant);
  return line;
}

std::string_view kernel_of(LinePass pass) {
  switch (pass) {
    case LinePass::kRows:
      return "bloom/fft_rows.";
    case LinePass::kColumns:
      return "bloom/fft_columns.";
    case LinePass::kRowsBack:
      return "bloom/fft_rows_back.";
  }
  return "";
}

std::vector<FixedLine> find_all(LinePass pass) {
  const std::string_view kernel = kernel_of(pass);
  std::vector<FixedLine> lines;
  for (const kernels::KernelImage& image : kernels::all_kernels()) {
    if (!image.name.starts_with(kernel)) continue;
    std::optional<FixedLine> line = parse(image.name.substr(kernel.size()));
    if (!line) continue;
    const size_t held = pass == LinePass::kColumns ? size_t{1} << line->lines : size_t(line->lines);
    line->shared_bytes =
        held * line->skews.places(line->plan.points) * static_cast<size_t>(line->planes) * kComplexBytes;
    lines.push_back(*std::move(line));
  }
  std::ranges::stable_sort(lines, [](const FixedLine& a, const FixedLine& b) {
    return std::tuple(a.plan.points, -a.planes, -a.lines) < std::tuple(b.plan.points, -b.planes, -b.lines);
  });
  return lines;
}

}  // namespace

std::span<const FixedLine> all_fixed_lines(LinePass pass) {
  static const std::vector<FixedLine> rows = find_all(LinePass::kRows);
  static const std::vector<FixedLine> columns = find_all(LinePass::kColumns);
  static const std::vector<FixedLine> rows_back = find_all(LinePass::kRowsBack);
  return pass == LinePass::kRows ? rows : pass == LinePass::kColumns ? columns : rows_back;
}

const FixedLine* find_fixed_line(LinePass pass, std::string_view variant) {
  const auto all = all_fixed_lines(pass);
  const auto found = std::ranges::find(all, variant, &FixedLine::variant);
  return found == all.end() ? nullptr : &*found;
}

const FixedLine* shortest_fixed_line(LinePass pass, int at_least, const SharedMemory& memory) {
  const FixedLine* best = nullptr;
  // What there is of them on a multiprocessor; where that is too much, the less the better.
  const auto fill = [&](const FixedLine& line) {
    const auto bytes = int64_t(line.shared_bytes) * line.resident;
    return bytes <= int64_t(memory.unit_bytes) ? bytes : -bytes;
  };
  for (const FixedLine& line : all_fixed_lines(pass)) {
    if (line.plan.points < at_least || line.shared_bytes > memory.block_bytes || line.is_spread) continue;
    if (best != nullptr && line.plan.points > best->plan.points) break;
    if (best == nullptr || fill(line) > fill(*best)) best = &line;
  }
  return best;
}

const FixedLine* spread_line(LinePass pass, const FixedLine& line, size_t most_bytes) {
  const auto all = all_fixed_lines(pass);
  const auto found = std::ranges::find_if(all, [&](const FixedLine& other) {
    return other.is_spread && other.plan.radices == line.plan.radices && other.planes == line.planes &&
           other.shared_bytes <= most_bytes;
  });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace weft::filters::bloom
