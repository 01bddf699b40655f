// SPDX-License-Identifier: Apache-2.0
// From a specification and an input's facts to everything that a video job does: checked, with defaults filled in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/media/media_facts.h"
#include "server/media/read/source/video_part.h"
#include "server/media/write/output_types.h"
#include "server/media/write/segment_file.h"
#include "server/worker/job/chain.h"
#include "server/worker/job/open_input.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

struct VideoPlan {
  Chain chain;
  media::MediaFacts facts;
  media::PartBounds part;  // of the input
  int64_t frames = 0;      // in it, as far as is known; 0: unknown
  media::SourceOptions source;
  media::EncoderSettings encoder;
  media::OutputVideo output;
  bool fails_when_short = false;  // the input ends before its container says
  media::OutputPlan container;
  media::SegmentHeader header;  // of the encoder's stream
  media::CopyChoices choices;
  int segment_frames = 0;          // source frames in a segment
  std::vector<std::string> notes;  // what a careful user should know

  bool writes_file() const { return encoder.encoder != "null"; }
  // What the job's speed depends on beside the device: the chain's cost key, how it is decoded and how encoded.
  std::string pace_key() const;
};

// INVALID_ARGUMENT with a violation for each field that is to blame (options/validate.h), the encoder's and
// container's complaints included. `output_name`: its extension chooses the container and what "auto" stands for.
StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaFacts& facts,
                               std::string_view output_name, ChainInputs option_files = {});

// Errors as plan_video's where a stream that begins late is to refuse the job: reads the whole input then, before work is spent on
// it. Of a part of the input, finishing tells.
Status refuse_late_streams(const VideoPlan& plan, const media::InputFilePtr& input,
                           std::string_view output_name);

// Frames that wait between two stages: enough to even out their moods, not more memory than this.
inline constexpr size_t kQueueBytes = size_t{128} << 20;
inline size_t queue_capacity(const VideoFormat& format) {
  return std::clamp<size_t>(kQueueBytes / std::max<size_t>(format.packed_bytes(), 1), 2, 32);
}

// Of the pictures' format: those that wait for the encoder, and one in each neighbour's hands.
inline int pictures_held(const VideoFormat& format) { return int(queue_capacity(format)) + 2; }

// FFmpeg numbers chroma locations from 1 on, H.273 from 0.
graph::ChromaSite chroma_site_of(const media::VideoFacts& video);

// "mpeg2video 720x480 4:2:0 8 bit 29.97 fps, top field first; 1 audio".
std::string summary_of(const media::MediaFacts& facts);
// "x264 720x480 4:2:0 8 bit 59.94 fps in matroska"; interlaced pictures are said to be so.
std::string summary_of(const VideoPlan& plan);

// What the job will read and write, by the input's first frames. Errors name the field that is to blame.
StatusOr<v1::JobEstimate> estimate_video(const v1::JobSpec& spec, const std::vector<OpenJobFile>& inputs);

}  // namespace weft::worker
