// SPDX-License-Identifier: Apache-2.0
#include "client_gui/pictures/picture_kind.h"

#include "client_gui/pictures/pixels.h"

namespace weft::gui {

QImage PictureKind::difference(const Picture& before, const Picture& after, const Viewing& viewing) const {
  return absolute_difference(show(before, viewing), show(after, viewing), viewing.gain);
}

const PictureKind& kind_of(const Picture& picture) {
  switch (picture.samples) {
    case ComponentType::kByte:
      return byte_pictures();
    case ComponentType::kShort:
      return short_pictures();
    case ComponentType::kHalf:
    case ComponentType::kFloat:
      break;
  }
  return linear_pictures();
}

QImage difference_of(const Picture& before, const Picture& after, const Viewing& viewing) {
  if (before.width != after.width || before.height != after.height) return {};
  const PictureKind& kind = kind_of(before);
  const PictureKind& other = kind_of(after);
  if (&kind == &other) return kind.difference(before, after, viewing);
  if (&kind != &linear_pictures() && &other != &linear_pictures())
    return short_pictures().difference(before, after, viewing);
  return absolute_difference(kind.show(before, viewing), other.show(after, viewing), viewing.gain);
}

}  // namespace weft::gui
