// SPDX-License-Identifier: Apache-2.0
// A picture as a server sent it, before it is made visible.
#pragma once

#include <QString>
#include <cstdint>
#include <string>

namespace weft::gui {

enum class ComponentType { kByte, kShort, kHalf, kFloat };

// Red, green and blue of each pixel, rows from the top, without gaps. Bytes, and shorts of 0 to 65535, have the file's transfer,
// as a screen takes them; halves and floats are linear light, 1 is white.
struct Picture {
  ComponentType samples = ComponentType::kByte;
  int width = 0;
  int height = 0;
  double pixel_aspect = 1;  // width of a pixel over its height
  bool interlaced = false;  // its even lines are the top field
  bool top_field_first = false;
  int64_t pictures = 0;  // in its file; 0: not known
  QString file;
  std::string bytes;
  std::string block_modes{};  // of a texture: a byte for each block of 4x4 pixels, in rows; empty: none

  int64_t row_bytes() const { return height == 0 ? 0 : int64_t(bytes.size()) / height; }
  const char* row(int y) const { return bytes.data() + y * row_bytes(); }
};

}  // namespace weft::gui
