// SPDX-License-Identifier: Apache-2.0
// Defines a picture as received from a server.
#pragma once

#include <QString>
#include <cstdint>
#include <string>

namespace weft::gui {

enum class ComponentType { kByte, kShort, kHalf, kFloat };

// RGB samples of each pixel, in rows from the top without padding. Bytes and shorts (0 to 65535)
// have the transfer function of the file; halves and floats are linear light with white at 1.
struct Picture {
  ComponentType samples = ComponentType::kByte;
  int width = 0;
  int height = 0;
  double pixel_aspect = 1;  // width of a pixel divided by its height
  bool interlaced = false;  // true: the even lines are the top field
  bool top_field_first = false;
  int64_t pictures = 0;  // number of pictures in the file; 0: unknown
  QString file;
  std::string bytes;
  std::string block_modes{};  // textures: one byte per 4x4 block, in rows; empty: none

  int64_t row_bytes() const { return height == 0 ? 0 : int64_t(bytes.size()) / height; }
  const char* row(int y) const { return bytes.data() + y * row_bytes(); }
};

}  // namespace weft::gui
