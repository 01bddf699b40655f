// SPDX-License-Identifier: Apache-2.0
// Defines the words of film frames and of outputs for host and kernels of KFM.
#ifndef KERNELS_TELECINE_FILM_H
#define KERNELS_TELECINE_FILM_H

// A film frame: the first field to weave, counted from the first field of the unit's frame plus 1
// (0 to 5); the number of fields to weave (2 to 4); whether bottom fields are first; the number of
// fields with combs that count for its mask.
#define FILM_WORD(first, fields, bottom_first, combs) \
  ((first) + 1 + (fields)*8 + (bottom_first)*64 + (combs)*128)
#define FILM_FIRST(word) (((word)&7) - 1)
#define FILM_FIELDS(word) (((word) >> 3) & 7)
#define FILM_BOTTOM_FIRST(word) (((word) >> 6) & 1)
#define FILM_COMBS(word) (((word) >> 7) & 7)

// An output: its source, whether combed parts are replaced by the 60p frame, and whether the 60p
// frame is that of the frame's second field. A 60p frame may be replaced by one that is made from
// earlier or later fields alone; its mask may be that of a film frame.
#define SOURCE_60P 0
#define SOURCE_30P 1
#define SOURCE_24P 2
#define SOURCE_BEFORE 3
#define SOURCE_AFTER 4
#define OUTPUT_WORD(source, is_masked, is_second, masks_film) \
  ((source) + (is_masked)*8 + (is_second)*16 + (masks_film)*32)
#define OUTPUT_SOURCE(word) ((word)&7)
#define OUTPUT_IS_MASKED(word) (((word) >> 3) & 1)
#define OUTPUT_IS_SECOND(word) (((word) >> 4) & 1)
#define OUTPUT_MASKS_FILM(word) (((word) >> 5) & 1)

#endif  // KERNELS_TELECINE_FILM_H
