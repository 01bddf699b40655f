// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/picture_canvas.h"

#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace weft::gui {
namespace {

constexpr std::chrono::milliseconds kFlicker(500);
constexpr int kReach = 6;         // distance from the wipe's edge that the mouse may have, pixels
constexpr int kGrip = 9;          // half the size of the handle on the edge, pixels
constexpr double kNotch = 1.25;   // zoom factor per notch of the mouse wheel
constexpr int kNotchAngle = 120;  // angle of a notch in the units of Qt

}  // namespace

PictureCanvas::PictureCanvas(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Pictures before and after"));
  setFocusPolicy(Qt::StrongFocus);
  setMouseTracking(true);
  setMinimumSize(160, 120);
  connect(&flicker_, &QTimer::timeout, this, [this] {
    shows_after_ = !shows_after_;
    update();
  });
}

void PictureCanvas::set_content(Content content) {
  const QSizeF before = picture_size();
  content_ = std::move(content);
  if (picture_size() != before) emit zoomed(zoom());
  update();
}

void PictureCanvas::set_mode(CompareMode mode) {
  mode_ = mode;
  if (mode == CompareMode::kFlicker)
    flicker_.start(kFlicker);
  else
    flicker_.stop();
  emit zoomed(zoom());
  update();
}

void PictureCanvas::swap() {
  flicker_.stop();
  shows_after_ = !shows_after_;
  update();
}

// --- Positions -----------------------------------------------------------------------------------

QSizeF PictureCanvas::picture_size() const {
  const QSizeF size = content_.after.isNull() ? content_.before.size() : content_.after.size();
  return {size.width() * content_.pixel_aspect, size.height()};
}

std::array<QRectF, 2> PictureCanvas::areas() const {
  const QRectF whole(rect());
  if (mode_ != CompareMode::kSideBySide) return {whole, whole};
  const double half = std::floor(whole.width() / 2);
  return {QRectF(0, 0, half - 1, whole.height()),
          QRectF(half + 1, 0, whole.width() - half - 1, whole.height())};
}

QRectF PictureCanvas::area_of(const QPointF& point) const {
  const auto [left, right] = areas();
  return point.x() < right.left() ? left : right;
}

double PictureCanvas::zoom() const {
  return picture_size().isEmpty() ? 0 : viewport_.scale(areas()[0], picture_size()) * devicePixelRatioF();
}

void PictureCanvas::place(const Viewport& viewport) {
  viewport_ = viewport;
  emit zoomed(zoom());
  update();
}

void PictureCanvas::fit() { place({}); }

void PictureCanvas::show_pixels() {
  if (picture_size().isEmpty()) return;
  const QRectF area = areas()[0];
  place(viewport_.zoomed_to(area, picture_size(), area.center(), 1 / devicePixelRatioF()));
}

void PictureCanvas::zoom_by(double factor) {
  if (picture_size().isEmpty()) return;
  const QRectF area = areas()[0];
  const double unit = viewport_.scale(area, picture_size());
  place(viewport_.zoomed_to(area, picture_size(), area.center(), unit * factor));
}

int PictureCanvas::edge() const { return int(std::lround(wipe_ * width())); }

bool PictureCanvas::is_on_handle(const QPointF& point) const {
  return mode_ == CompareMode::kWipe && std::abs(point.x() - edge()) <= kReach;
}

// --- The mouse -----------------------------------------------------------------------------------

void PictureCanvas::wheelEvent(QWheelEvent* event) {
  if (picture_size().isEmpty() || event->angleDelta().y() == 0) return event->ignore();
  const QRectF area = area_of(event->position());
  const double factor = std::pow(kNotch, double(event->angleDelta().y()) / kNotchAngle);
  const double unit = viewport_.scale(area, picture_size());
  place(viewport_.zoomed_to(area, picture_size(), event->position(), unit * factor));
}

void PictureCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  drag_ = is_on_handle(event->position()) ? Drag::kWipe : Drag::kPan;
  last_ = event->position();
  if (drag_ == Drag::kPan) setCursor(Qt::ClosedHandCursor);
}

void PictureCanvas::mouseMoveEvent(QMouseEvent* event) {
  const QPointF point = event->position();
  if (drag_ == Drag::kWipe) {
    wipe_ = std::clamp(point.x() / std::max(1, width()), 0.0, 1.0);
    update();
  } else if (drag_ == Drag::kPan && !picture_size().isEmpty()) {
    place(viewport_.moved_by(areas()[0], picture_size(), point - last_));
  } else {
    setCursor(is_on_handle(point) ? Qt::SplitHCursor : Qt::ArrowCursor);
  }
  last_ = point;
  if (picture_size().isEmpty()) return;
  const QPointF pixel = viewport_.to_picture(area_of(point), picture_size(), point);
  const QPoint whole(int(std::floor(pixel.x() / content_.pixel_aspect)), int(std::floor(pixel.y())));
  const bool is_there = QRectF(QPointF(0, 0), picture_size()).contains(pixel);
  emit pointed_at(is_there ? std::optional(whole) : std::nullopt);
}

void PictureCanvas::mouseReleaseEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton) return event->ignore();
  drag_ = Drag::kNone;
  setCursor(is_on_handle(event->position()) ? Qt::SplitHCursor : Qt::ArrowCursor);
}

void PictureCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() != Qt::LeftButton || picture_size().isEmpty()) return event->ignore();
  if (viewport_.zoom > 0) return fit();
  const QRectF area = area_of(event->position());
  place(viewport_.zoomed_to(area, picture_size(), event->position(), 1 / devicePixelRatioF()));
}

void PictureCanvas::leaveEvent(QEvent*) { emit pointed_at(std::nullopt); }

void PictureCanvas::resizeEvent(QResizeEvent*) { emit zoomed(zoom()); }

// --- Drawing -------------------------------------------------------------------------------------

void PictureCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), palette().color(QPalette::Dark));
  const auto [left, right] = areas();
  switch (mode_) {
    case CompareMode::kWipe:
      return draw_wipe(painter);
    case CompareMode::kFlicker:
      if (shows_after_)
        draw(painter, right, right, content_.after, content_.said_after, scaled_[1]);
      else
        draw(painter, left, left, content_.before, content_.said_before, scaled_[0]);
      return draw_label(painter, left, Qt::AlignLeft, shows_after_ ? tr("after") : tr("before"));
    case CompareMode::kDifference:
      draw(painter, left, left, content_.difference, content_.said_difference, scaled_[2]);
      return draw_label(painter, left, Qt::AlignLeft, tr("difference"));
    case CompareMode::kSideBySide:
      draw(painter, left, left, content_.before, content_.said_before, scaled_[0]);
      draw(painter, right, right, content_.after, content_.said_after, scaled_[1]);
      draw_label(painter, left, Qt::AlignLeft, tr("before"));
      return draw_label(painter, right, Qt::AlignRight, tr("after"));
  }
}

void PictureCanvas::draw_wipe(QPainter& painter) {
  const QRectF whole(rect());
  const QRectF left(0, 0, edge(), height()), right(edge(), 0, width() - edge(), height());
  draw(painter, whole, left, content_.before, content_.said_before, scaled_[0]);
  draw(painter, whole, right, content_.after, content_.said_after, scaled_[1]);
  draw_label(painter, left, Qt::AlignLeft, tr("before"));
  draw_label(painter, right, Qt::AlignRight, tr("after"));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(Qt::black, 3));
  painter.drawLine(edge(), 0, edge(), height());
  painter.setPen(QPen(Qt::white, 1));
  painter.drawLine(edge(), 0, edge(), height());
  painter.setPen(QPen(Qt::black, 1));
  painter.setBrush(Qt::white);
  const QPointF middle(edge(), height() / 2.0);
  for (const int side : {-1, 1})
    painter.drawPolygon(
        QPolygonF({middle + QPointF(side * 3, -kGrip), middle + QPointF(side * (3 + kGrip), 0),
                   middle + QPointF(side * 3, kGrip)}));
}

// Draws an image, or the text `instead` for a null image. `area` is the area for the whole picture,
// `clip` the part that is drawn.
void PictureCanvas::draw(QPainter& painter, const QRectF& area, const QRectF& clip, const QImage& image,
                         const QString& instead, Scaled& scaled) {
  painter.save();
  painter.setClipRect(clip);
  if (image.isNull()) {
    painter.setPen(palette().color(QPalette::WindowText));
    painter.drawText(clip.adjusted(20, 20, -20, -20), int(Qt::AlignCenter) | Qt::TextWordWrap, instead);
    return painter.restore();
  }
  const QRectF target = viewport_.rect(area, picture_size());
  const double ratio = devicePixelRatioF();
  const QSize shown = (target.size() * ratio).toSize().expandedTo({1, 1});
  if (shown.width() < image.width() || shown.height() < image.height()) {
    // A smooth reduction is slow, so its result is kept for the size.
    if (scaled.key != image.cacheKey() || scaled.image.size() != shown)
      scaled = {image.cacheKey(), image.scaled(shown, Qt::IgnoreAspectRatio, Qt::SmoothTransformation)};
    painter.drawImage(target, scaled.image);
    return painter.restore();
  }
  const double across = image.width() / target.width(), down = image.height() / target.height();
  const QRectF seen = target.intersected(clip).translated(-target.topLeft());
  const QRect source = QRectF(seen.x() * across, seen.y() * down, seen.width() * across, seen.height() * down)
                           .toAlignedRect()
                           .intersected(image.rect());
  if (source.isEmpty()) return painter.restore();
  painter.drawImage(QRectF(target.x() + source.x() / across, target.y() + source.y() / down,
                           source.width() / across, source.height() / down),
                    image, source);
  painter.restore();
}

void PictureCanvas::draw_label(QPainter& painter, const QRectF& area, Qt::Alignment where,
                               const QString& text) const {
  painter.save();
  painter.setClipRect(area);
  QRectF box(QPointF(0, 0), QSizeF(fontMetrics().size(Qt::TextSingleLine, text)) + QSizeF(12, 6));
  box.moveTop(area.top() + 6);
  if (where == Qt::AlignLeft)
    box.moveLeft(area.left() + 6);
  else
    box.moveRight(area.right() - 6);
  painter.fillRect(box, QColor(0, 0, 0, 160));
  painter.setPen(Qt::white);
  painter.drawText(box, Qt::AlignCenter, text);
  painter.restore();
}

}  // namespace weft::gui
