// SPDX-License-Identifier: Apache-2.0
// Looks at textures: the modes of their blocks over them, and normals as a light shows them. Plain functions.
#pragma once

#include <QColor>
#include <QImage>
#include <QPointF>

#include "client_gui/pictures/picture.h"

namespace weft::gui {

// Of a mode as PictureDescription counts them: 0 to 7, and those of other formats.
QColor colour_of_mode(int mode);
// `image` with each block in the colour of its mode, half transparent. Without modes: as it is.
QImage with_modes(const QImage& image, const Picture& picture);
// The mode of a pixel's block; -1: not known.
int mode_at(const Picture& picture, int x, int y);

// A gray surface with these normals (x to the right, y upwards) under a light at that place, in parts of the picture's size, a little above it.
// Where blue is 0, as in BC5, the third component is worked out.
QImage lit_normals(const Picture& picture, const QPointF& light);

}  // namespace weft::gui
