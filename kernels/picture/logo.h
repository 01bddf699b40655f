// SPDX-License-Identifier: Apache-2.0
// Defines numbers that the kernels of logos and the host share.
#ifndef KERNELS_PICTURE_LOGO_H
#define KERNELS_PICTURE_LOGO_H

// The word of a unit: the strength of the logo in the top and in the bottom field, in tenths.
#define FADE_WORD(top, bottom) ((top) | (bottom) << 8)
#define FADE_OF_TOP(word) ((word)&255)
#define FADE_OF_BOTTOM(word) ((word) >> 8 & 255)

#define LOGO_FADES 11        // strengths that are measured: 0, 0.1 .. 1
#define LOGO_LEVELS 32       // brightnesses of flat pictures
#define LOGO_WINDOW 5        // side of the window around a point
#define LOGO_TAPS 25         // samples of a window
#define LOGO_SCORE_ONE 4096  // a point's score of 1 in a sum
#define LOGO_POINTS 8        // points of a lane

// The floats of a point: the position of its window in the rectangle, the weights of the window's
// samples, and the scales and the largest scores by brightness.
#define POINT_WEIGHTS 1
#define POINT_SCALES (POINT_WEIGHTS + LOGO_TAPS)
#define POINT_CAPS (POINT_SCALES + LOGO_LEVELS)
#define POINT_FLOATS (POINT_CAPS + LOGO_LEVELS)

#endif  // KERNELS_PICTURE_LOGO_H
