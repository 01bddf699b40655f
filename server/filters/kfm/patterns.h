// SPDX-License-Identifier: Apache-2.0
// Defines the telecine patterns of KFM: the lengths, in fields, of the film frames of a cycle.
//
// A cycle has 5 frames or 10 fields, made from 4 film frames or from 5 frames of 30p. Each pattern
// is a sequence of lengths that repeats, with a shift. It is matched in a window of 14 fields that
// begins 2 fields before the cycle. Fields are counted from the first field of the cycle in time;
// a film frame may begin in the cycle before. Pure functions.
#pragma once

namespace weft::filters::kfm {

inline constexpr int kCycleFrames = 5;
inline constexpr int kCycleFields = 10;
inline constexpr int kFilmFrames = 4;  // film frames per cycle
inline constexpr int kWindowFields = 14;
inline constexpr int kWindowBefore = 2;  // fields of the window before the cycle

// Patterns 0 to 4 have the lengths 2:3:2:3, 5 to 14 the lengths 2:2:3:3, 15 to 19 the lengths
// 4:2:2:2, and the last pattern is that of 30p, with all lengths 2.
inline constexpr int kPatterns = 21;
inline constexpr int kPattern4222 = 15;
inline constexpr int kPattern30p = 20;

// The consecutive fields of a film frame.
struct FilmFrame {
  int first_field;  // -1 to 9
  int fields;       // 2 to 4
};

// Returns whether a field of the window, 0 to 13, is the last one of its film frame.
bool ends_film_frame(int pattern, int window_field);
// Returns a film frame of the cycle, `index` 0 to 3. The middle one of the five frames of 30p is
// left out.
FilmFrame film_frame(int pattern, int index);
// Returns the number, counted from the first film frame of the cycle, of the film frame that is
// displayed at a field of the cycle, 0 to 9: -1 for the last film frame of the cycle before, and up
// to 4. The first two film frames of the lengths 4:2:2:2 give their last field to the next one, for
// an even cadence.
int displayed_frame(int pattern, int field);

}  // namespace weft::filters::kfm
