// SPDX-License-Identifier: Apache-2.0
// Who had a device's time, as a picture that scrolls: time to the right, the parts of it stacked, and the budget of jobs as
// a line.
#pragma once

#include <QImage>
#include <QWidget>

#include "client_gui/models/device_records.h"

namespace weft::gui {

// A column of pixels is the average over its time, whenever it is painted: what scrolls is painted once.
class DeviceTimeline : public QWidget {
  Q_OBJECT

 public:
  static constexpr int kLeastGraph = 36, kMostGraph = 92;  // height

  DeviceTimeline(const DeviceRecords& records, int server, QString device, QWidget* parent = nullptr);

  // The right end: a time by the server's clock.
  void advance(double time);
  void set_span(double seconds);
  // What is shown is old.
  void set_dimmed(bool dimmed);

  // The columns, without axes: as they are kept, or painted anew.
  const QImage& columns();
  QImage columns_painted_anew() const;
  // What stands at a place, in words.
  QString words_at(const QPoint& place) const;

  // It takes as much of that as makes it readable, and no more than it needs.
  void set_room(int height);
  // The part of the device's time at the top, 0 to 1: the least that holds all that is shown.
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
  QImage picture_;  // null: to be painted anew
  int64_t picture_edge_ = 0;
  double painted_to_ = 0;  // samples up to here are in it
};

}  // namespace weft::gui
