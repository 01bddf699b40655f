// SPDX-License-Identifier: Apache-2.0
// Sizes as options say them, and places in pictures that have fewer chroma samples.
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
// The same kind of port in another size.
PortFormat resized(PortFormat format, const Size& size);

// "1280x720", each side from 1 to kMaxPictureSide. INVALID_ARGUMENT: it is no size.
StatusOr<Size> parse_size(std::string_view text);
// The same, where one side may be -n: what keeps the aspect ratio of `from`, rounded to the nearest multiple of n (FFmpeg's scale).
StatusOr<Size> parse_size(std::string_view text, const Size& from);

// Where a part of `inner` samples begins in `outer`, which is not smaller: at `wanted`, or, if that is negative, in the middle, rounded down to
// a multiple of `step`. INVALID_ARGUMENT: `wanted` is no multiple (`axis`, "x", and the nearest that is are named), or too far.
StatusOr<int> place_in(int outer, int inner, int wanted, int step, std::string_view axis);

// Columns and rows that a place is a multiple of, so that it splits no chroma sample and, where frames have fields, keeps them.
Size steps_of(const PortFormat& format, bool interlaced);

}  // namespace weft::filters
