// SPDX-License-Identifier: Apache-2.0
// Whether the size of a video's pictures changes, by the headers in its packets, without decoding.
#pragma once

#include <optional>

#include "base/clock.h"
#include "server/media/file.h"

namespace weft::media {

struct LaterSize {
  int width = 0, height = 0;  // of the pictures that follow
  Duration time{0};           // about there, as players show it
};

// Of the video that is taken of `programme`, as probe() has it: the first that is seen within a second or so: in all of a small file, at places all over a large one. Looks at formats that repeat
// the size in the stream (transport and program streams, elementary streams). Nullopt: none is seen. Errors are those of reading.
StatusOr<std::optional<LaterSize>> find_size_change(const InputFilePtr& file, int programme = 0);

}  // namespace weft::media
