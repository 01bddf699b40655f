// SPDX-License-Identifier: Apache-2.0
// Plans the display list of pictures with flags for repeated fields (soft telecine): the fields of
// each output frame, and its time. Pure: no device, no samples.
//
// A picture has two fields, and a third one if it repeats its first field (ISO/IEC 13818-2, 6.3.10,
// repeat_first_field; ITU-T H.264, table D-1, pic_struct). Output frames have a top field that is
// first in time, followed by a bottom field, which is that of the picture:
//   T B      the picture
//   T B T    the picture; the last field waits for a bottom field
//   B T      the top field of the picture before, with the bottom field; the own top field waits
//   B T B    the same, then the picture
//   a frame that is shown 2 or 3 times: the picture, 2 or 3 times
// A waiting top field without a bottom field after it is dropped. A bottom field that is first
// after a picture that leaves no field takes the top field of that picture once more.
//
// A progressive picture without repetition and with top_field_first = false either has its bottom
// field first, or has no order (a progressive sequence). It is B T if a top field waits, and else
// T B.
//
// A field lasts a half of its picture's time, or a third of it if there are three. That time is the
// one to the next picture, but at most four durations; for the last picture it is the duration. The
// time of an output frame is that of its first field; the picture's time is that of its own first
// field. An output frame lasts to the next one, and the last one two fields.
//
// After the start or a discontinuity there is no picture before, and a first bottom field yields no
// frame. Two pictures in sequence yield at least one frame: the second one is then shown as T B.
#pragma once

#include "server/graph/time_rule.h"

namespace weft::filters {

// Returns the time rule of the display list. Times count in sixths of the input's unit. The word of
// a unit is TOP_OF_PREVIOUS (kernels/video/repeat_fields.kernel) if the top field is that of the
// picture before, else 0. Frames of two pictures are flagged as interlaced, others as before; all
// are top field first, without repetition. A unit waits for the next picture, unless the durations
// are exact.
graph::TimeRulePtr by_field_repeats();

}  // namespace weft::filters
