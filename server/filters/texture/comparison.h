// SPDX-License-Identifier: Apache-2.0
// Judges whether a network spoiled a texture: its colours shifted, its blocks show, or the detail within blocks is gone. Sums are of integers, over
// all of a texture's images, so that the same texels are judged alike on every device.
//
//   TextureComparison comparison(width, height);
//   for (each image) comparison.add(what add_comparison's port gave);
//   if (const auto fault = comparison.fault()) ...   // "Its colours shift by 2.4 codes (at most 1 is allowed)."
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

// What shows at the edges of blocks (kernels/texture/compare.h): the mean second difference across the lines between blocks of 4x4 texels over
// that within blocks. A texture of which nothing is known of blocks has about 1.
struct BlockEdges {
  int64_t across = 0, inside = 0;              // codes of three channels
  int64_t across_count = 0, inside_count = 0;  // lines, a texel long

  // Something is added to both, since little of a difference cannot be seen: where all else is flat, a step of one code at each edge makes 1.25.
  double ratio() const;
};

// Of RGBA8 texels without gaps.
BlockEdges block_edges_of(std::string_view texels, int width, int height);

// Bytes that tell how `made` differs from the small texture's `texels`, beside `plain`, that the filter makes.
StatusOr<Port> add_comparison(const FilterContext& context, Network& network, Port texels, Port made,
                              Port plain, int width, int height, bool is_normal);

class TextureComparison {
 public:
  // What is let pass, in codes: most that the mean of a channel may move, over the texture, and over a place of kPlace x kPlace of its texels.
  static constexpr double kMostShift = 1;
  static constexpr double kMostShiftOfPlace = 5;
  static constexpr int kPlace = 32;
  // The largest value of edges() that is let pass. Where flat() exceeds kMostFlat and detail() is below kLeastDetail, blocks lost their detail. A
  // texture with fewer lines between blocks than kLeastLines is judged by its colours alone. texture_check measures the rates of both.
  static constexpr double kMostEdges = 0.02;
  static constexpr double kMostFlat = 0.2, kLeastDetail = 0.97;
  static constexpr int64_t kLeastLines = 1024;

  // Of the small texture.
  TextureComparison(int width, int height) : width_(width), height_(height) {}

  // Of one image.
  void add(std::span<const std::byte> told);

  // What is measured. 0 before there is an image.
  double shift() const;           // of the channel that moved most
  double shift_of_place() const;  // of the place that moved most
  // The mean second difference that the filter's texels do not explain (kernels/texture/compare.h), across the edges of blocks less within blocks,
  // as a share of the mean within blocks.
  double edges() const;
  double flat() const;    // ratio of block edges less the filter's
  double detail() const;  // the mean second difference within blocks over the filter's

  // Why a network should not make it, as a sentence; nothing: it may.
  std::optional<std::string> fault() const;

 private:
  void add_place(std::span<const int32_t> told, int place_x, int place_y);

  int width_, height_;
  int64_t texels_ = 0;
  int64_t gained_[3] = {};  // quarters of codes
  double most_of_place_ = 0;
  BlockEdges made_, plain_;
  int64_t unexplained_across_ = 0, unexplained_inside_ = 0;
};

}  // namespace weft::filters::texture
