// SPDX-License-Identifier: Apache-2.0
#include "server/filters/texture/comparison.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/texture/compare.kernel"
#include "server/filters/nodes/rows_node.h"
#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

namespace {

using CompareParams = kernels::compare::Params;

constexpr int kCompareOperations = 40000;  // operations per tile
constexpr double kQuarterCode = 0.25;      // a quarter of a code value
// constant added to mean second differences, because smaller ones are invisible
constexpr double kUnseen = 24;
static_assert(TextureComparison::kWindow % COMPARE_TILE == 0);

int tiles_of(int side) { return (side + COMPARE_TILE - 1) / COMPARE_TILE; }

size_t counted_bytes(int width, int height) {
  return size_t(tiles_of(width)) * size_t(tiles_of(height)) * COMPARE_NUMBERS * sizeof(int32_t);
}

}  // namespace

double BlockEdges::ratio() const {
  if (across_count == 0 || inside_count == 0) return 1;
  return (double(across) / double(across_count) + kUnseen) /
         (double(inside) / double(inside_count) + kUnseen);
}

BlockEdges block_edges_of(std::string_view texels, int width, int height) {
  std::vector<uint32_t> words(texels.size() / sizeof(uint32_t));
  std::memcpy(words.data(), texels.data(), words.size() * sizeof(uint32_t));
  BlockEdges edges;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      const kernels::compare::EdgeSums here =
          kernels::compare::with_edges_at({words.data()}, width, height, x, y, kernels::compare::no_edges());
      edges.across += here.across;
      edges.inside += here.inside;
      edges.across_count += here.across_count;
      edges.inside_count += here.inside_count;
    }
  return edges;
}

StatusOr<Port> add_comparison(const FilterContext& context, Network& network, Port texels, Port made,
                              Port plain, int width, int height, bool is_normal) {
  RowsNode<CompareParams>::Parts parts;
  parts.descriptor.name = "compare";
  parts.descriptor.outputs = {PortFormat::data("comparison", counted_bytes(width, height))};
  parts.shape = {uint32_t(tiles_of(width)), tiles_of(height), kCompareOperations};
  parts.complete = [=](const Step& step, int unit, CompareParams& params) {
    params.texels = source_of<decltype(params.texels)>(step, unit);
    params.made = source_of<decltype(params.made)>(step, unit, 1);
    params.plain = source_of<decltype(params.plain)>(step, unit, 2);
    params.numbers = target_of<decltype(params.numbers)>(step, unit);
    params.width = width;
    params.height = height;
    params.tiles_x = tiles_of(width);
    params.tiles_y = tiles_of(height);
    params.is_normal = is_normal ? 1 : 0;
  };
  return add_rows_node<CompareParams>(context, network, {texels, made, plain}, "texture/compare",
                                      std::move(parts));
}

void TextureComparison::add(std::span<const std::byte> counted) {
  std::vector<int32_t> numbers(std::min(counted.size(), counted_bytes(width_, height_)) / sizeof(int32_t));
  std::memcpy(numbers.data(), counted.data(), numbers.size() * sizeof(int32_t));
  for (size_t at = 0; at + COMPARE_NUMBERS <= numbers.size(); at += COMPARE_NUMBERS) {
    const int32_t* tile = &numbers[at];
    for (size_t c = 0; c < 3; c++) gained_[c] += tile[c];
    made_.across += tile[3];
    made_.inside += tile[4];
    for (BlockEdges* edges : {&made_, &plain_}) {
      edges->across_count += tile[5];
      edges->inside_count += tile[6];
    }
    plain_.across += tile[7];
    plain_.inside += tile[8];
    unexplained_across_ += tile[9];
    unexplained_inside_ += tile[10];
  }
  texels_ += int64_t{width_} * height_;
  for (int y = 0; y < height_; y += kWindow)
    for (int x = 0; x < width_; x += kWindow) add_window(numbers, x, y);
}

// Updates the largest shift with that of one window. A window that exceeds the texture is moved to
// the left and up; it is smaller only if the texture is.
void TextureComparison::add_window(std::span<const int32_t> counted, int window_x, int window_y) {
  constexpr int kTiles = kWindow / COMPARE_TILE;
  const int tiles_x = tiles_of(width_), tiles_y = tiles_of(height_);
  const int left = std::clamp(tiles_x - kTiles, 0, window_x / COMPARE_TILE);
  const int top = std::clamp(tiles_y - kTiles, 0, window_y / COMPARE_TILE);
  const int right = std::min(left + kTiles, tiles_x), below = std::min(top + kTiles, tiles_y);
  int64_t gained[3] = {};
  for (int y = top; y < below; y++)
    for (int x = left; x < right; x++)
      for (int c = 0; c < 3; c++) gained[c] += counted[size_t((y * tiles_x + x) * COMPARE_NUMBERS + c)];
  const auto texels_in = [](int first, int last, int side) {
    return std::min(last * COMPARE_TILE, side) - first * COMPARE_TILE;
  };
  const double texels = double(texels_in(left, right, width_)) * texels_in(top, below, height_);
  for (const int64_t sum : gained)
    most_window_shift_ = std::max(most_window_shift_, std::abs(double(sum)) * kQuarterCode / texels);
}

double TextureComparison::shift() const {
  double most = 0;
  for (const int64_t sum : gained_) most = std::max(most, std::abs(double(sum)));
  return texels_ == 0 ? 0 : most * kQuarterCode / double(texels_);
}

double TextureComparison::window_shift() const { return most_window_shift_; }

double TextureComparison::edges() const {
  if (made_.across_count == 0 || made_.inside_count == 0) return 0;
  const double across = double(unexplained_across_) / double(made_.across_count);
  const auto inside_mean = [&](int64_t sum) { return double(sum) / double(made_.inside_count); };
  return (across - inside_mean(unexplained_inside_)) / (inside_mean(made_.inside) + kUnseen);
}

double TextureComparison::flat() const { return made_.ratio() - plain_.ratio(); }

double TextureComparison::detail() const {
  if (made_.inside_count == 0) return 1;
  const double lines = double(made_.inside_count);
  return (double(made_.inside) / lines + kUnseen) / (double(plain_.inside) / lines + kUnseen);
}

std::optional<std::string> TextureComparison::fault() const {
  if (shift() > kMostShift)
    return fmt::format("Its colours shift by {:.1f} codes ({:g} are let pass).", shift(), kMostShift);
  if (window_shift() > kMostWindowShift)
    return fmt::format("Colours of a place in it shift by {:.1f} codes ({:g} are let pass).", window_shift(),
                       kMostWindowShift);
  if (made_.across_count < kLeastLines) return std::nullopt;
  if (edges() > kMostEdges)
    return fmt::format("Edges of blocks show ({:.3f} of the detail within blocks; {:g} is let pass).",
                       edges(), kMostEdges);
  if (flat() > kMostFlat && detail() < kLeastDetail)
    return fmt::format("Detail within blocks is lost ({:.2f} of the filter's is left; {:g} is the least).",
                       detail(), kLeastDetail);
  return std::nullopt;
}

}  // namespace weft::filters::texture
