// SPDX-License-Identifier: Apache-2.0
// Determines a stream's frame rate. The rate that a file declares may be its field rate (Matroska's
// default duration), or one for players only.
#pragma once

#include "server/media/read/probe/first_frames.h"

namespace weft::media {

// Returns the declared rate, unless the stream's index or the times of its first packets contradict
// it. Uses `frames`, from which no frame may be read afterwards. Errors are those of reading.
StatusOr<Ratio> believable_rate(Demuxer& demuxer, FirstFrames& frames);

// Returns the usual rate that is equal to the `measured` one within the relative error `error`, or
// else the measured rate.
Ratio usual_rate(double measured, double error);

}  // namespace weft::media
