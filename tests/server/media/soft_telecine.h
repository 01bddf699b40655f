// SPDX-License-Identifier: Apache-2.0
// Makes soft telecine: the flags of repeated fields in MPEG-2 streams.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace weft::media {

struct PictureFlags {
  bool top_first = false, repeats = false;
};
inline constexpr PictureFlags kFilmCadence[] = {{true, true}, {false, false}, {false, true}, {true, false}};

// Writes the flags of a cadence into an MPEG-2 elementary stream, by the order of display, and
// declares the sequence to be interlaced (ISO/IEC 13818-2, 6.2.2.3 and 6.2.3.1).
inline void flag_pictures(std::string& stream, const std::function<PictureFlags(int picture)>& flags_of) {
  const auto at = [&](size_t place) { return uint8_t(stream[place]); };
  const std::string start("\0\0\1", 3);
  int group = 0, pictures = 0, current = 0;
  for (size_t code = stream.find(start); code != std::string::npos && code + 9 < stream.size();
       code = stream.find(start, code + 3)) {
    if (at(code + 3) == 0xB8) {
      group = pictures;  // a group of pictures begins
    } else if (at(code + 3) == 0x00) {
      current = group + (at(code + 4) << 2 | at(code + 5) >> 6);  // temporal_reference
      pictures++;
    } else if (at(code + 3) == 0xB5 && at(code + 4) >> 4 == 1) {
      stream[code + 5] = char(at(code + 5) & ~0x08);  // progressive_sequence
    } else if (at(code + 3) == 0xB5 && at(code + 4) >> 4 == 8) {
      const PictureFlags flags = flags_of(current);  // top_field_first, repeat_first_field
      stream[code + 7] =
          char((at(code + 7) & ~0x82) | (flags.top_first ? 0x80 : 0) | (flags.repeats ? 0x02 : 0));
    }
  }
}

}  // namespace weft::media
