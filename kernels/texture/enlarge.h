// SPDX-License-Identifier: Apache-2.0
// Turns the filter's values of a texel into its four texels at twice the size. Included between
// KERNEL_FILE and KERNEL_FILE_END, after formats.h and the buffer type Values.

#include "kernels/texture/tile.h"

// Divides a number by 1 to 4, towards 0. Its magnitude must be below 2^20.
FN int part_of_number(int number, int parts) {
  const uint size = uint(abs(number));
  uint part = size >> (parts >> 1);
  if (parts == 3) {
    part = uint(float(size) * 0.333333f);  // the exact quotient, or one less
    part += size - 3u * part >= 3u ? 1u : 0u;
  }
  return number < 0 ? -int(part) : int(part);
}

// Shifts the four texels to the mean `code`, within 0 to 255.
FN Four with_mean(Four four, int code) {
  const int limit = 255 * VALUE_ONE;
  for (int turn = 0; turn < 5; turn++) {
    int missing = 4 * code * VALUE_ONE;
    for (int k = 0; k < 4; k++) missing -= four.v[k];
    if (turn > 0 && abs(missing) < 4) break;
    int open = 0;  // number of texels that can still be shifted
    for (int k = 0; k < 4; k++) open += (missing > 0 ? four.v[k] < limit : four.v[k] > 0) ? 1 : 0;
    if (open == 0) break;
    for (int k = 0; k < 4; k++) {
      const bool is_open = missing > 0 ? four.v[k] < limit : four.v[k] > 0;
      four.v[k] = clamp(four.v[k] + (is_open ? part_of_number(missing, open) : 0), 0, limit);
    }
  }
  return four;
}

// Returns the code values of four texels, with the sum 4 times `code`. The texels with the largest
// rounding errors are changed by one.
FN Four rounded(Four four, int code) {
  Four codes;
  int missing = 4 * code;
  for (int k = 0; k < 4; k++) {
    codes.v[k] = (four.v[k] + VALUE_ONE / 2) / VALUE_ONE;
    missing -= codes.v[k];
  }
  for (int turn = 0; turn < 4; turn++) {
    if (missing == 0) break;
    const int step = missing > 0 ? 1 : -1;
    int best = -1, most = -1000000;
    for (int k = 0; k < 4; k++) {
      const int lost = step * (four.v[k] - VALUE_ONE * codes.v[k]);
      const bool is_open = step > 0 ? codes.v[k] < 255 : codes.v[k] > 0;
      if (!is_open || lost <= most) continue;
      most = lost;
      best = k;
    }
    if (best < 0) break;
    codes.v[best] += step;
    missing -= step;
  }
  return codes;
}

// The correction of the four texels of each channel, in values.
struct Added {
  Four channel[3];
};

FN Added nothing_added() {
  Added added;
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 4; k++) added.channel[c].v[k] = 0;
  return added;
}

// Adds the correction, if any, and shifts a vector's four texels to the mean of the texel.
FN Four with_added(Four four, Four added, int code, bool is_vector) {
  int missing = 4 * code * VALUE_ONE;
  for (int k = 0; k < 4; k++) {
    four.v[k] += added.v[k];
    missing -= four.v[k];
  }
  // The mean of a vector is its texel before normalisation.
  if (is_vector) {
    for (int k = 0; k < 4; k++) four.v[k] = clamp(four.v[k] + missing / 4, VALUE_LEAST, VALUE_MOST);
  }
  return four;
}

// Four texels: left and right above, then below.
struct FourTexels {
  uint v[4];
};

struct Vector {
  int v[3];
};

// Normalises values to unit length. `most` represents 1.
FN Vector unit_vector(int x, int y, int z, int most) {
  Vector vector;
  vector.v[0] = 2 * x - 255 * VALUE_ONE;
  vector.v[1] = 2 * y - 255 * VALUE_ONE;
  vector.v[2] = 2 * z - 255 * VALUE_ONE;
  uint square = 0u;
  for (int c = 0; c < 3; c++) square += uint(vector.v[c] * vector.v[c]);
  const int length = int(root_of(square));
  for (int c = 0; c < 3; c++) vector.v[c] = unit_part(vector.v[c], length, most);
  return vector;
}

// The filter's values of a texel.
struct Enlarged {
  Four channel[4];
};

FN FourTexels four_texels(Enlarged enlarged, uint texel, Added added, bool has_added, bool is_vector) {
  FourTexels made;
  UNROLL
  for (int k = 0; k < 4; k++) made.v[k] = 0u;
  UNROLL
  for (int c = 0; c < 4; c++) {
    const int code = byte_of(texel, c);
    if (has_added && c < 3)
      enlarged.channel[c] = with_added(enlarged.channel[c], added.channel[c], code, is_vector);
    if (is_vector && c < 3) continue;
    const Four codes = rounded(with_mean(enlarged.channel[c], code), code);
    UNROLL
    for (int k = 0; k < 4; k++) made.v[k] |= uint(codes.v[k]) << (8 * c);
  }
  if (!is_vector) return made;
  UNROLL
  for (int k = 0; k < 4; k++) {
    const Vector vector =
        unit_vector(enlarged.channel[0].v[k], enlarged.channel[1].v[k], enlarged.channel[2].v[k], 255);
    made.v[k] |= pack4(vector.v[0], vector.v[1], vector.v[2], 0);
  }
  return made;
}
