// SPDX-License-Identifier: Apache-2.0
// Shows one device: state, properties, timeline and streams.
#pragma once

#include <QFrame>

#include "client_gui/models/fleet.h"
#include "client_gui/models/streams_model.h"
#include "client_gui/views/device_actions.h"

class QLabel;
class QTableView;

namespace weft::gui {

class DeviceTimeline;

class DeviceStrip : public QFrame {
  Q_OBJECT

 public:
  DeviceStrip(Fleet& fleet, int server, const QString& device, QWidget* parent = nullptr);

  int server() const { return server_; }
  const QString& device() const { return device_; }
  DeviceTimeline& timeline() { return *timeline_; }
  DeviceActions& actions() { return *actions_; }

  // Updates the display to the current data.
  void refresh();
  void set_span(double seconds);

 protected:
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  void show_title(const DeviceRow& device, const Link& link);
  void show_words(const DeviceRecord& record);
  void show_streams(const DeviceRow& device);
  void widen_columns();
  void show_legend(const std::optional<DeviceSampleRow>& sample);

  Fleet& fleet_;
  const int server_;
  const QString device_;
  StreamsModel streams_;
  QLabel* title_;
  QLabel* hardware_;
  QLabel* reason_;
  DeviceTimeline* timeline_;
  QLabel* legend_;
  QLabel* spare_;
  QLabel* properties_;
  QTableView* table_;
  DeviceActions* actions_;
  double span_ = 600;
};

}  // namespace weft::gui
