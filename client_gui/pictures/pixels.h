// SPDX-License-Identifier: Apache-2.0
// Provides pixel operations for display, as pure functions.
#pragma once

#include <QImage>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

// Converts linear light (white at 1) to sRGB (IEC 61966-2-1), rounded to the nearest of 256 code
// values. NaN and negative values become black.
class ScreenTransfer {
 public:
  explicit ScreenTransfer(double factor);  // `factor` multiplies the light before the conversion

  uint8_t operator()(float light) const;

 private:
  // least light of each code value; no light reaches the last entry
  std::array<float, 257> least_{};
  std::vector<uint8_t> first_;  // code value of the smallest float with these upper 16 bits
};

// Returns an image of Format_RGB32. `fill(row, y)` is called once per row, in any order and on
// several threads.
QImage filled_image(int width, int height, const std::function<void(QRgb* row, int y)>& fill);

// Returns |a - b| * gain per channel, at most 255. Both images have Format_RGB32 and the same size.
QImage absolute_difference(const QImage& a, const QImage& b, double gain);

enum class Field { kWoven, kTop, kBottom };
// Returns a picture of the same height from one field, with each line twice. Field::kWoven returns
// the picture unchanged.
Picture field_of(const Picture& picture, Field field);

}  // namespace weft::gui
