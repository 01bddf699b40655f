// SPDX-License-Identifier: Apache-2.0
// Encodes frames to packets, one segment at a time. Each segment has its own encoder. It therefore
// begins with a keyframe and has no references to other segments, and equal frames and settings
// give equal bytes.
//
//   RETURN_IF_ERROR(check_encoder(settings, video));              // at submit
//   ASSIGN_OR_RETURN(auto encoder, VideoEncoder::open(settings, video));
//   ASSIGN_OR_RETURN(auto segment, SegmentWriter::create(file, encoder->header(0, 0)));
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

// Bits of a first pass at its quantisers.
struct PassBits {
  int64_t texture = 0;  // transform coefficients
  int64_t motion = 0;   // motion vectors
  int64_t other = 0;    // independent of the quantiser
};

// Opens the encoder and closes it again. INVALID_ARGUMENT with the option, value or format that the
// encoder does not accept, and a suggestion; UNAVAILABLE if the encoder is missing;
// RESOURCE_EXHAUSTED if a GPU refuses a further session of its encoder (encoder_session.h).
Status check_encoder(const EncoderSettings& settings, const OutputVideo& video);
// Checks the encoder like check_encoder() and returns the header of its segments. The header is
// empty if a GPU refuses a session: running jobs may have all of them.
StatusOr<SegmentHeader> encoder_header(const EncoderSettings& settings, const OutputVideo& video);

// Returns a sentence about the conversion of a chroma layout that the encoder does not accept
// (widen.h), or an empty string if nothing is converted.
std::string widening_note(std::string_view encoder, const OutputVideo& video);

// Returns true if the encoder writes closed captions into its stream.
bool carries_captions(std::string_view encoder);

// Returns true if the rate control of the encoder counts the time that frames are shown. Others
// count frames at the nominal rate.
bool reads_times(std::string_view encoder);

// Returns the bytes to reserve for `frames` frames: exact for raw, a high estimate for other
// encoders.
int64_t estimate_bytes(const EncoderSettings& settings, const OutputVideo& video, int64_t frames);

// Returns an estimate of the encoder's memory in bytes, from measurements.
int64_t estimate_encoder_memory(const EncoderSettings& settings, const OutputVideo& video);

// Returns the number of sessions of a GPU's encoder that the encoder of a segment has open.
int encoder_sessions(const EncoderSettings& settings);
// Returns the number of processors that a software encoder can keep busy: its threads.
int encoder_processors(const EncoderSettings& settings);

// Encodes one segment. Not thread-safe.
class VideoEncoder {
 public:
  // Opens an encoder. Errors are those of check_encoder().
  static StatusOr<std::unique_ptr<VideoEncoder>> open(const EncoderSettings& settings,
                                                      const OutputVideo& video);
  virtual ~VideoEncoder() = default;

  // Returns the header of the segment's file. `first_frame` is the index of the segment's first
  // output frame in the job.
  virtual SegmentHeader header(int64_t segment, int64_t first_frame) const = 0;

  // Encodes a picture of the format given to open() and adds finished packets to `writer`. `pts`
  // must increase, and `duration` must be at least 1, both in time_base. The picture is not used
  // after the call.
  virtual Status send(const PictureView& picture, int64_t pts, int64_t duration, SegmentWriter& writer) = 0;
  // Sets the closed captions of the next picture (SourceFrame::captions). An encoder that carries
  // no captions drops them.
  virtual void set_captions(std::string captions) = 0;
  // Adds the remaining packets to `writer`. Nothing may be sent afterwards. INTERNAL if the number
  // of packets differs from the number of frames. A first of two passes adds empty packets, except
  // that the last one holds the statistics (EncoderPass::statistics).
  virtual Status flush(SegmentWriter& writer) = 0;
  // Returns the bits of a first pass after flush(), and of any other encoder 0.
  virtual PassBits pass_bits() const = 0;
};

}  // namespace weft::media
