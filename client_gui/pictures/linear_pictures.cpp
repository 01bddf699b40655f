// SPDX-License-Identifier: Apache-2.0
// Displays pictures in linear light (half or float): applies the exposure, then the sRGB transfer
// function.
#include <QFloat16>
#include <cmath>
#include <cstring>
#include <vector>

#include "client_gui/pictures/picture_kind.h"
#include "client_gui/pictures/pixels.h"

namespace weft::gui {
namespace {

std::vector<float> linear_row(const Picture& picture, int y) {
  std::vector<float> row(size_t(picture.width) * 3);
  if (picture.samples == ComponentType::kFloat) {
    std::memcpy(row.data(), picture.row(y), row.size() * sizeof(float));
    return row;
  }
  std::vector<qfloat16> halves(row.size());
  std::memcpy(halves.data(), picture.row(y), halves.size() * sizeof(qfloat16));
  qFloatFromFloat16(row.data(), halves.data(), qsizetype(row.size()));
  return row;
}

class LinearPictures final : public PictureKind {
 public:
  bool has_exposure() const override { return true; }

  QImage show(const Picture& picture, const Viewing& viewing) const override {
    const ScreenTransfer transfer(std::exp2(viewing.exposure));
    return filled_image(picture.width, picture.height, [&](QRgb* to, int y) {
      const std::vector<float> row = linear_row(picture, y);
      const float* from = row.data();
      for (int x = 0; x < picture.width; x++, from += 3)
        to[x] = qRgb(transfer(from[0]), transfer(from[1]), transfer(from[2]));
    });
  }

  // Computes the difference in linear light, since 8-bit display values lose small differences.
  QImage difference(const Picture& before, const Picture& after, const Viewing& viewing) const override {
    const ScreenTransfer transfer(std::exp2(viewing.exposure) * viewing.gain);
    return filled_image(before.width, before.height, [&](QRgb* to, int y) {
      const std::vector<float> row_before = linear_row(before, y), row_after = linear_row(after, y);
      const float* a = row_before.data();
      const float* b = row_after.data();
      const auto code = [&](int i) { return transfer(std::abs(a[i] - b[i])); };
      for (int x = 0; x < before.width; x++, a += 3, b += 3) to[x] = qRgb(code(0), code(1), code(2));
    });
  }

  QString words(const Picture& picture, int x, int y) const override {
    const std::vector<float> row = linear_row(picture, y);
    const float* pixel = row.data() + size_t(x) * 3;
    const auto text = [](float light) { return QString::number(double(light), 'g', 4); };
    return QStringLiteral("%1 %2 %3").arg(text(pixel[0]), text(pixel[1]), text(pixel[2]));
  }
};

}  // namespace

const PictureKind& linear_pictures() {
  static const LinearPictures kind;
  return kind;
}

}  // namespace weft::gui
