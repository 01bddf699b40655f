// SPDX-License-Identifier: Apache-2.0
// Provides bloom as nodes. Video: frames are converted to linear light and bloomed, and the change
// is added to their code values. Unchanged samples keep their exact code values; subsampled chroma
// changes only by the difference. Images: pixels are linear light.
#pragma once

#include <memory>

#include "server/filters/bloom/bloom.h"
#include "server/filters/bloom/bloom_memory.h"
#include "server/filters/bloom/pixel_report.h"
#include "server/filters/filter.h"

namespace weft::filters::bloom {

static_assert(sizeof(PixelReport) == kBloomCountsBytes);

// Returns INVALID_ARGUMENT if the colour has unknown codes.
Status check_video_colour(const VideoColour& colour);

// A bloom or, without a device, its predicted memory.
struct PlannedBloom {
  std::unique_ptr<Bloom> bloom{};
  BloomMemory memory{};

  size_t scratch_bytes(int units) const;
  int max_units() const { return bloom == nullptr ? memory.max_units : bloom->max_units(); }
  int portions() const;
};

// Creates the node for video. The errors are those of check_video_colour(), and NOT_FOUND for a
// kernel that was not built.
StatusOr<std::unique_ptr<Node>> make_video_bloom(const FilterContext& context, const VideoFormat& format,
                                                 const VideoColour& colour, PlannedBloom bloom);
// Creates the node for images. Its outputs are the image and a PixelReport.
std::unique_ptr<Node> make_image_bloom(const BloomShape& shape, PlannedBloom bloom);

}  // namespace weft::filters::bloom
