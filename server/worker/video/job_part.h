// SPDX-License-Identifier: Apache-2.0
// The part of its input that a video job works on (VideoJob.from, VideoJob.to), and how it is written down beside segments.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "server/media/media_facts.h"
#include "server/media/read/source/video_part.h"
#include "server/media/write/output_types.h"
#include "weft/internal/v1/segment.pb.h"
#include "weft/v1/video.pb.h"

namespace weft::worker {

// INVALID_ARGUMENT with a violation where the input is known to be shorter. The job is valid.
StatusOr<media::PartBounds> part_of(const v1::VideoJob& job, const media::MediaFacts& facts);
// So many frames the part has, by what is known of the input; 0: unknown.
int64_t estimate_frames(const media::PartBounds& part, const media::VideoFacts& video);
// No frame lies in the part (OUT_OF_RANGE of VideoPart): an option is to blame. Other errors stay.
Status blame_part(const Status& error, const media::PartBounds& part);

void write_start(const media::PartStart& start, internal::v1::InputPart& part);
media::PartStart read_start(const internal::v1::InputPart& part);
void write_piece(const media::NextPiece& next, internal::v1::PieceRecord& piece);
media::PictureLook read_look(const internal::v1::LookRecord& look);
media::SourcePart source_part(const internal::v1::InputPart& part);

}  // namespace weft::worker
