// SPDX-License-Identifier: Apache-2.0
// Frames to packets, a segment at a time. Each segment has an encoder of its own, so that it begins with a
// keyframe that nothing before or after refers across, and so that the same frames and settings always give
// the same bytes.
//
//   RETURN_IF_ERROR(check_encoder(settings, video));              // at submit
//   ASSIGN_OR_RETURN(auto encoder, VideoEncoder::open(settings, video));
//   ASSIGN_OR_RETURN(auto segment, SegmentWriter::create(place, encoder->header(index, first_frame)));
//   RETURN_IF_ERROR(encoder->send(picture, pts, duration, *segment)); ...
//   RETURN_IF_ERROR(encoder->flush(*segment));
//   RETURN_IF_ERROR(segment->finish(checkpoint_bytes));
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/media/frame_hash.h"
#include "server/media/write/output_types.h"
#include "server/media/write/segment_file.h"

namespace weft::media {

// INVALID_ARGUMENT naming the option, value or format that the encoder does not take, with a suggestion;
// UNAVAILABLE when the encoder is not there; RESOURCE_EXHAUSTED when all of a GPU's encoder sessions are
// taken. Opens the encoder and closes it again.
Status check_encoder(const EncoderSettings& settings, const OutputVideo& video);
// The same, and what the encoder's segments begin with.
StatusOr<SegmentHeader> encoder_header(const EncoderSettings& settings, const OutputVideo& video);

// What becomes of chroma in a layout that the encoder does not take (widen.h), as a sentence; "" where it stays as it is.
std::string widening_note(std::string_view encoder, const OutputVideo& video);

// Whether closed captions go into the stream that the encoder gives.
bool carries_captions(std::string_view encoder);

// Bytes that `frames` frames will take, to reserve space: exact for raw, generous else.
int64_t estimate_bytes(const EncoderSettings& settings, const OutputVideo& video, int64_t frames);

// Memory that the encoder takes, by what was measured of it.
int64_t estimate_encoder_memory(const EncoderSettings& settings, const OutputVideo& video);

// One segment. Used by one thread at a time.
class VideoEncoder {
 public:
  // Errors as check_encoder's.
  static StatusOr<std::unique_ptr<VideoEncoder>> open(const EncoderSettings& settings,
                                                      const OutputVideo& video);
  virtual ~VideoEncoder() = default;

  // What the segment's file begins with. `first_frame`: index of its first output frame in the whole job.
  virtual SegmentHeader header(int64_t segment, int64_t first_frame) const = 0;

  // Encodes a picture of the format given to open() and hands the packets that are ready to `writer`. pts
  // strictly rising, duration at least 1, both in time_base. The picture is not kept after the call.
  virtual Status send(const PictureView& picture, int64_t pts, int64_t duration, SegmentWriter& writer) = 0;
  // Closed captions of the picture that is sent next (SourceFrame::captions); dropped where the encoder carries none.
  virtual void set_captions(std::string captions) = 0;
  // The rest. Afterwards nothing may be sent. INTERNAL if the encoder gave another number of packets than it
  // took frames.
  virtual Status flush(SegmentWriter& writer) = 0;
};

}  // namespace weft::media
