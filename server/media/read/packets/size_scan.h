// SPDX-License-Identifier: Apache-2.0
// Detects a change of a video's picture size from the headers in its packets, without decoding.
#pragma once

#include <optional>

#include "base/clock.h"
#include "server/media/file.h"

namespace weft::media {

struct LaterSize {
  int width = 0, height = 0;  // pixels after the change
  Duration time{0};           // approximate time of the change, as players show it
};

// Returns the first change of size in the video of `programme` (as chosen by probe()), or nullopt
// if none is found. The time is exact to about a second. Reads a small file completely and samples
// a large one at regular points. Only formats that repeat the size in the stream are examined
// (transport, program and elementary streams). Errors are those of reading.
StatusOr<std::optional<LaterSize>> find_size_change(const InputFilePtr& file, int programme = 0);

}  // namespace weft::media
