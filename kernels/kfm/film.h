// SPDX-License-Identifier: Apache-2.0
// Defines the words of film frames and of outputs for host and kernels of KFM.
#ifndef KERNELS_KFM_FILM_H
#define KERNELS_KFM_FILM_H

// A film frame: the first field, counted from the first field of the unit's frame plus 1 (0 to 2);
// the number of fields (2 to 4); whether bottom fields are first.
#define FILM_WORD(first, fields, bottom_first) ((first) + 1 + (fields)*4 + (bottom_first)*32)
#define FILM_FIRST(word) (((word)&3) - 1)
#define FILM_FIELDS(word) (((word) >> 2) & 7)
#define FILM_BOTTOM_FIRST(word) (((word) >> 5) & 1)

// An output: its source, whether combed parts are replaced by the 60p frame, and whether the 60p
// frame is that of the frame's second field.
#define SOURCE_60P 0
#define SOURCE_30P 1
#define SOURCE_24P 2
#define OUTPUT_WORD(source, is_masked, is_second) ((source) + (is_masked)*4 + (is_second)*8)
#define OUTPUT_SOURCE(word) ((word)&3)
#define OUTPUT_IS_MASKED(word) (((word) >> 2) & 1)
#define OUTPUT_IS_SECOND(word) (((word) >> 3) & 1)

#endif  // KERNELS_KFM_FILM_H
