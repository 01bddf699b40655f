// SPDX-License-Identifier: Apache-2.0
// Pictures of video: 8 bits a colour, ready for a screen.
#include "client_gui/pictures/picture_kind.h"

namespace weft::gui {
namespace {

class BytePictures final : public PictureKind {
 public:
  QImage show(const Picture& picture, const Viewing&) const override {
    QImage image(picture.width, picture.height, QImage::Format_RGB32);
    for (int y = 0; y < picture.height; y++) {
      const auto* from = reinterpret_cast<const uint8_t*>(picture.row(y));
      auto* to = reinterpret_cast<QRgb*>(image.scanLine(y));
      for (int x = 0; x < picture.width; x++, from += 3) to[x] = qRgb(from[0], from[1], from[2]);
    }
    return image;
  }

  QString words(const Picture& picture, int x, int y) const override {
    const auto* pixel = reinterpret_cast<const uint8_t*>(picture.row(y)) + size_t(x) * 3;
    return QStringLiteral("%1 %2 %3").arg(pixel[0]).arg(pixel[1]).arg(pixel[2]);
  }
};

}  // namespace

const PictureKind& byte_pictures() {
  static const BytePictures kind;
  return kind;
}

}  // namespace weft::gui
