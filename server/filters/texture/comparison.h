// SPDX-License-Identifier: Apache-2.0
// Detects textures degraded by a network: shifted colours, visible blocks, or lost detail within
// blocks. Sums are of integers, over all images of a texture, so that the result is the same on
// every device.
//
//   TextureComparison comparison(width, height);
//   for (each image) comparison.add(bytes of add_comparison's port);
//   if (const auto fault = comparison.fault()) ...
//   // "Its colours shift by 2.4 codes (1 are let pass)."
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "server/filters/texture/texture.h"

namespace weft::filters::texture {

// Visibility of block edges (kernels/texture/compare.h): the mean second difference across the
// lines between blocks of 4x4 texels, divided by the one within blocks. A texture without block
// structure has a ratio of about 1.
struct BlockEdges {
  int64_t across = 0, inside = 0;              // sums over three channels, in code values
  int64_t across_count = 0, inside_count = 0;  // number of lines of one texel

  // Returns the ratio. A constant is added to both means because small differences are invisible:
  // in an otherwise flat texture, a step of one code value at each edge results in 1.25.
  double ratio() const;
};

// Measures RGBA8 texels without gaps.
BlockEdges block_edges_of(std::string_view texels, int width, int height);

// Returns bytes with the differences of `made` from the small texture's `texels`, relative to
// `plain`, the filter's result.
StatusOr<Port> add_comparison(const FilterContext& context, Network& network, Port texels, Port made,
                              Port plain, int width, int height, bool is_normal);

class TextureComparison {
 public:
  // Accepted shift of a channel's mean in code values: over the texture, and over a window of
  // kWindow x kWindow texels of the small texture.
  static constexpr double kMostShift = 1;
  static constexpr double kMostWindowShift = 5;
  static constexpr int kWindow = 32;
  // Limits of block structure. edges() may be at most kMostEdges. Detail is lost if flat() exceeds
  // kMostFlat and detail() is below kLeastDetail. A texture with fewer lines between blocks than
  // kLeastLines is judged by its colours alone. texture_check measures how often each limit
  // applies.
  static constexpr double kMostEdges = 0.02;
  static constexpr double kMostFlat = 0.2, kLeastDetail = 0.97;
  static constexpr int64_t kLeastLines = 1024;

  // `width` and `height` are those of the small texture.
  TextureComparison(int width, int height) : width_(width), height_(height) {}

  // Adds the measurements of one image.
  void add(std::span<const std::byte> counted);

  // Measurements. Shifts and edges() are 0 before the first image.
  double shift() const;         // largest shift of a channel
  double window_shift() const;  // largest shift of a window
  // Mean second difference that the filter's texels do not explain (kernels/texture/compare.h):
  // across the edges of blocks minus within blocks, as a fraction of the mean within blocks.
  double edges() const;
  double flat() const;    // ratio of block edges minus that of the filter
  double detail() const;  // mean second difference within blocks, divided by that of the filter

  // Returns the reason, as a sentence, that a network should not process the texture, or nothing.
  std::optional<std::string> fault() const;

 private:
  void add_window(std::span<const int32_t> counted, int window_x, int window_y);

  int width_, height_;
  int64_t texels_ = 0;
  int64_t gained_[3] = {};  // quarters of code values
  double most_window_shift_ = 0;
  BlockEdges made_, plain_;
  int64_t unexplained_across_ = 0, unexplained_inside_ = 0;
};

}  // namespace weft::filters::texture
