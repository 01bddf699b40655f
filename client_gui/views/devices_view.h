// SPDX-License-Identifier: Apache-2.0
// Shows the devices of all servers, one strip each, and notes about unavailable devices.
#pragma once

#include <QWidget>
#include <vector>

#include "client_gui/models/fleet.h"

class QComboBox;
class QLabel;
class QScrollArea;
class QVBoxLayout;

namespace weft::gui {

class DeviceStrip;

class DevicesView : public QWidget {
  Q_OBJECT

 public:
  explicit DevicesView(Fleet& fleet, QWidget* parent = nullptr);

  // Shows the devices of one server and scrolls to the named device. Server 0: all servers.
  void set_scope(int server, const QString& device);
  // Returns the strips from top to bottom.
  const std::vector<DeviceStrip*>& strips() const { return strips_; }
  DeviceStrip* strip(int server, const QString& device) const;

  // Returns the time span of the strips in seconds. The settings store it.
  double span() const;
  void set_span(double seconds);

 signals:
  void span_changed();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void refresh_server(int server);
  bool has_devices_as_shown() const;
  void rebuild();
  // Handles a key of a strip. Returns false if the key has no action.
  bool take_key(const DeviceStrip& at, int key);
  void show_notes();
  void share_height();
  std::vector<int> shown_servers() const;

  Fleet& fleet_;
  int server_ = 0;
  QComboBox* spans_;
  QScrollArea* area_;
  QVBoxLayout* list_;
  QLabel* notes_;
  std::vector<DeviceStrip*> strips_;
};

}  // namespace weft::gui
