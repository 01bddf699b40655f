// SPDX-License-Identifier: Apache-2.0
// What is done to pixels for looking at them: plain functions.
#pragma once

#include <QImage>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

// Linear light, 1 being white, as a screen of sRGB takes it (IEC 61966-2-1): the nearest of 256 codes. What is no number, or below
// black, is black.
class ScreenTransfer {
 public:
  explicit ScreenTransfer(double factor);  // on the light, before the transfer

  uint8_t operator()(float light) const;

 private:
  std::array<float, 257> least_{};  // light from which on a code is the nearest; the last: never
  std::vector<uint8_t> first_;      // the code of the smallest float with these upper 16 bits
};

// An image of Format_RGB32 whose rows are filled by `fill(row, y)`: on several threads, each row once, in any order.
QImage filled_image(int width, int height, const std::function<void(QRgb* row, int y)>& fill);

// |a - b| * gain of each colour, at most 255. Both of Format_RGB32 and of the same size.
QImage absolute_difference(const QImage& a, const QImage& b, double gain);

enum class Field { kWoven, kTop, kBottom };
// Every line of the field twice, so that it has the picture's height; woven: the picture as it is.
Picture field_of(const Picture& picture, Field field);

}  // namespace weft::gui
