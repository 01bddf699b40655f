// SPDX-License-Identifier: Apache-2.0
// The streams, chapters and metadata of the output, described after the segments and the source.
#pragma once

#include "server/media/read/demuxer.h"
#include "server/media/write/container.h"
#include "server/media/write/copied_part.h"
#include "server/media/write/video_track.h"

namespace weft::media {

struct FreeOutputContext {
  void operator()(AVFormatContext* context) const { avformat_free_context(context); }
};
using OutputPtr = std::unique_ptr<AVFormatContext, FreeOutputContext>;

// Each adds to the output; RESOURCE_EXHAUSTED when memory is short.
Status add_video_stream(AVFormatContext& output, const VideoTrack& track, const AVStream& source,
                        const CopiedPart& part);
Status add_copied_stream(AVFormatContext& output, const AVStream& source);
// Sound of the source that `encoder` encodes anew.
Status add_encoded_sound(AVFormatContext& output, const AVStream& source, const AVCodecContext& encoder);
Status copy_chapters(AVFormatContext& output, const AVFormatContext& source, const CopiedPart& part);
void copy_metadata(AVFormatContext& output, const AVFormatContext& source, const CopiedPart& part);

}  // namespace weft::media
