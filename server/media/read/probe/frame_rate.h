// SPDX-License-Identifier: Apache-2.0
// How many frames a second a stream has. What a file says may be the rate of fields (Matroska's default duration), or that of players.
#pragma once

#include "server/media/read/probe/first_frames.h"

namespace weft::media {

// What the stream says, unless its index or its first packets' times belie it. `frames`: of the stream, used up. Errors are those of
// reading.
StatusOr<Ratio> believable_rate(Demuxer& demuxer, FirstFrames& frames);

// A rate that was measured, `error` its share that may be wrong: one in use that is as near, or as measured.
Ratio usual_rate(double measured, double error);

}  // namespace weft::media
