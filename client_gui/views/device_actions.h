// SPDX-License-Identifier: Apache-2.0
// What can be done to a device, as actions of the widget that shows it: its context menu and keys.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "client_gui/models/fleet.h"

class QAction;
class QWidget;

namespace weft::gui {

struct PlacedDevice {
  int server = 0;
  QString id;  // empty: none
};

class DeviceActions : public QObject {
  Q_OBJECT

 public:
  // `chosen`: the device that is meant, asked when it is needed.
  DeviceActions(Fleet& fleet, QWidget& widget, std::function<PlacedDevice()> chosen);

  QAction& drain() { return *drain_; }
  QAction& resume() { return *resume_; }
  // Enables what is possible now.
  void enable();

 private:
  QAction* add(const QString& text, const QString& help, int key, DeviceOrder::Kind kind);
  bool is_possible(DeviceOrder::Kind kind) const;

  Fleet& fleet_;
  QWidget& widget_;
  std::function<PlacedDevice()> chosen_;
  QAction* drain_;
  QAction* resume_;
};

}  // namespace weft::gui
