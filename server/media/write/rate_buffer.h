// SPDX-License-Identifier: Apache-2.0
// Limits the bits of a video made of segments by the buffer of its decoder: the options maxrate
// (rate R) and bufsize (size B).
//
// A decoder's buffer receives R bits a second until it is full, and loses the bits of a frame when
// the frame is decoded (ITU-T H.264, annex C). It must never run empty. Each segment has an encoder
// of its own, which models a smaller buffer: of B - F bits, filled with F bits at the start, and
// with R' = R - F / T bits a second. T is the least duration of a segment that another one follows.
//
// If no segment empties its own buffer, the whole video does not empty the decoder's, which starts
// with F bits. By induction, the decoder's buffer has at least F bits at the start of each segment:
// - Within the segment it is never emptier than the segment's own buffer, because it starts no
//   emptier, loses the same bits, fills no slower and is no smaller.
// - If it is never full, a segment of t >= T seconds takes at most F + R' t <= R t bits, which the
//   buffer receives meanwhile.
// - If it is full for the last time at s seconds before the end, the segment takes at most
//   B - F + R' s bits from then on, and at most B - F more than the buffer receives.
//
// The times are those of the frames if the encoder reads them (EncoderEntry::reads_times). Another
// encoder has a clock of its own, in which each frame takes the mean duration. It gets R' reduced
// by the ratio of the shortest duration to that, so that its clock gives no frame more bits than
// the decoder's buffer receives.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/status.h"
#include "server/media/write/output_types.h"

namespace weft::media {

class Dictionary;
struct EncoderEntry;

// The buffer that the encoder of one segment models.
struct RateBuffer {
  int64_t rate = 0;       // R', bits a second
  int64_t size = 0;       // B - F, bits
  int64_t start = 0;      // F, bits
  int64_t reduction = 0;  // R - R', bits a second
};

// The start F is at most this part of B, and reduces the rate by at most this part of R.
inline constexpr int64_t kStartOfBuffer = 3, kReductionOfRate = 8;

// Returns the buffer of each segment. `rate` is in bits a second, `size` in bits. F is a third of
// B, but at most an eighth of the bits that R gives in T. INVALID_ARGUMENT with the least size, or
// the least number of frames in a segment: F holds less than two frames of the mean size, so that
// the first frame of a segment would not fit.
StatusOr<RateBuffer> segment_buffer(int64_t rate, int64_t size, double segment_seconds, Ratio frame_rate);

// Returns the buffer by the options maxrate and bufsize, or nullopt if neither is given or the
// encoder's buffer is not divided (EncoderEntry::has_rate_buffer). INVALID_ARGUMENT: one of them is
// missing or is no number, or an error of segment_buffer().
StatusOr<std::optional<RateBuffer>> rate_buffer_of(const EncoderSettings& settings, const OutputVideo& video);

// Returns a sentence if the rate of the segments is considerably lower than maxrate, or an empty
// string.
std::string rate_buffer_note(const RateBuffer& buffer);

// Replaces maxrate and bufsize among the options for FFmpeg by those of a segment.
Status set_rate_buffer(const EncoderEntry& entry, const EncoderSettings& settings, const OutputVideo& video,
                       Dictionary& options);

}  // namespace weft::media
