// SPDX-License-Identifier: Apache-2.0
// Defines the records and matches of inverse telecine, for host and kernels.
//
// The steps of a unit share a record of ints in scratch memory. FIELD_PARAMS begins with it. The
// kept field is the field that a match takes from the current frame, except for u and b.
#ifndef KERNELS_TELECINE_IVTC_H
#define KERNELS_TELECINE_IVTC_H

#include "kernels/video/frames.h"

// Matches. p, c and n have the kept field of the current frame and the other field of the previous,
// current or next frame. b and u have the other field of the current frame and the kept field of
// the previous or next frame.
#define MATCH_P 0
#define MATCH_C 1
#define MATCH_N 2
#define MATCH_B 3
#define MATCH_U 4

// Strategies, in the order of v1::IvtcMode.
#define MODE_PC 1
#define MODE_PC_N 2
#define MODE_PC_U 3
#define MODE_PC_N_UB 4
#define MODE_PCN 5
#define MODE_PCN_UB 6

// Selection of the frames that are checked for combing, in the order of v1::IvtcCombMatch.
#define CHECK_NONE 1
#define CHECK_SCENES 2
#define CHECK_ALL 3

// Positions in a record.
#define RECORD_MATCH 0
#define RECORD_COMBED 1  // 1: the score of the match is known and at least combpel
#define RECORD_CHECKS 2  // 1: the frame is checked for combing
#define RECORD_OTHER 3   // the match that the next check compares with RECORD_MATCH; -1: none
#define RECORD_DUE 4     // two: 1 if the score of the match, of the other match is to be computed
#define RECORD_SCORE 6   // by match: its combed score plus 1; 0: not computed
#define RECORD_SUMS 12   // by strip: STRIP_SUMS sums

// A strip is STRIP_ROWS rows of each plane. Sums of a strip have 32 bits.
#define STRIP_ROWS 16
#define STRIP_SUMS 8
#define SUM_NEAR 0   // two: sums of the first and second match where fields differ slightly
#define SUM_FAR 2    // two: where fields differ much, above and below
#define SUM_EDGE 4   // two: where fields differ much, on one side
#define SUM_SCENE 6  // two: differences of luma from the previous and from the next frame

// Common parameters of the kernels with samples.
#define FIELD_PARAMS                                      \
  FRAME_PARAMS                                            \
  Record records;                                         \
  Map maps;        /* bytes of each unit or candidate */  \
  int record_ints; /* ints of a record */                 \
  int map_bytes;   /* from a map to the next */           \
  int field;       /* kept: 0 bottom, 1 top, -1: first */ \
  int shift;       /* bits of a sample beyond 8 */

#define RECORD_AT(unit) ADVANCE(Record, int, p.records, int64_t(unit) * int64_t(p.record_ints))
#define MAP_AT(number, plane)                                                   \
  ADVANCE(Map, uint8_t, p.maps,                                                 \
          int64_t(number) * int64_t(p.map_bytes) +                              \
              (plane > 0 ? int64_t(p.width) * int64_t(p.height) : int64_t(0)) + \
              (plane > 1 ? int64_t(p.chroma_width) * int64_t(p.chroma_height) : int64_t(0)))

// FIELD_FUNCTIONS: the kept field, and the frames of a match by their distance from the current
// frame. In a swapped frame the kept field is the second one in time; p and n, b and u then change
// places in the order of comparisons.
#define FIELD_FUNCTIONS                                                                        \
  FN bool keeps_top(int field, int flags) {                                                    \
    return field < 0 ? (flags & FLAG_BOTTOM_FIRST) == 0 : field == 1;                          \
  }                                                                                            \
  FN bool is_swapped(int field, int flags) {                                                   \
    return keeps_top(field, flags) != ((flags & FLAG_BOTTOM_FIRST) == 0);                      \
  }                                                                                            \
  FN int frame_of_kept(int match) { return match == MATCH_B ? -1 : match == MATCH_U ? 1 : 0; } \
  FN int frame_of_other(int match) { return match == MATCH_P ? -1 : match == MATCH_N ? 1 : 0; }

#endif  // KERNELS_TELECINE_IVTC_H
