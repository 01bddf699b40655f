// SPDX-License-Identifier: Apache-2.0
// Plans a video job from its specification and the properties of its input, with all checks and
// defaults.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/media_info.h"
#include "server/media/read/source/video_part.h"
#include "server/media/write/output_types.h"
#include "server/media/write/segment_file.h"
#include "server/worker/job/chain.h"
#include "server/worker/job/open_input.h"
#include "server/worker/video/segment_grid.h"
#include "weft/internal/v1/segment.pb.h"
#include "weft/v1/decisions.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

struct VideoPlan {
  Chain chain;
  media::MediaInfo info;
  media::PartBounds part;  // part of the input
  int64_t frames = 0;      // frames in the part; 0: unknown
  media::SourceOptions source;
  media::EncoderSettings encoder;  // with mean_rate of its pass if there are two passes
  media::OutputVideo output;
  bool fails_when_short = false;  // whether an input that ends before its declared end is an error
  media::OutputPlan container;
  media::SegmentHeader header;  // header of the encoder's stream
  media::CopyChoices choices;
  int segment_frames = 0;                     // source frames in a segment
  int64_t most_rate = 0;                      // most bits a second of a segment; 0: unlimited
  std::vector<int64_t> segment_rates;         // bits a second of the second pass, by segment
  std::string first_pass;                     // name of the journal of the first pass
  std::optional<v1::DecisionFile> decisions;  // decisions that replace analyses, if given
  bool writes_decisions = false;              // the output is a file of decisions, not a video
  bool writes_logo = false;                   // the output is the logo of logoscan, not a video
  std::vector<std::string> notes;             // notes for the job's result

  bool writes_file() const { return encoder.encoder != "null"; }
  SegmentGrid grid() const { return {segment_frames, std::max(chain.window.before, 1)}; }
  // Returns true if the current step makes no pictures: an analysis, or the first of two passes.
  bool is_preparing() const { return chain.needs_analysis || encoder.pass.number == 1; }
  // Key of the job's speed on a device: the chain's cost key, decoder and encoder.
  std::string pace_key() const;
};

// Plans the job. INVALID_ARGUMENT, with a violation for each field at fault (options/validate.h),
// including errors of the encoder and the container. The extension of `output_name` chooses the
// container and the meaning of "auto".
StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaInfo& info,
                               std::string_view output_name, ChainInputs option_files = {});

// Adapts the output's nominal rate, and the settings of the encoder that depend on it, to durations
// that the decisions of the chain's analyses vary. Errors are those of plan_video() for the output.
Status follow_decisions(VideoPlan& plan);

// Reads the whole input to find streams that begin late, if the job refuses unsupported streams;
// errors are those of plan_video(). The job thus fails before work is done. For a part of the input
// the check is omitted; the end of the job reports such streams.
Status refuse_late_streams(const VideoPlan& plan, const media::InputFilePtr& input,
                           std::string_view output_name);

// Returns the logo file that the analyses of the chain's logoscan have made, or null.
const std::vector<std::byte>* logo_of(const Chain& chain);

// Returns INVALID_ARGUMENT, with a violation, if the job's decisions were made for another input.
Status check_decisions(const VideoPlan& plan, const internal::v1::InputState& input, const v1::VideoJob& job);

// Capacity of the queues between two stages: it evens out variations of their speed with limited
// memory.
inline constexpr size_t kQueueBytes = size_t{128} << 20;
inline size_t queue_capacity(const VideoFormat& format) {
  return std::clamp<size_t>(kQueueBytes / std::max<size_t>(format.packed_bytes(), 1), 2, 32);
}

// The queues of a job's further lanes are shorter by this factor.
inline constexpr size_t kFurtherLaneQueues = 4;

// Returns the number of pictures outside the pipeline: those that wait for the encoder, and one in
// each neighbouring stage.
inline constexpr int kPicturesInHands = 2;
inline int pictures_held(const VideoFormat& format) { return int(queue_capacity(format)) + kPicturesInHands; }

// Returns the number of NVDEC's frames that stay on the device with queues of this capacity.
// Outside of the queues, one frame is decoded, one is pushed and one is popped.
constexpr size_t frames_kept(size_t capacity) {
  constexpr size_t kFramesInHands = 3;
  return capacity + media::kSeenFrames + graph::Pipeline::kMostLent + kFramesInHands;
}

// Converts the chroma location. FFmpeg counts locations from 1, H.273 from 0.
graph::ChromaSiting chroma_siting_of(const media::VideoInfo& video);

// Returns, for example, "mpeg2video 720x480 4:2:0 8 bit 29.97 fps, top field first; 1 audio".
std::string summary_of(const media::MediaInfo& info);
// Returns, for example, "x264 720x480 4:2:0 8 bit 59.94 fps in matroska"; the scan order is
// appended if the pictures are interlaced.
std::string summary_of(const VideoPlan& plan);

// Returns true for a file with a video stream that can be decoded.
bool is_video(const OpenJobFile& input);

// Estimates the job from the input's first frames. Errors name the field at fault.
StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

}  // namespace weft::worker
