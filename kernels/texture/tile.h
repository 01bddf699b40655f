// SPDX-License-Identifier: Apache-2.0
// Defines a tile of the small texture in a team's array of ints: values of four channels with their
// surroundings, then the filter's output along rows. A texel is read once instead of once for each
// of its neighbours. Included between KERNEL_FILE and KERNEL_FILE_END, after formats.h and the
// buffer type Values.

#include "kernels/texture/resample.h"

#define TILE_X 32
#define TILE_Y 8
#define TILE_LANES 256
#define TILE_AROUND 3  // reach of the filter along each axis
#define TILE_WIDE (TILE_X + 2 * TILE_AROUND)
#define TILE_HIGH (TILE_Y + 2 * TILE_AROUND)
#define TILE_PLANE (TILE_WIDE * TILE_HIGH)  // ints per channel
#define TILE_ALONG (4 * TILE_PLANE)         // begin of the output along rows
#define TILE_ALONG_PLANE (TILE_X * TILE_HIGH)
#define TILE_INTS (TILE_ALONG + 4 * TILE_ALONG_PLANE)

// Returns one of the values of four channels, 16 bits each.
FN int value_of(uvec2 four, int channel) {
  const uint pair = channel < 2 ? four.x : four.y;
  return (channel & 1) == 0 ? int(pair << 16) >> 16 : int(pair) >> 16;
}
FN uint two_values(int low, int high) { return (uint(low) & 0xffffu) | (uint(high) << 16); }

// Loads the texels of the tile that begins at (first_x, first_y), and those around it. `expression`
// is the value of channel c of texel `at`, for the first `channels` channels.
#define TILE_LOAD(first_x, first_y, width, height, border, channels, expression)                \
  EACH_AT(x, y, TILE_WIDE, TILE_HIGH) {                                                         \
    const int row = border_at((first_y) + y - TILE_AROUND, height, border);                     \
    const int at = row * (width) + border_at((first_x) + x - TILE_AROUND, width, border);       \
    UNROLL                                                                                      \
    for (int c = 0; c < (channels); c++) team[c * TILE_PLANE + y * TILE_WIDE + x] = expression; \
  }                                                                                             \
  TEAM_BARRIER();

// Filters the first `channels` channels along rows. Each texel has a left and a right output, two
// values in an int.
#define TILE_ENLARGE_ALONG(channels)                                    \
  EACH_AT(x, y, TILE_X, TILE_HIGH) {                                    \
    UNROLL                                                              \
    for (int c = 0; c < (channels); c++) {                              \
      int left = 0, right = 0;                                          \
      UNROLL                                                            \
      for (int i = 0; i < 7; i++) {                                     \
        const int value = team[c * TILE_PLANE + y * TILE_WIDE + x + i]; \
        left += kQuarter[i] * value;                                    \
        right += kQuarter[6 - i] * value;                               \
      }                                                                 \
      team[TILE_ALONG + c * TILE_ALONG_PLANE + y * TILE_X + x] =        \
          int(two_values(parts_of(left), parts_of(right)));             \
    }                                                                   \
  }                                                                     \
  TEAM_BARRIER();

// Filters along columns: computes the four output texels of the tile's texel (x, y) in one channel.
#define TILE_ENLARGE_DOWN(four, x, y, channel)                                                   \
  {                                                                                              \
    UNROLL                                                                                       \
    for (int k = 0; k < 4; k++) four.v[k] = 0;                                                   \
    UNROLL                                                                                       \
    for (int j = 0; j < 7; j++) {                                                                \
      const int pair = team[TILE_ALONG + (channel)*TILE_ALONG_PLANE + ((y) + j) * TILE_X + (x)]; \
      four = with_row(four, j, (pair << 16) >> 16, pair >> 16);                                  \
    }                                                                                            \
    four = in_values(four);                                                                      \
  }
