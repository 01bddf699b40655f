// SPDX-License-Identifier: Apache-2.0
// Estimates the duration of a transport or program stream with jumps of its clock, such as
// concatenated files or an interrupted recording. FFmpeg subtracts the first time from the last
// one, which is wrong for such streams.
#pragma once

#include "base/clock.h"
#include "base/status.h"
#include "server/media/read/packets/demuxer.h"

namespace weft::media {

// Returns `given`, or an estimate if `given` contradicts the file's size or the times in the file.
// Moves the demuxer, so it cannot be read on; overwrites `packet`. DATA_LOSS on an error of the
// disk.
StatusOr<Duration> believable_duration(Demuxer& demuxer, AVPacket& packet, Duration given);

}  // namespace weft::media
