// SPDX-License-Identifier: Apache-2.0
// Draws textures: block modes as an overlay, and normals under a light. All functions are pure.
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

// Returns the colour of a block mode. PictureDescription defines the numbers: 0 to 7, and those of
// other formats.
QColor colour_of_mode(int mode);
// Returns `image` with each block tinted in the colour of its mode, or unchanged if the picture has
// no modes.
QImage with_modes(const QImage& image, const Picture& picture);
// Returns the mode of the block that contains the pixel, or -1 if it is unknown.
int mode_at(const Picture& picture, int x, int y);

// Returns a grey surface with the picture's normals (x right, y up) under a light slightly above
// `light`. `light` is in fractions of the picture's size. If blue is 0, as in BC5, the third
// component is derived from the others.
QImage lit_normals(const Picture& picture, const QPointF& light);

}  // namespace weft::gui
