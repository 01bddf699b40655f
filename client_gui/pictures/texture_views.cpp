// SPDX-License-Identifier: Apache-2.0
#include "client_gui/pictures/texture_views.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "client_gui/pictures/pixels.h"

namespace weft::gui {
namespace {

constexpr int kSide = 4;  // side of a block in pixels

// Colours that people with colour blindness can distinguish (Okabe and Ito, "Color Universal
// Design"), and three more.
constexpr std::array<QRgb, 8> kModeColours = {0xffe69f00, 0xff56b4e9, 0xff009e73, 0xfff0e442,
                                              0xff0072b2, 0xffd55e00, 0xffcc79a7, 0xff999999};
constexpr QRgb kFirstEndLarger = 0xff56b4e9, kFirstEndSmaller = 0xffe69f00, kOtherMode = 0xff000000;

QRgb mixed(QRgb a, QRgb b) {
  return qRgb((qRed(a) + qRed(b)) / 2, (qGreen(a) + qGreen(b)) / 2, (qBlue(a) + qBlue(b)) / 2);
}

int blocks_across(const Picture& picture) { return (picture.width + kSide - 1) / kSide; }

struct Vector {
  float x = 0, y = 0, z = 0;
  Vector unit() const {
    const float length = std::sqrt(x * x + y * y + z * z);
    return length > 0 ? Vector{x / length, y / length, z / length} : Vector{0, 0, 1};
  }
  float dot(const Vector& other) const { return x * other.x + y * other.y + z * other.z; }
};

Vector normal_of(const uint8_t* pixel) {
  const auto component = [](int code) { return float(code) / 127.5f - 1; };
  Vector normal{component(pixel[0]), component(pixel[1]), component(pixel[2])};
  if (pixel[2] == 0) normal.z = std::sqrt(std::max(0.0f, 1 - normal.x * normal.x - normal.y * normal.y));
  return normal.unit();
}

}  // namespace

QColor colour_of_mode(int mode) {
  if (mode >= 0 && mode < int(kModeColours.size())) return kModeColours[size_t(mode)];
  if (mode == 16) return kFirstEndLarger;
  return mode == 17 ? kFirstEndSmaller : kOtherMode;
}

int mode_at(const Picture& picture, int x, int y) {
  const size_t at = size_t(y / kSide) * size_t(blocks_across(picture)) + size_t(x / kSide);
  return at < picture.block_modes.size() ? int(uint8_t(picture.block_modes[at])) : -1;
}

QImage with_modes(const QImage& image, const Picture& picture) {
  if (picture.block_modes.empty()) return image;
  return filled_image(image.width(), image.height(), [&](QRgb* to, int y) {
    const auto* from = reinterpret_cast<const QRgb*>(image.constScanLine(y));
    for (int x = 0; x < image.width(); x++)
      to[x] = mixed(from[x], colour_of_mode(mode_at(picture, x, y)).rgb());
  });
}

QImage lit_normals(const Picture& picture, const QPointF& light) {
  // height of the light as a fraction of the picture's longer side
  constexpr float kHeight = 0.35f;
  constexpr float kAmbient = 30, kDiffuse = 170, kShine = 55;
  const auto longer = float(std::max(picture.width, picture.height));
  const float light_x = float(light.x()) * float(picture.width),
              light_y = float(light.y()) * float(picture.height);
  return filled_image(picture.width, picture.height, [&](QRgb* to, int y) {
    const auto* from = reinterpret_cast<const uint8_t*>(picture.row(y));
    for (int x = 0; x < picture.width; x++, from += 3) {
      const Vector normal = normal_of(from);
      const Vector towards = Vector{light_x - float(x), float(y) - light_y, kHeight * longer}.unit();
      const Vector half = Vector{towards.x, towards.y, towards.z + 1}.unit();
      const float diffuse = std::max(0.0f, normal.dot(towards)), shine = std::max(0.0f, normal.dot(half));
      const float shine4 = shine * shine * shine * shine,
                  shine32 = shine4 * shine4 * shine4 * shine4 * shine4 * shine4 * shine4 * shine4;
      const int gray = int(std::min(255.0f, kAmbient + kDiffuse * diffuse + kShine * shine32));
      to[x] = qRgb(gray, gray, gray);
    }
  });
}

}  // namespace weft::gui
