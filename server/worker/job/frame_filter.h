// SPDX-License-Identifier: Apache-2.0
// What a video job or a stream does to its frames: a filter that is not made yet, with all that it needs beside them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "base/video_format.h"
#include "server/filters/bloom/spectrum_cache.h"
#include "server/filters/bloom/video_bloom.h"
#include "server/filters/filter.h"
#include "server/worker/job/open_input.h"
#include "weft/v1/bloom.pb.h"
#include "weft/v1/deinterlace.pb.h"

namespace weft::worker {

struct FrameFilter {
  std::string name;  // "bwdif", "bloom"
  filters::Window window;
  int outputs_per_frame = 1;  // at most
  bool keeps_fields = false;  // pictures are as interlaced as the frames; else progressive
  // What its cost depends on beside the device: "bwdif 720x480 4:2:0 8 bit 2". Jobs and streams with the same key share what is learnt.
  std::string cost_key;
  // For the device; the cache outlives the filter, which is still to be prepared (preparing.h). Errors are the filter's own.
  std::function<StatusOr<std::unique_ptr<filters::Filter>>(device::Device&, filters::bloom::SpectrumCache&)>
      make;
};

// Options with defaults filled in. INVALID_ARGUMENT: a format outside the filter's range.
StatusOr<FrameFilter> deinterlacing(const VideoFormat& format, const v1::DeinterlaceOptions& options);

// Images that bloom's options name.
struct BloomInputs {
  std::shared_ptr<const filters::bloom::GlarePicture> kernel{};  // null: none
  std::shared_ptr<const filters::bloom::GlarePicture> dirt{};

  filters::bloom::BloomPictures pictures() const { return {kernel.get(), dirt.get()}; }
};
// Of the options "bloom.kernel" and "bloom.dirt": their display windows. Errors name the field, below `prefix` ("spec.bloom", "open").
StatusOr<BloomInputs> read_bloom_inputs(const std::vector<OpenInput>& inputs, std::string_view prefix);

// Pictures of that size to be bloomed, which `field` says: "spec.bloom.input".
struct BloomedPictures {
  int width = 0, height = 0;
  std::string_view field;
};
// INVALID_ARGUMENT with a violation of the option that no device could do, or of the pictures. Options with defaults filled in; `prefix`
// as above.
Status check_bloom(const v1::BloomOptions& options, const BloomInputs& inputs,
                   const BloomedPictures& pictures, std::string_view prefix);

// What is to be told when gray pictures are bloomed; empty: nothing. Options that passed check_bloom().
std::string note_of_gray(const v1::BloomOptions& options, const BloomInputs& inputs);

// INVALID_ARGUMENT: a format outside the filter's range, a colour whose codes are not known.
StatusOr<FrameFilter> blooming(const VideoFormat& format, const filters::bloom::VideoColour& colour,
                               const v1::BloomOptions& options, BloomInputs inputs);

// What a bloom's cost depends on beside the frame: "fft 1 1 zero power balanced".
std::string bloom_cost(const v1::BloomOptions& options, const filters::bloom::BloomPictures& pictures);

// "720x480 4:2:0 8 bit".
std::string text_of(const VideoFormat& format);

}  // namespace weft::worker
