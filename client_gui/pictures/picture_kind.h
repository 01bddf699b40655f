// SPDX-License-Identifier: Apache-2.0
// Converts pictures for display, by sample type. A new type requires a source file and a line in
// kind_of().
#pragma once

#include <QImage>
#include <QString>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

struct Viewing {
  double exposure = 0;  // stops; used by kinds with an exposure
  double gain = 1;      // factor on differences
};

// Displays pictures of one sample type. Stateless and thread-safe. Images have Format_RGB32.
class PictureKind {
 public:
  virtual ~PictureKind() = default;

  // Returns true if the exposure applies.
  virtual bool has_exposure() const { return false; }
  // Returns the displayed image of a picture.
  virtual QImage show(const Picture& picture, const Viewing& viewing) const = 0;
  // Returns |before - after| * gain. Both pictures have this sample type and the same size.
  virtual QImage difference(const Picture& before, const Picture& after, const Viewing& viewing) const;
  // Returns the value of a pixel as text: "12 200 33".
  virtual QString words(const Picture& picture, int x, int y) const = 0;
};

const PictureKind& kind_of(const Picture& picture);

// Return the converters of the sample types.
const PictureKind& byte_pictures();
const PictureKind& short_pictures();  // converts bytes too
const PictureKind& linear_pictures();

// Returns the difference of two pictures, or a null image if their sizes differ. Bytes and shorts
// are compared as shorts; other different types are compared as displayed.
QImage difference_of(const Picture& before, const Picture& after, const Viewing& viewing);

}  // namespace weft::gui
