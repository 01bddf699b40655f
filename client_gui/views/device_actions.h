// SPDX-License-Identifier: Apache-2.0
// What can be done to a device, as actions of the widget that shows it: its context menu and keys.
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
  QString id;  // empty: none
};

// What the window tells of an order that was carried out.
QString done_sentence(DeviceOrder::Kind order, const QString& device);

class DeviceActions : public QObject {
  Q_OBJECT

 public:
  enum class Keys { kNone, kSpace };  // kSpace: Space drains, Shift+Space resumes

  // `chosen`: the device that is meant, asked when it is needed.
  DeviceActions(Fleet& fleet, QWidget& widget, Keys keys, std::function<PlacedDevice()> chosen);

  QAction& drain() { return *drain_; }
  QAction& resume() { return *resume_; }
  // Enables what is possible now.
  void enable();

 private:
  QAction* add(const QString& text, const QString& help, const QKeySequence& key, DeviceOrder::Kind kind);
  // Draining, after a question.
  void ask_to_drain(const PlacedDevice& device);
  bool is_possible(DeviceOrder::Kind kind) const;

  Fleet& fleet_;
  QWidget& widget_;
  std::function<PlacedDevice()> chosen_;
  QAction* drain_;
  QAction* resume_;
};

}  // namespace weft::gui
