// SPDX-License-Identifier: Apache-2.0
// Displays two pictures with a wipe, with flicker, side by side, or as their difference.
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

  // The displayed images and the texts shown instead of null images. All images are scaled to the
  // output's size. The height of lines is unchanged; `pixel_aspect` (width of a pixel divided by
  // its height) scales the width.
  struct Content {
    QImage before, after, difference;
    QString said_before, said_after, said_difference;
    double pixel_aspect = 1;
  };
  void set_content(Content content);

  void set_mode(CompareMode mode);
  CompareMode mode() const { return mode_; }
  // Returns the picture that kFlicker shows. swap() ends the automatic change until the mode is set
  // again.
  bool shows_after() const { return shows_after_; }
  void swap();
  // Returns the position of the wipe's edge as a fraction of the width. The input is on its left.
  double wipe() const { return wipe_; }

  void fit();
  void show_pixels();  // shows one screen line per picture line
  void zoom_by(double factor);
  // Returns the number of screen lines per picture line.
  double zoom() const;

  QSize sizeHint() const override { return {640, 480}; }

 signals:
  // Reports the pixel under the pointer, or nothing if there is none.
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
    qint64 key = 0;  // cache key of the unscaled image
    QImage image;
  };

  QSizeF picture_size() const;
  // area that contains the point: one half if the pictures are side by side
  QRectF area_of(const QPointF& point) const;
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
  std::array<Scaled, 3> scaled_;  // scaled images: before, after, difference
};

}  // namespace weft::gui
