// SPDX-License-Identifier: Apache-2.0
// How a picture becomes visible, by what its samples are. A further kind is one more file, and a line in kind_of().
#pragma once

#include <QImage>
#include <QString>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

struct Viewing {
  double exposure = 0;  // in stops; of kinds that have one
  double gain = 1;      // of differences
};

// Stateless, for any thread. Images have Format_RGB32.
class PictureKind {
 public:
  virtual ~PictureKind() = default;

  // Whether the exposure counts.
  virtual bool has_exposure() const { return false; }
  // As a screen shows it.
  virtual QImage show(const Picture& picture, const Viewing& viewing) const = 0;
  // |before - after| * gain. Both of this kind, of the same size.
  virtual QImage difference(const Picture& before, const Picture& after, const Viewing& viewing) const;
  // What a pixel has, for people: "12 200 33".
  virtual QString words(const Picture& picture, int x, int y) const = 0;
};

const PictureKind& kind_of(const Picture& picture);

// The kinds there are.
const PictureKind& byte_pictures();
const PictureKind& short_pictures();  // takes bytes too
const PictureKind& linear_pictures();

// Null where the sizes are not the same. Bytes are compared with shorts as such; pictures of other two kinds
// differ as a screen shows them.
QImage difference_of(const Picture& before, const Picture& after, const Viewing& viewing);

}  // namespace weft::gui
