// SPDX-License-Identifier: Apache-2.0
// Bloom as nodes. Of video: frames to linear light, bloomed, and what it changed added to their codes. What does not change keeps its
// code, to the last bit; chroma that has fewer samples than luma keeps what it is but for the change. Of images: pixels are light.
#pragma once

#include <memory>

#include "server/filters/bloom/bloom.h"
#include "server/filters/bloom/bloom_memory.h"
#include "server/filters/bloom/pixel_report.h"
#include "server/filters/filter.h"

namespace weft::filters::bloom {

static_assert(sizeof(PixelReport) == kBloomCountsBytes);

// INVALID_ARGUMENT: a colour whose codes are not known here.
Status check_video_colour(const VideoColour& colour);

// A bloom, or where there is no device the memory that it will take.
struct PlannedBloom {
  std::unique_ptr<Bloom> bloom{};
  BloomMemory memory{};

  size_t scratch_bytes(int units) const;
  int max_units() const { return bloom == nullptr ? memory.max_units : bloom->max_units(); }
  int portions() const;
};

// Errors are check_video_colour's and NOT_FOUND: a kernel that is not built.
StatusOr<std::unique_ptr<Node>> make_video_bloom(const FilterContext& context, const VideoFormat& format,
                                                 const VideoColour& colour, PlannedBloom bloom);
// Its outputs: the image, and a PixelReport of it.
std::unique_ptr<Node> make_image_bloom(const BloomShape& shape, PlannedBloom bloom);

}  // namespace weft::filters::bloom
