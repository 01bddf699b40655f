// SPDX-License-Identifier: Apache-2.0
// Bloom as a filter of video: frames to linear light, bloomed, and what it changed added to their codes. What does not change keeps its
// code, to the last bit; chroma that has fewer samples than luma keeps what it is but for the change.
#pragma once

#include <memory>

#include "server/filters/bloom/bloom.h"
#include "server/filters/filter.h"

namespace weft::filters::bloom {

// What a video's codes mean: code points of ITU-T H.273, as files say them.
struct VideoColour {
  int transfer = 2;  // 2: not known, taken for BT.709
  int matrix = 2;    // 2: not known, taken for BT.709 from 720 rows on, else BT.601
  bool is_full_range = false;
};

struct VideoSamples {
  VideoFormat format;
  VideoColour colour{};
};

extern const FilterDescriptor kVideoBloom;

// INVALID_ARGUMENT: a colour whose codes are not known here.
Status check_video_colour(const VideoColour& colour);

// `options` with defaults filled in. INVALID_ARGUMENT: a colour whose codes are not known here, and what Bloom::make says; likewise the
// other errors. The cache must outlive the filter.
StatusOr<std::unique_ptr<Filter>> make_video_bloom(device::Device& device, const VideoSamples& samples,
                                                   const v1::BloomOptions& options,
                                                   const BloomPictures& pictures, SpectrumCache& cache,
                                                   SpectrumIsMade spectrum = SpectrumIsMade::kAtOnce);

}  // namespace weft::filters::bloom
