// SPDX-License-Identifier: Apache-2.0
#include "client_gui/pictures/picture_kind.h"

#include "client_gui/pictures/pixels.h"

namespace weft::gui {

QImage PictureKind::difference(const Picture& before, const Picture& after, const Viewing& viewing) const {
  return absolute_difference(show(before, viewing), show(after, viewing), viewing.gain);
}

const PictureKind& kind_of(const Picture& picture) {
  return picture.samples == PictureSamples::kByte ? byte_pictures() : linear_pictures();
}

QImage difference_of(const Picture& before, const Picture& after, const Viewing& viewing) {
  if (before.width != after.width || before.height != after.height) return {};
  const PictureKind& kind = kind_of(before);
  if (&kind == &kind_of(after)) return kind.difference(before, after, viewing);
  return absolute_difference(kind.show(before, viewing), kind_of(after).show(after, viewing), viewing.gain);
}

}  // namespace weft::gui
