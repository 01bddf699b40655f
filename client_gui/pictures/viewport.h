// SPDX-License-Identifier: Apache-2.0
// Where a picture lies on an area of a screen: zoom and pan, without a widget.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace weft::gui {

inline constexpr double kLeastZoom = 1.0 / 64, kMostZoom = 64;

struct Viewport {
  double zoom = 0;           // units of the area a pixel; 0: the picture fits the area
  QPointF centre{0.5, 0.5};  // what of the picture lies in the middle of the area, as parts of its size

  double scale(const QRectF& area, const QSizeF& picture) const;
  // Where the whole picture lies. At 1 unit a pixel and more its corner lies on a whole unit.
  QRectF rect(const QRectF& area, const QSizeF& picture) const;
  // In pixels; may lie outside the picture.
  QPointF to_picture(const QRectF& area, const QSizeF& picture, const QPointF& point) const;

  // The same pixel stays under `point`.
  Viewport zoomed_to(const QRectF& area, const QSizeF& picture, const QPointF& point, double zoom) const;
  Viewport moved_by(const QRectF& area, const QSizeF& picture, const QPointF& distance) const;
};

}  // namespace weft::gui
