// SPDX-License-Identifier: Apache-2.0
// Counts frames by their packets, without decoding. In a file without damage each packet is a frame
// that is shown at the packet's time. So the number of a frame is the rank of its time among the
// times of all packets.
#pragma once

#include <optional>

#include "server/media/read/source/video_source.h"

namespace weft::media {

// Returns the result of VideoSource::frame_times() for the video that `options` and `video` select.
StatusOr<std::optional<FrameTimes>> read_frame_times(const InputFilePtr& file, const SourceOptions& options,
                                                     const VideoInfo& video, const FrameLimit& limit);

}  // namespace weft::media
