// SPDX-License-Identifier: Apache-2.0
// Defines the strips of the bwdif kernels: the strip of a lane, and the rows outside all strips. A
// lane walks down a strip, a word of samples wide, and keeps the rows that it reuses in registers.
// Kernel files include this file once, after bwdif_rows.h; so it has no guard. It needs
// WORD_SAMPLES, and in Params `border`, the bytes per sample, and `strip`, the rows of a strip, an
// even number.

#define ROWS_AROUND 4   // rows above and below that the filter reads
#define BORDER_ROWS 10  // maximum number of rows outside all strips: five above and five below

// Returns the number of strips of a plane. Rows near the borders, and remaining rows, are processed
// one by one.
FN int strips_of(int height, int strip) { return (max(height - 8, 0) + strip - 1) / strip; }

// Declares the strip of a lane, in steps of stride_words: rows y_begin to y_end of the words
// `previous`, `now`, `next`; and the outputs: `first` and, if has_second, `second_picture`. Row
// y_begin is missing in the first frame. Lanes of rows near the borders, and of frames that are
// copied or interpolated from one field, complete their work here and return. Strips come first,
// then rows near the borders, with a lane for each word. Strips begin at a row missing in the first
// frame and have whole pairs of rows. The arrays raw_... are indexed by row, modulo 4.
#define STRIP_LANE                                                                                        \
  const int luma_words = (p.width + WORD_SAMPLES - 1) / WORD_SAMPLES;                                     \
  const int chroma_words = (p.chroma_width + WORD_SAMPLES - 1) / WORD_SAMPLES;                            \
  const int luma_strips = strips_of(p.height, p.strip);                                                   \
  const int chroma_strips = strips_of(p.chroma_height, p.strip);                                          \
  const int luma_lanes = luma_words * (luma_strips + BORDER_ROWS);                                        \
  const int chroma_lanes = chroma_words * (chroma_strips + BORDER_ROWS);                                  \
  const int lane = GLOBAL_X;                                                                              \
  if (lane >= luma_lanes + (p.planes - 1) * chroma_lanes) return;                                         \
  const int plane = lane < luma_lanes ? 0 : lane < luma_lanes + chroma_lanes ? 1 : 2;                     \
  const int lane_in_plane = plane == 0 ? lane : lane - luma_lanes - (plane - 1) * chroma_lanes;           \
  const int words = plane == 0 ? luma_words : chroma_words;                                               \
  const int strips = plane == 0 ? luma_strips : chroma_strips;                                            \
  const int strip = lane_in_plane / words;                                                                \
  const int word = lane_in_plane - strip * words;                                                         \
                                                                                                          \
  const int width = plane == 0 ? p.width : p.chroma_width;                                                \
  const int height = plane == 0 ? p.height : p.chroma_height;                                             \
  const int stride = plane == 0 ? p.stride : p.chroma_stride;                                             \
  const int plane_offset = plane == 0 ? 0 : plane == 1 ? p.plane_1 : p.plane_2;                           \
  const int entry = GLOBAL_Z * p.row;                                                                     \
  const int flags = p.table.v[entry + ROW_FLAGS];                                                         \
  const int slot_first = TARGET_SLOT(entry, 0);                                                           \
  const int slot_second = TARGET_SLOT(entry, 1);                                                          \
  Neighbours n;                                                                                           \
  n.previous = plane_at(p.arena, FRAME_SLOT(entry, -1), p.slot_samples, plane_offset);                    \
  n.current = plane_at(p.arena, FRAME_SLOT(entry, 0), p.slot_samples, plane_offset);                      \
  n.next = plane_at(p.arena, FRAME_SLOT(entry, 1), p.slot_samples, plane_offset);                         \
  n.stride = stride;                                                                                      \
  n.height = height;                                                                                      \
  n.border = p.border;                                                                                    \
  n.maximum = p.maximum;                                                                                  \
  Plane first_plane = plane_at(p.arena, slot_first, p.slot_samples, plane_offset);                        \
  Plane second_plane = plane_at(p.arena, max(slot_second, 0), p.slot_samples, plane_offset);              \
                                                                                                          \
  const int inner_begin = min(4 + ((flags & FLAG_BOTTOM_FIRST) != 0 ? 0 : 1), height);                    \
  const int inner_end = inner_begin + max(height - 4 - inner_begin, 0) / 2 * 2;                           \
  const bool is_border = strip >= strips;                                                                 \
  const int y_begin = inner_begin + strip * p.strip;                                                      \
  const int y_end = min(y_begin + p.strip, inner_end);                                                    \
  if (is_border || (flags & (FLAG_COPY | FLAG_SPATIAL_FIRST | FLAG_SPATIAL_SECOND)) != 0) {               \
    const int number = strip - strips;                                                                    \
    const int border_row = number < inner_begin ? number : inner_end + number - inner_begin;              \
    const int begin = is_border ? border_row : y_begin;                                                   \
    const int end = is_border ? min(border_row + 1, height) : y_end;                                      \
    const int x_begin = WORD_SAMPLES * word;                                                              \
    const int x_end = min(x_begin + WORD_SAMPLES, width);                                                 \
    for (int y = begin; y < end; y++) {                                                                   \
      picture_row(row_of(first_plane, y, stride), n, y, 0, flags, x_begin, x_end);                        \
      if (slot_second >= 0) picture_row(row_of(second_plane, y, stride), n, y, 1, flags, x_begin, x_end); \
    }                                                                                                     \
    return;                                                                                               \
  }                                                                                                       \
                                                                                                          \
  Words previous = VIEW(Words, uint, n.previous);                                                         \
  Words now = VIEW(Words, uint, n.current);                                                               \
  Words next = VIEW(Words, uint, n.next);                                                                 \
  Words first = VIEW(Words, uint, first_plane);                                                           \
  Words second_picture = VIEW(Words, uint, second_plane);                                                 \
  const int stride_words = stride / WORD_SAMPLES;                                                         \
  const bool has_second = slot_second >= 0;                                                               \
  int arriving = (y_begin - ROWS_AROUND) * stride_words + word;                                           \
  const int last_arriving = (height - 1) * stride_words + word;                                           \
  int leaving = y_begin * stride_words + word;                                                            \
  uint raw_previous[4], raw_current[4], raw_next[4]

// Loads the words of the next row of the three frames. Past the plane's end the last row is
// repeated.
#define LOAD(i)                               \
  raw_previous[(i)&3] = previous.v[arriving]; \
  raw_current[(i)&3] = now.v[arriving];       \
  raw_next[(i)&3] = next.v[arriving];         \
  arriving = min(arriving + stride_words, last_arriving)
