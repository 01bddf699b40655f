// SPDX-License-Identifier: Apache-2.0
// Provides actions on a device for a widget's context menu and keys.
#pragma once

#include <QKeySequence>
#include <QObject>
#include <QString>
#include <functional>

#include "client_gui/models/fleet.h"

class QAction;
class QWidget;

namespace weft::gui {

struct PlacedDevice {
  int server = 0;
  QString id;  // ID of the device; empty: no device
};

// Returns the message after a successful order.
QString done_sentence(DeviceOrder::Kind order, const QString& device);

class DeviceActions : public QObject {
  Q_OBJECT

 public:
  enum class Keys { kNone, kSpace };  // kSpace: Space drains the device, Shift+Space resumes it

  // `chosen` returns the device at the time of an action.
  DeviceActions(Fleet& fleet, QWidget& widget, Keys keys, std::function<PlacedDevice()> chosen);

  QAction& drain() { return *drain_; }
  QAction& resume() { return *resume_; }
  // Enables the actions that are possible in the device's current state.
  void enable();

 private:
  QAction* add(const QString& text, const QString& help, const QKeySequence& key, DeviceOrder::Kind kind);
  // Drains the device after confirmation.
  void ask_to_drain(const PlacedDevice& device);
  bool is_possible(DeviceOrder::Kind kind) const;

  Fleet& fleet_;
  QWidget& widget_;
  std::function<PlacedDevice()> chosen_;
  QAction* drain_;
  QAction* resume_;
};

}  // namespace weft::gui
