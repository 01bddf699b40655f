// SPDX-License-Identifier: Apache-2.0
// Draws a scrolling chart of a device's time over the last minutes: stacked classes, and the time
// available to jobs as a line.
#pragma once

#include <QImage>
#include <QWidget>

#include "client_gui/models/device_records.h"

namespace weft::gui {

// A chart with pixel columns for fixed intervals. A column is the average of its interval, so that
// scrolling repaints only new columns.
class DeviceTimeline : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kLeastGraph = 36, kMostGraph = 92;  // limits of the height in pixels

  DeviceTimeline(const DeviceRecords& records, int server, QString device, QWidget* parent = nullptr);

  // Sets the time at the right end, by the server's clock.
  void advance(double time);
  void set_span(double seconds);
  // Sets whether the chart is dimmed, which marks outdated data.
  void set_dimmed(bool dimmed);

  // Returns the image of the columns without axes. Repaints it if necessary.
  const QImage& columns();
  QImage columns_painted_anew() const;
  // Returns the data at a position of the widget as text.
  QString words_at(const QPoint& area) const;

  // Sets the available height. The chart uses a part of it, between kLeastGraph and kMostGraph.
  void set_available_height(int height);
  // Returns the fraction of device time at the top of the axis, 0 to 1: the least scale that
  // contains all visible data.
  double scale() const { return scale_; }

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;
  bool event(QEvent* event) override;

 private:
  void choose_scale();
  int height_of_axes() const;
  QRect graph() const;
  QSize picture_size() const;
  double column_seconds(int columns) const { return span_ / columns; }
  int64_t edge_column(int columns) const;
  void paint_columns(QImage& picture, int64_t first) const;
  void draw_axes(QPainter& painter) const;
  const DeviceHistory* history() const;

  const DeviceRecords& records_;
  const int server_;
  const QString device_;
  double time_ = 0;
  double span_ = 600;
  double scale_ = 1;
  int graph_height_ = kMostGraph;
  bool dimmed_ = false;
  QImage picture_;  // null: the columns have to be repainted
  int64_t picture_edge_ = 0;
  double painted_to_ = 0;  // time of the newest painted sample
};

}  // namespace weft::gui
