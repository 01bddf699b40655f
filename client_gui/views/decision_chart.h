// SPDX-License-Identifier: Apache-2.0
// Draws the decision of an analysis over time: a strip with a colour for each kind of section, and
// a curve for each quantity below it.
#pragma once

#include <QImage>
#include <QWidget>
#include <functional>
#include <utility>
#include <vector>

#include "client_gui/models/decision_text.h"

namespace weft::gui {

// A chart of the whole input, or of a part of it (wheel, drag, keys). A column of pixels with
// several sections shows the share of each kind, and the mean and the range of each quantity.
class DecisionChart : public QWidget {
  Q_OBJECT

 public:
  // Range of time in seconds.
  struct Span {
    double begin = 0, end = 1;
    double length() const { return end - begin; }
    bool operator==(const Span&) const = default;
  };

  explicit DecisionChart(DecisionRow decision, QWidget* parent = nullptr);

  const DecisionRow& decision() const { return decision_; }
  // Sets the shown range. It is moved and widened to lie within the decision and to be long enough.
  void set_span(Span span);
  Span span() const { return span_; }
  Span whole() const;
  // Selects and marks a section. -1: none.
  void select(int section);
  int selected() const { return selected_; }

  // Returns the text of a section: times, frames, kind and values.
  QString words_of(int section) const;
  // Returns the section at a position of the widget, or -1.
  int section_at(const QPoint& position) const;
  // Returns the area of the strip.
  QRect strip() const { return layout_of(rect()).strip; }

  // Paints the chart into an area, without the selection. height_for_picture() is a good height.
  void paint(QPainter& painter, const QRect& area) const;
  int height_for_picture() const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 signals:
  void section_selected(int section);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  // A curve of a quantity.
  struct Lane {
    size_t series = 0;
    double least = 0, most = 1;  // ends of the axis
  };
  struct Layout {
    QRect title, legend, strip, axis;
    std::vector<QRect> lanes;
  };

  int height_for(int lane_lines) const;
  int strip_height() const;
  int margin() const;  // width of the axis labels
  Layout layout_of(const QRect& area) const;
  double x_of(double time, const QRect& across) const;
  double time_at(double x) const;
  // Returns the range of sections that are visible, as indices [first, end).
  std::pair<size_t, size_t> visible() const;
  void for_columns(const QRect& area,
                   const std::function<void(size_t, double, const DecisionSectionRow&)>& use) const;
  void zoom(double factor, double time);
  void select_next(int step);
  void paint_legend(QPainter& painter, const QRect& area) const;
  void paint_strip(QPainter& painter, const QRect& area) const;
  void paint_lane(QPainter& painter, const QRect& area, const Lane& lane) const;
  void paint_labels(QPainter& painter, const QRect& area, const Lane& lane) const;
  void paint_axis(QPainter& painter, const QRect& area) const;
  void paint_selected(QPainter& painter, const Layout& layout) const;

  const DecisionRow decision_;
  std::vector<Lane> lanes_;
  Span span_;
  int selected_ = -1;
  double dragged_from_ = 0;  // time below the pointer at the begin of a drag
};

// Returns charts as a picture, one below the other.
QImage picture_of(const std::vector<const DecisionChart*>& charts);

}  // namespace weft::gui
