// SPDX-License-Identifier: Apache-2.0
// A texel's four at twice the size, by Lanczos3. Included between KERNEL_FILE and KERNEL_FILE_END, behind the buffer type Values.

#include "kernels/texture/resample.h"

// Four texels in one channel: left and right above, then below.
struct Four {
  int v[4];
};

FN Four enlarge_channel(Values values, int x, int y, int channel, int width, int height, int border) {
  Four four;
  for (int k = 0; k < 4; k++) four.v[k] = 0;
  for (int j = 0; j < 7; j++) {
    const int row = border_at(y + j - 3, height, border) * width;
    int left = 0, right = 0;
    for (int i = 0; i < 7; i++) {
      const int value = int(values.v[4 * (row + border_at(x + i - 3, width, border)) + channel]);
      left += kQuarter[i] * value;
      right += kQuarter[6 - i] * value;
    }
    left = parts_of(left);
    right = parts_of(right);
    four.v[0] += kQuarter[j] * left;
    four.v[1] += kQuarter[j] * right;
    four.v[2] += kQuarter[6 - j] * left;
    four.v[3] += kQuarter[6 - j] * right;
  }
  for (int k = 0; k < 4; k++) four.v[k] = clamp(parts_of(four.v[k]), VALUE_LEAST, VALUE_MOST);
  return four;
}

// Moves the four together to where their mean is `code`, within 0 to 255.
FN Four with_mean(Four four, int code) {
  const int limit = 255 * VALUE_ONE;
  for (int turn = 0; turn < 5; turn++) {
    int missing = 4 * code * VALUE_ONE;
    for (int k = 0; k < 4; k++) missing -= four.v[k];
    if (turn > 0 && abs(missing) < 4) break;
    int open = 0;  // texels that can still go there
    for (int k = 0; k < 4; k++) open += (missing > 0 ? four.v[k] < limit : four.v[k] > 0) ? 1 : 0;
    if (open == 0) break;
    for (int k = 0; k < 4; k++) {
      const bool is_open = missing > 0 ? four.v[k] < limit : four.v[k] > 0;
      four.v[k] = clamp(four.v[k] + (is_open ? missing / open : 0), 0, limit);
    }
  }
  return four;
}

// Their codes, whose sum is 4 times `code`: of those that were rounded, the ones that lost or won most go on by one.
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

// What is added to the four texels of each channel, in values.
struct Added {
  Four channel[3];
};

FN Added nothing_added() {
  Added added;
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < 4; k++) added.channel[c].v[k] = 0;
  return added;
}

// Adds up, where there is anything, and moves a vector's four to where their mean is the texel.
FN Four with_added(Four four, Four added, int code, bool is_vector) {
  int missing = 4 * code * VALUE_ONE;
  for (int k = 0; k < 4; k++) {
    four.v[k] += added.v[k];
    missing -= four.v[k];
  }
  // A vector's mean is its texel before it is made a unit long.
  if (is_vector) {
    for (int k = 0; k < 4; k++) four.v[k] = clamp(four.v[k] + missing / 4, VALUE_LEAST, VALUE_MOST);
  }
  return four;
}

// The four texels: left and right above, then below.
struct FourTexels {
  uint v[4];
};

FN FourTexels four_texels(Values values, uint texel, Added added, bool has_added, bool is_vector, int x,
                          int y, int width, int height, int border) {
  FourTexels made;
  Four vectors[3];
  for (int k = 0; k < 4; k++) made.v[k] = 0u;
  for (int c = 0; c < 4; c++) {
    Four four = enlarge_channel(values, x, y, c, width, height, border);
    const int code = byte_of(texel, c);
    if (has_added && c < 3) four = with_added(four, added.channel[c], code, is_vector);
    if (is_vector && c < 3) {
      vectors[c] = four;
      continue;
    }
    const Four codes = rounded(with_mean(four, code), code);
    for (int k = 0; k < 4; k++) made.v[k] |= uint(codes.v[k]) << (8 * c);
  }
  if (!is_vector) return made;
  for (int k = 0; k < 4; k++) {
    int component[3];
    uint square = 0u;
    for (int c = 0; c < 3; c++) {
      component[c] = 2 * vectors[c].v[k] - 255 * VALUE_ONE;
      square += uint(component[c] * component[c]);
    }
    const int length = int(root_of(square));
    for (int c = 0; c < 3; c++) made.v[k] |= uint(unit_code(component[c], length)) << (8 * c);
  }
  return made;
}
