// SPDX-License-Identifier: Apache-2.0
// Displays video pictures of 8 bits per channel, which need no conversion.
#include "client_gui/pictures/picture_kind.h"
#include "client_gui/pictures/pixels.h"

namespace weft::gui {
namespace {

class BytePictures final : public PictureKind {
 public:
  QImage show(const Picture& picture, const Viewing&) const override {
    return filled_image(picture.width, picture.height, [&](QRgb* to, int y) {
      const auto* from = reinterpret_cast<const uint8_t*>(picture.row(y));
      for (int x = 0; x < picture.width; x++, from += 3) to[x] = qRgb(from[0], from[1], from[2]);
    });
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
