// SPDX-License-Identifier: Apache-2.0
// Displays video pictures of more than 8 bits per channel. Only the displayed image is rounded to 8
// bits; differences and values as text are exact.
#include <cmath>
#include <cstring>
#include <vector>

#include "client_gui/pictures/picture_kind.h"
#include "client_gui/pictures/pixels.h"

namespace weft::gui {
namespace {

constexpr int kOfAByte = 257;  // 65535 / 255: factor from bytes to shorts

// Returns a row as shorts. Bytes are scaled to shorts of the same light.
std::vector<uint16_t> short_row(const Picture& picture, int y) {
  std::vector<uint16_t> row(size_t(picture.width) * 3);
  if (picture.samples == ComponentType::kShort) {
    std::memcpy(row.data(), picture.row(y), row.size() * sizeof(uint16_t));
    return row;
  }
  const auto* bytes = reinterpret_cast<const uint8_t*>(picture.row(y));
  for (size_t i = 0; i < row.size(); i++) row[i] = uint16_t(bytes[i] * kOfAByte);
  return row;
}

class ShortPictures final : public PictureKind {
 public:
  QImage show(const Picture& picture, const Viewing&) const override {
    return filled_image(picture.width, picture.height, [&](QRgb* to, int y) {
      const std::vector<uint16_t> row = short_row(picture, y);
      const auto code = [&](size_t i) { return (row[i] + kOfAByte / 2) / kOfAByte; };
      for (size_t x = 0; x < size_t(picture.width); x++)
        to[x] = qRgb(code(x * 3), code(x * 3 + 1), code(x * 3 + 2));
    });
  }

  QImage difference(const Picture& before, const Picture& after, const Viewing& viewing) const override {
    return filled_image(before.width, before.height, [&](QRgb* to, int y) {
      const std::vector<uint16_t> a = short_row(before, y), b = short_row(after, y);
      const auto code = [&](size_t i) {
        return int(std::min(255.0, std::round(std::abs(a[i] - b[i]) * viewing.gain / kOfAByte)));
      };
      for (size_t x = 0; x < size_t(before.width); x++)
        to[x] = qRgb(code(x * 3), code(x * 3 + 1), code(x * 3 + 2));
    });
  }

  // Returns the values on an 8-bit scale, for comparison with a picture of bytes.
  QString words(const Picture& picture, int x, int y) const override {
    const std::vector<uint16_t> row = short_row(picture, y);
    const auto text = [&](int i) {
      return QString::number(double(row[size_t(x) * 3 + size_t(i)]) / kOfAByte, 'f', 2);
    };
    return QStringLiteral("%1 %2 %3").arg(text(0), text(1), text(2));
  }
};

}  // namespace

const PictureKind& short_pictures() {
  static const ShortPictures kind;
  return kind;
}

}  // namespace weft::gui
