// SPDX-License-Identifier: Apache-2.0
// Reads the sizes in options, and computes positions that respect chroma subsampling.
#pragma once

#include <string_view>

#include "base/status.h"
#include "server/filters/engine.h"
#include "server/graph/port.h"

namespace weft::filters {

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

Size size_of(const PortFormat& format);
// Returns `format` with another size.
PortFormat resized(PortFormat format, const Size& size);

// Reads a size such as "1280x720", with each side from 1 to kMaxPictureSide. INVALID_ARGUMENT: the
// text is not such a size.
StatusOr<Size> parse_size(std::string_view text);
// Reads a size with -n allowed for one side, as in FFmpeg's scale: that side follows from the other
// one and the aspect ratio of `from`, rounded to the nearest multiple of n.
StatusOr<Size> parse_size(std::string_view text, const Size& from);

// Returns the offset of a part of `inner` samples in a side of `outer` samples, `outer` >= `inner`.
// The offset is `wanted`; if `wanted` is negative, the part is centred, with its offset rounded
// down to a multiple of `step`. INVALID_ARGUMENT: `wanted` is too large or is not a multiple of
// `step`; the message contains `axis` ("x") and the nearest multiples.
StatusOr<int> place_in(int outer, int inner, int wanted, int step, std::string_view axis);

// Returns the step of a position in columns and rows. A position in multiples of the step splits no
// chroma sample and, for interlaced frames, keeps the order of the fields.
Size steps_of(const PortFormat& format, bool interlaced);

}  // namespace weft::filters
