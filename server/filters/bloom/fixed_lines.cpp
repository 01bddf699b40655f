// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/fixed_lines.h"

#include <algorithm>
#include <span>
#include <tuple>
#include <vector>

#include "kernels/lang/registry.h"

namespace weft::filters::bloom {
namespace {

// The kernels for bloom: fp32, three channels. The kernels for fp16 have the same lines.
constexpr std::string_view kGroup = ".rgb";

// Values from 32 on mark permuted points, which need no padding.
Skews skews_of(const kernels::KernelImage& image) {
  constexpr int kPermuted = 32;
  const int first = image.tuned_value("SKEW_0");
  return first < kPermuted ? Skews{first, image.tuned_value("SKEW_1")} : Skews{};
}

FixedLine line_of(LinePass pass, const kernels::KernelImage& image, std::string_view variant) {
  FixedLine line;
  line.plan.points = 1;
  line.skews = skews_of(image);
  line.planes = image.tuned_value("PLANES");
  line.lines = image.tuned_value(pass == LinePass::kColumns ? "LINES_LOG2" : "ROWS");
  line.resident = image.tuned_value("BLOCKS");
  line.is_spread = image.tuned_value("SPREAD") != 0;
  for (const char* const name : {"RADIX_0", "RADIX_1", "RADIX_2", "RADIX_3"})
    if (const int radix = image.tuned_value(name); radix > 1) line.plan.radices.push_back(radix);
  for (const int radix : line.plan.radices) line.plan.points *= radix;
  line.variant = std::string(variant);
  const size_t held = pass == LinePass::kColumns ? size_t{1} << line.lines : size_t(line.lines);
  line.shared_bytes =
      held * line.skews.padded_points(line.plan.points) * static_cast<size_t>(line.planes) * kComplexBytes;
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
  for (const kernels::KernelImage& image : kernels::kernels_of("bloom")) {
    if (image.tuned.empty() || !image.name.starts_with(kernel) || !image.name.ends_with(kGroup)) continue;
    lines.push_back(line_of(
        pass, image, image.name.substr(kernel.size(), image.name.size() - kernel.size() - kGroup.size())));
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

const FixedLine* shortest_fixed_line(LinePass pass, int at_least, const SharedMemory& memory) {
  const FixedLine* best = nullptr;
  // Used share of a multiprocessor's memory. If the blocks need more than all of it, less is
  // better.
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
