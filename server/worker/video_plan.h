// SPDX-License-Identifier: Apache-2.0
// From a specification and an input's facts to everything that a video job does: checked, with defaults filled in.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "server/filters/filter.h"
#include "server/media/muxer.h"
#include "server/media/probe.h"
#include "server/media/video_encoder.h"
#include "server/media/video_source.h"
#include "weft/v1/job.pb.h"

namespace weft::worker {

struct VideoPlan {
  v1::DeinterlaceJob job;  // defaults filled in
  media::MediaFacts facts;
  media::SourceOptions source;
  media::EncoderSettings encoder;
  media::OutputVideo output;
  media::OutputPlan container;
  filters::Window window;  // frames decoded around a segment
  int segment_frames = 0;  // source frames in a segment

  // Pictures for a source frame, at most.
  int outputs_per_frame() const { return job.deinterlace().rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1; }
  bool writes_file() const { return encoder.encoder != "null"; }
  // What the filter's cost depends on beside the device: "bwdif 720x480 4:2:0 8".
  std::string cost_key() const;
  // What the job's speed depends on beside the device: the cost key, how it is decoded and how encoded.
  std::string pace_key() const;
};

// INVALID_ARGUMENT with a violation for each field that is to blame (options/validate.h), the encoder's and
// container's complaints included. `output_name`: its extension chooses the container and what "auto" stands for.
StatusOr<VideoPlan> plan_video(const v1::JobSpec& spec, const media::MediaFacts& facts,
                               std::string_view output_name);

// A key over all that the output's bytes depend on and that is known before the input is opened: specification,
// output name, the input's size and time of change, the version of Weft. 32 hexadecimal digits.
StatusOr<std::string> key_of(const v1::JobSpec& spec, std::string_view output_name,
                             const media::InputFile& input);

// "mpeg2video 720x480 4:2:0 8 bit 29.97 fps, top field first; 1 audio".
std::string summary_of(const media::MediaFacts& facts);
// "x264 720x480 4:2:0 8 bit 59.94 fps in matroska".
std::string summary_of(const VideoPlan& plan);

}  // namespace weft::worker
