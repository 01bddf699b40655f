// SPDX-License-Identifier: Apache-2.0
#include "client_gui/pictures/viewport.h"

#include <algorithm>
#include <cmath>

namespace weft::gui {

double Viewport::scale(const QRectF& area, const QSizeF& picture) const {
  if (zoom > 0 || picture.isEmpty()) return zoom > 0 ? zoom : 1;
  return std::min(area.width() / picture.width(), area.height() / picture.height());
}

QRectF Viewport::rect(const QRectF& area, const QSizeF& picture) const {
  const double unit = scale(area, picture);
  const QSizeF size = picture * unit;
  const QPointF middle = zoom > 0 ? centre : QPointF(0.5, 0.5);
  QPointF corner = area.center() - QPointF(middle.x() * size.width(), middle.y() * size.height());
  if (unit >= 1) corner = QPointF(std::round(corner.x()), std::round(corner.y()));
  return {corner, size};
}

QPointF Viewport::to_picture(const QRectF& area, const QSizeF& picture, const QPointF& point) const {
  return (point - rect(area, picture).topLeft()) / scale(area, picture);
}

Viewport Viewport::zoomed_to(const QRectF& area, const QSizeF& picture, const QPointF& point,
                             double wanted) const {
  const QPointF pixel = to_picture(area, picture, point);
  Viewport result;
  result.zoom = std::clamp(wanted, kLeastZoom, kMostZoom);
  const QPointF middle = pixel + (area.center() - point) / result.zoom;
  result.centre = {std::clamp(middle.x() / picture.width(), 0.0, 1.0),
                   std::clamp(middle.y() / picture.height(), 0.0, 1.0)};
  return result;
}

Viewport Viewport::moved_by(const QRectF& area, const QSizeF& picture, const QPointF& distance) const {
  const double unit = scale(area, picture);
  Viewport result = *this;
  result.zoom = unit;  // panning ends the fit to the area
  const QPointF middle = (zoom > 0 ? centre : QPointF(0.5, 0.5)) -
                         QPointF(distance.x() / picture.width(), distance.y() / picture.height()) / unit;
  result.centre = {std::clamp(middle.x(), 0.0, 1.0), std::clamp(middle.y(), 0.0, 1.0)};
  return result;
}

}  // namespace weft::gui
