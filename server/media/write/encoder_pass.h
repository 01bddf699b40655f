// SPDX-License-Identifier: Apache-2.0
// Describes the two passes of an encoder over a video (EncoderPass): the quality of the first one,
// the level of the second one, and the encoders that can make them.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "server/media/write/output_types.h"

namespace weft::media {

// Returns the quality of the first pass: about that of a video with this bit rate, so that its
// quantisers are near those of the second pass.
double first_pass_crf(int64_t rate, const OutputVideo& video);

// Returns the nearest quality that a first pass may have: a whole number from 10 to 40.
double allowed_first_pass_crf(double crf);

// Returns the level of H.264 or HEVC that the encoder chooses for a segment of this bit rate, as
// its options express it. The segments of a file have one level, that of the highest rate.
StatusOr<int> common_level(const EncoderSettings& settings, const OutputVideo& video, int64_t rate);

// Returns the bytes to reserve for the statistics of `frames` frames.
int64_t estimate_statistics(const OutputVideo& video, int64_t frames);

// Returns INVALID_ARGUMENT with the encoders that can if the encoder cannot make two passes.
Status check_two_passes(std::string_view encoder);

}  // namespace weft::media
