// SPDX-License-Identifier: Apache-2.0
// Two pictures on one area: a wipe between them, one after the other, beside each other, or how they differ.
#pragma once

#include <QImage>
#include <QTimer>
#include <QWidget>
#include <array>
#include <optional>

#include "client_gui/pictures/viewport.h"

namespace weft::gui {

enum class CompareMode { kWipe, kFlicker, kDifference, kSideBySide };

class PictureCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit PictureCanvas(QWidget* parent = nullptr);

  // Null: there is none, and the words say why. All are stretched to the size of the output's. Lines keep their height, so that
  // `pixel_aspect` (the width of a pixel over its height) makes pictures wider or narrower.
  struct Content {
    QImage before, after, difference;
    QString said_before, said_after, said_difference;
    double pixel_aspect = 1;
  };
  void set_content(Content content);

  void set_mode(CompareMode mode);
  CompareMode mode() const { return mode_; }
  // Of kFlicker: which one is shown. By hand, the change by itself ends until the mode is chosen again.
  bool shows_after() const { return shows_after_; }
  void swap();
  // Where the wipe's edge is, as a part of the width: left of it is the input.
  double wipe() const { return wipe_; }

  void fit();
  void show_pixels();  // one line of the screen's a line
  void zoom_by(double factor);
  // A line of the picture as so many of the screen's.
  double zoom() const;

  QSize sizeHint() const override { return {640, 480}; }

 signals:
  // Nothing: none is under the pointer.
  void pointed_at(const std::optional<QPoint>& pixel);
  void zoomed(double zoom);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  enum class Drag { kNone, kWipe, kPan };
  struct Scaled {
    qint64 key = 0;  // of the image
    QImage image;
  };

  QSizeF picture_size() const;
  QRectF area_of(const QPointF& point) const;  // the half under it, where there are two
  std::array<QRectF, 2> areas() const;
  bool is_on_handle(const QPointF& point) const;
  int edge() const;
  void place(const Viewport& viewport);
  void draw(QPainter& painter, const QRectF& area, const QRectF& clip, const QImage& image,
            const QString& instead, Scaled& scaled);
  void draw_wipe(QPainter& painter);
  void draw_label(QPainter& painter, const QRectF& area, Qt::Alignment where, const QString& text) const;

  Content content_;
  CompareMode mode_ = CompareMode::kWipe;
  Viewport viewport_;
  double wipe_ = 0.5;
  bool shows_after_ = false;
  QTimer flicker_;
  Drag drag_ = Drag::kNone;
  QPointF last_;
  std::array<Scaled, 3> scaled_;  // before, after, difference: smaller than they are
};

}  // namespace weft::gui
