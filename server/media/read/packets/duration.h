// SPDX-License-Identifier: Apache-2.0
// How long a transport or program stream is whose clock jumps in between: files put one behind another, a recording that was
// interrupted. FFmpeg gives the difference of the last and the first time, which is too much there or too little.
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// `given` unless the file's size or times inside of it belie it; then an estimate. The demuxer is used up; `packet` is scratch.
// DATA_LOSS when the disk fails.
StatusOr<Duration> believable_duration(Demuxer& demuxer, AVPacket& packet, Duration given);

}  // namespace weft::media
