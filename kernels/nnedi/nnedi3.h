// SPDX-License-Identifier: Apache-2.0
// Defines sizes and addresses for the kernels that run a user's NNEDI3 weights. Frames are upright,
// whichever field is kept. A field is mirrored past its ends without repeating the last sample. The
// missing row y of the map is row 2y + 1 - kept of the frame, between rows `below` - 1 and `below`
// of the field.
#ifndef KERNELS_NNEDI_NNEDI3_H
#define KERNELS_NNEDI_NNEDI3_H

#define MOST_WINDOW_X 48
#define MOST_WINDOW_Y 6
#define NEURONS_AT_ONCE 4  // each has two filters: softmax and elliott
#define FILTERS_AT_ONCE (2 * NEURONS_AT_ONCE)
#define TAPS_AT_ONCE 8

#define SCREEN_NONE 0  // every sample is hard
#define SCREEN_OLD 1
#define SCREEN_NEW 2
#define SCREEN_UNITS 4  // per layer
#define SCREEN_ROWS 4
#define OLD_COLUMNS 12
#define NEW_COLUMNS 16
#define NEW_LEFT 6
#define OLD_LEFT 5
// Counts and offsets of weights, in floats. Each layer stores the taps and the bias of each unit.
#define OLD_TAPS (OLD_COLUMNS * SCREEN_ROWS)
#define NEW_TAPS (NEW_COLUMNS * SCREEN_ROWS)
#define OLD_SECOND (SCREEN_UNITS * (OLD_TAPS + 1))
#define OLD_THIRD (OLD_SECOND + SCREEN_UNITS * (SCREEN_UNITS + 1))
#define OLD_FLOATS (OLD_THIRD + SCREEN_UNITS * (2 * SCREEN_UNITS + 1))
#define NEW_SECOND (SCREEN_UNITS * (NEW_TAPS + 1))
#define NEW_FLOATS (NEW_SECOND + SCREEN_UNITS * (SCREEN_UNITS + 1))

#define FIELD_OF_BLOCK                                    \
  PICTURE_OF_BLOCK;                                       \
  const int to = TARGET_SLOT(entry, p.target);            \
  const int field_rows = (height - max(kept, 0) + 1) / 2; \
  const int below = y_begin + 1 - max(kept, 0) /* for the tile's first row */

#define NNEDI3_FUNCTIONS                                                  \
  FN int mirrored(int at, int count) {                                    \
    const int inside = at < 0 ? -at : at;                                 \
    const int back = inside >= count ? 2 * (count - 1) - inside : inside; \
    return clamp(back, 0, count - 1);                                     \
  }                                                                       \
  FN float elliott(float x) { return x / (1.0f + abs(x)); }

#endif  // KERNELS_NNEDI_NNEDI3_H
