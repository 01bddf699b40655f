// SPDX-License-Identifier: Apache-2.0
// Adds streams, chapters and metadata to the output, as described by the segments and the source.
#pragma once

#include "server/media/read/packets/demuxer.h"
#include "server/media/write/container.h"
#include "server/media/write/copied_part.h"
#include "server/media/write/video_track.h"

namespace weft::media {

struct FreeOutputContext {
  void operator()(AVFormatContext* context) const { avformat_free_context(context); }
};
using OutputPtr = std::unique_ptr<AVFormatContext, FreeOutputContext>;

// Each function adds to `output`. RESOURCE_EXHAUSTED without memory.
Status add_video_stream(AVFormatContext& output, const ContainerEntry& container, const SegmentHeader& header,
                        int64_t reorder_frames, const AVStream& source, const CopiedPart& part);
Status add_copied_stream(AVFormatContext& output, const ContainerEntry& container, const AVStream& source);
// Adds a stream of the source's audio that `encoder` encodes.
Status add_encoded_audio(AVFormatContext& output, const ContainerEntry& container, const AVStream& source,
                         const AVCodecContext& encoder);
Status copy_chapters(AVFormatContext& output, const AVFormatContext& source, const CopiedPart& part);
// `video` describes the output's video.
void copy_metadata(AVFormatContext& output, const ContainerEntry& container, const AVFormatContext& source,
                   const SegmentHeader& video, const CopiedPart& part);

}  // namespace weft::media
