// SPDX-License-Identifier: Apache-2.0
// Pictures in linear light, halves or floats: multiplied by the exposure, then given the transfer of sRGB.
#include <QFloat16>
#include <cmath>
#include <cstring>
#include <vector>

#include "client_gui/pictures/picture_kind.h"
#include "client_gui/pictures/pixels.h"

namespace weft::gui {
namespace {

// A row's samples as floats.
class Rows {
 public:
  explicit Rows(const Picture& picture) : picture_(picture), row_(size_t(picture.width) * 3) {}

  const float* row(int y) {
    if (picture_.samples == PictureSamples::kFloat) {
      std::memcpy(row_.data(), picture_.row(y), row_.size() * sizeof(float));
    } else {
      halves_.resize(row_.size());
      std::memcpy(halves_.data(), picture_.row(y), halves_.size() * sizeof(qfloat16));
      qFloatFromFloat16(row_.data(), halves_.data(), qsizetype(row_.size()));
    }
    return row_.data();
  }

 private:
  const Picture& picture_;
  std::vector<float> row_;
  std::vector<qfloat16> halves_;
};

class LinearPictures final : public PictureKind {
 public:
  bool has_exposure() const override { return true; }

  QImage show(const Picture& picture, const Viewing& viewing) const override {
    const ScreenTransfer transfer(std::exp2(viewing.exposure));
    QImage image(picture.width, picture.height, QImage::Format_RGB32);
    Rows rows(picture);
    for (int y = 0; y < picture.height; y++) {
      const float* from = rows.row(y);
      auto* to = reinterpret_cast<QRgb*>(image.scanLine(y));
      for (int x = 0; x < picture.width; x++, from += 3)
        to[x] = qRgb(transfer(from[0]), transfer(from[1]), transfer(from[2]));
    }
    return image;
  }

  // Of the light itself: what a screen's 256 steps would hide is seen when the gain is large.
  QImage difference(const Picture& before, const Picture& after, const Viewing& viewing) const override {
    const ScreenTransfer transfer(std::exp2(viewing.exposure) * viewing.gain);
    QImage image(before.width, before.height, QImage::Format_RGB32);
    Rows rows_before(before), rows_after(after);
    for (int y = 0; y < before.height; y++) {
      const float* a = rows_before.row(y);
      const float* b = rows_after.row(y);
      auto* to = reinterpret_cast<QRgb*>(image.scanLine(y));
      const auto code = [&](int i) { return transfer(std::abs(a[i] - b[i])); };
      for (int x = 0; x < before.width; x++, a += 3, b += 3) to[x] = qRgb(code(0), code(1), code(2));
    }
    return image;
  }

  QString words(const Picture& picture, int x, int y) const override {
    Rows rows(picture);
    const float* pixel = rows.row(y) + size_t(x) * 3;
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
