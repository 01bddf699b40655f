// SPDX-License-Identifier: Apache-2.0
// Computes the zoom and pan of a picture in an area, without a widget.
#pragma once

#include <QPointF>
#include <QRectF>
#include <QSizeF>

namespace weft::gui {

inline constexpr double kLeastZoom = 1.0 / 64, kMostZoom = 64;

struct Viewport {
  double zoom = 0;  // area units per pixel; 0: the picture fits the area
  // point of the picture at the centre of the area, as fractions of the picture's size
  QPointF centre{0.5, 0.5};

  double scale(const QRectF& area, const QSizeF& picture) const;
  // Returns the rectangle of the whole picture in the area. From 1 unit per pixel on, its corner
  // has integer coordinates.
  QRectF rect(const QRectF& area, const QSizeF& picture) const;
  // Returns the position in pixels of the picture of a point in the area. It may lie outside the
  // picture.
  QPointF to_picture(const QRectF& area, const QSizeF& picture, const QPointF& point) const;

  // Returns the viewport with another zoom, with the same pixel at `point`.
  Viewport zoomed_to(const QRectF& area, const QSizeF& picture, const QPointF& point, double zoom) const;
  Viewport moved_by(const QRectF& area, const QSizeF& picture, const QPointF& distance) const;
};

}  // namespace weft::gui
