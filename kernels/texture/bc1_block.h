// SPDX-License-Identifier: Apache-2.0
// Defines endpoints and indices of BC1's colours, and the bits of BC1 and of a channel of BC4.
// Included between KERNEL_FILE and KERNEL_FILE_END, after fit.h.

// Two endpoints of 5, 6 and 5 bits, each component in a byte, and the index of each texel, 2 bits
// each.
struct Colours {
  uint first;
  uint second;
  uint positions;
  int error;
};

FN int bits_of(int channel) { return channel == 1 ? 6 : 5; }
FN int decoded_value(uint end, int channel) {
  const int bits = bits_of(channel), value = byte_of(end, channel);
  return (value << (8 - bits)) | (value >> (2 * bits - 8));
}
FN uint stored_end(float r, float g, float b) {
  PRECISE float red = r * (31.0f / 255.0f);
  PRECISE float green = g * (63.0f / 255.0f);
  PRECISE float blue = b * (31.0f / 255.0f);
  red = red + 0.5f;
  green = green + 0.5f;
  blue = blue + 0.5f;
  return pack4(int(red), int(green), int(blue), 0);
}

// Returns the index of the nearest of `levels` colours, 4 or 3, for each texel.
FN Colours quantise_texels(Texels texels, uint which, int levels, uint first, uint second,
                           INOUT(LeastSquares) squares) {
  Colours colours;
  colours.first = first;
  colours.second = second;
  colours.positions = 0u;
  colours.error = 0;
  int from[3];
  int to[3];
  int length = 0;
  for (int c = 0; c < 3; c++) {
    from[c] = decoded_value(first, c);
    to[c] = decoded_value(second, c);
    length += (to[c] - from[c]) * (to[c] - from[c]);
  }
  const float scale = length == 0 ? 0.0f : float(levels - 1) * reciprocal(float(length));
  const int share_step = 6 / (levels - 1);
  squares = no_squares();
  for (int i = 0; i < 16; i++) {
    if (((which >> i) & 1u) == 0u) continue;
    const uint texel = texels.v[i] & 0xffffffu;
    int along = 0;
    for (int c = 0; c < 3; c++) along += (byte_of(texel, c) - from[c]) * (to[c] - from[c]);
    PRECISE float nearest = float(max(along, 0)) * scale;
    nearest = nearest + 0.5f;
    const int position = min(int(nearest), levels - 1);
    const int share = position * share_step;
    for (int c = 0; c < 3; c++) {
      const int off = ((6 - share) * from[c] + share * to[c] + 3) / 6 - byte_of(texel, c);
      colours.error += off * off;
    }
    add_square(squares, texel, (64 * position + (levels - 1) / 2) / (levels - 1));
    colours.positions |= uint(position) << (2 * i);
  }
  return colours;
}

FN uint code_565(uint end) { return uint(byte_of(end, 0) << 11 | byte_of(end, 1) << 5 | byte_of(end, 2)); }

struct TwoWords {
  uint low;
  uint high;
};

// Returns the bits of a block of colours. `which` is the mask of opaque texels. A first endpoint
// above the second selects the mode of four colours, otherwise the mode has three colours.
FN TwoWords colour_words(Colours colours, uint which, int levels) {
  uint first = code_565(colours.first), second = code_565(colours.second);
  const bool is_turned = levels == 4 ? first < second : first > second;
  if (is_turned) {
    const uint kept = first;
    first = second;
    second = kept;
  }
  TwoWords words;
  words.low = first | (second << 16);
  words.high = 0u;
  for (int i = 0; i < 16; i++) {
    int position = int((colours.positions >> (2 * i)) & 3u);
    if (is_turned) position = levels - 1 - position;
    int code = position == 0 ? 0 : position == levels - 1 ? 1 : position + 1;
    if (((which >> i) & 1u) == 0u) code = 3;
    words.high |= uint(code) << (2 * i);
  }
  return words;
}

struct Codes {
  int v[16];
};

// Returns the bits of a channel: its endpoints, and the index of each texel, 3 bits.
FN TwoWords channel_words(int end_0, int end_1, Codes codes) {
  TwoWords words;
  words.low = uint(end_0) | (uint(end_1) << 8);
  words.high = 0u;
  for (int k = 0; k < 16; k++) {
    const uint code = uint(codes.v[k]);
    const int at = 16 + 3 * k;
    if (at < 32) words.low |= code << at;
    if (at >= 32) words.high |= code << (at - 32);
    if (at < 32 && at + 3 > 32) words.high |= code >> (32 - at);
  }
  return words;
}
