// SPDX-License-Identifier: Apache-2.0
// Searches for the encoding of a block of BC1 and of a channel of BC4. Included between KERNEL_FILE
// and KERNEL_FILE_END, after fit.h.

#include "kernels/texture/bc1_block.h"

TABLE(int, kColourPasses, 3) = {1, 2, 3};  // passes of least squares
TABLE(int, kColourSweeps, 3) = {0, 1, 3};  // sweeps of small endpoint changes
TABLE(int, kReach, 3) = {0, 2, 5};         // maximum inward shift of a channel's endpoints

// Changes one channel of one endpoint by a step. Returns false if the channel is at its limit.
#define COLOUR_MOVES 12
FN bool move_end(int move, INOUT(uint) first, INOUT(uint) second) {
  const int channel = (move >> 1) % 3;
  uint end = move < 6 ? first : second;
  const int value = byte_of(end, channel) + ((move & 1) == 0 ? 1 : -1);
  if (value < 0 || value >= 1 << bits_of(channel)) return false;
  end = (end & ~(255u << (8 * channel))) | (uint(value) << (8 * channel));
  if (move < 6) first = end;
  if (move >= 6) second = end;
  return true;
}

FN Colours fit_colours(Texels texels, uint which, int levels, int quality) {
  Ends ends = ends_of(texels, which);
  Colours best;
  best.error = 0x7fffffff;
  best.first = best.second = best.positions = 0u;
  // Least squares are first, then small changes of the best endpoints.
  const int passes = kColourPasses[quality] + 1;
  bool is_solved = true;
  int idle = 0;
  for (int turn = 0; turn < passes + COLOUR_MOVES * kColourSweeps[quality]; turn++) {
    if (best.error == 0) break;
    uint first = best.first, second = best.second;
    if (turn < passes) {
      if (!is_solved) continue;
      first = stored_end(ends.first[0], ends.first[1], ends.first[2]);
      second = stored_end(ends.second[0], ends.second[1], ends.second[2]);
    } else {
      idle++;
      if (idle > COLOUR_MOVES) break;
      if (!move_end((turn - passes) % COLOUR_MOVES, first, second)) continue;
    }
    LeastSquares squares;
    const Colours colours = quantise_texels(texels, which, levels, first, second, squares);
    const bool is_better = colours.error < best.error;
    if (is_better) best = colours;
    if (is_better) idle = 0;
    if (turn < passes) is_solved = is_better && solve(squares, ends, 3);
  }
  return best;
}

// Encodes the colours of a block. With `has_holes`, texels of less than half alpha become
// transparent.
FN TwoWords encode_colours(Texels texels, int quality, bool has_holes, bool is_four) {
  uint which = 0u;
  for (int i = 0; i < 16; i++) which |= (has_holes && texels.v[i] < 0x80000000u ? 0u : 1u) << i;
  TwoWords words;
  words.low = 0u;
  words.high = 0xffffffffu;
  if (which == 0u) return words;
  int least = 0x7fffffff;
  for (int levels = 4; levels >= 3; levels--) {
    if (levels == 4 && which != 0xffffu) continue;
    if (levels == 3 && which == 0xffffu && (is_four || quality != QUALITY_BEST)) continue;
    const Colours colours = fit_colours(texels, which, levels, quality);
    if (colours.error >= least) continue;
    least = colours.error;
    words = colour_words(colours, which, levels);
  }
  return words;
}

// Finds the nearest of the values between two endpoints; if there are 6 of them, also the extremes.
// Returns the error and sets `code` to the index.
FN int channel_error(int value, int end_0, int end_1, INOUT(int) code) {
  const bool is_eight = end_0 > end_1;
  const int parts = is_eight ? 7 : 5;
  const int length = is_eight ? end_0 - end_1 : end_1 - end_0;
  const int along = clamp(is_eight ? end_0 - value : value - end_0, 0, length);
  const int position = length == 0 ? 0 : (2 * parts * along + length) / (2 * length);
  const int made = (2 * ((parts - position) * end_0 + position * end_1) + parts) / (2 * parts);
  int off = abs(made - value);
  code = position == 0 ? 0 : position == parts ? 1 : position + 1;
  if (!is_eight && value < off) {
    off = value;
    code = 6;
  }
  if (!is_eight && 255 - value < off) {
    off = 255 - value;
    code = 7;
  }
  return off * off;
}

FN TwoWords encode_channel(Texels texels, int channel, int quality) {
  int least = 255, most = 0;              // over all values
  int inner_least = 255, inner_most = 0;  // over the values other than 0 and 255
  for (int i = 0; i < 16; i++) {
    const int value = byte_of(texels.v[i], channel);
    least = min(least, value);
    most = max(most, value);
    if (value > 0 && value < 255) {
      inner_least = min(inner_least, value);
      inner_most = max(inner_most, value);
    }
  }
  const int reach = kReach[quality];
  const bool has_extremes = least == 0 || most == 255;
  int best_0 = most, best_1 = least;
  int best_error = 0x7fffffff;
  for (int number = 0; number < (has_extremes ? 2 : 1); number++)
    for (int i = 0; i <= reach; i++)
      for (int j = 0; j <= reach; j++) {
        if (best_error == 0) break;
        int end_0 = most - i, end_1 = least + j;
        if (number == 1) {
          end_0 = inner_least <= inner_most ? inner_least + i : 0;
          end_1 = inner_least <= inner_most ? inner_most - j : 0;
        }
        if (number == 0 ? end_0 < end_1 : end_0 > end_1) continue;
        int error = 0;
        for (int k = 0; k < 16; k++) {
          int code = 0;
          error += channel_error(byte_of(texels.v[k], channel), end_0, end_1, code);
        }
        if (error >= best_error) continue;
        best_error = error;
        best_0 = end_0;
        best_1 = end_1;
      }
  Codes codes;
  for (int k = 0; k < 16; k++) {
    codes.v[k] = 0;
    channel_error(byte_of(texels.v[k], channel), best_0, best_1, codes.v[k]);
  }
  return channel_words(best_0, best_1, codes);
}
