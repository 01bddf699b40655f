// SPDX-License-Identifier: Apache-2.0
// Determines the part of the input that a video job processes (VideoJob.from, VideoJob.to), and
// converts it to and from the records of segments.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "server/media/media_info.h"
#include "server/media/read/source/video_part.h"
#include "server/media/write/output_types.h"
#include "weft/internal/v1/segment.pb.h"
#include "weft/v1/video.pb.h"

namespace weft::worker {

// Returns the part of a valid job. INVALID_ARGUMENT, with a violation: the input is known to be
// shorter.
StatusOr<media::PartBounds> part_of(const v1::VideoJob& job, const media::MediaInfo& info);
// Returns the number of frames in the part by the input's properties, or 0 if it is unknown.
int64_t estimate_frames(const media::PartBounds& part, const media::VideoInfo& video);
// Attributes OUT_OF_RANGE of VideoPart (no frame lies in the part) to the option at fault. Other
// errors are returned unchanged.
Status blame_part(const Status& error, const media::PartBounds& part);

void write_start(const media::PartStart& start, internal::v1::InputPart& part);
media::PartStart read_start(const internal::v1::InputPart& part);
void write_output_part(const media::NextOutputPart& next, internal::v1::OutputPartRecord& record);
media::PictureFormat read_format(const internal::v1::PictureFormatRecord& format);
media::SourcePart source_part(const internal::v1::InputPart& part);

}  // namespace weft::worker
