// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/device_actions.h"

#include <QAction>
#include <QWidget>

#include "weft/v1/device_service.pb.h"

namespace weft::gui {

DeviceActions::DeviceActions(Fleet& fleet, QWidget& widget, std::function<PlacedDevice()> chosen)
    : QObject(&widget), fleet_(fleet), widget_(widget), chosen_(std::move(chosen)) {
  drain_ = add(tr("&Drain"), tr("Finish what runs on the device, take no more"), Qt::Key_Space,
               DeviceOrder::Kind::kDrain);
  resume_ = add(tr("&Resume"), tr("Use the device again"), int(Qt::SHIFT) | Qt::Key_Space,
                DeviceOrder::Kind::kResume);
  widget_.setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(&fleet_.devices(), &DeviceRecords::changed, this, &DeviceActions::enable);
  enable();
}

QAction* DeviceActions::add(const QString& text, const QString& help, int key, DeviceOrder::Kind kind) {
  auto* action = new QAction(text, this);
  action->setShortcut(QKeySequence(key));
  action->setShortcutContext(Qt::WidgetShortcut);
  action->setToolTip(help);
  connect(action, &QAction::triggered, this, [this, kind] {
    if (!is_possible(kind)) return;
    const PlacedDevice device = chosen_();
    fleet_.order(device.server, DeviceOrder{kind, device.id});
  });
  widget_.addAction(action);
  return action;
}

bool DeviceActions::is_possible(DeviceOrder::Kind kind) const {
  const PlacedDevice chosen = chosen_();
  const DeviceRecord* record = fleet_.devices().find(chosen.server, chosen.id);
  if (record == nullptr) return false;
  switch (record->device.state) {
    case v1::DEVICE_STATE_STARTING:
    case v1::DEVICE_STATE_IN_SERVICE:
      return kind == DeviceOrder::Kind::kDrain;
    case v1::DEVICE_STATE_DRAINING:
    case v1::DEVICE_STATE_DRAINED:
      return kind == DeviceOrder::Kind::kResume;
    case v1::DEVICE_STATE_OUT_OF_SERVICE:
      return true;
    default:
      return false;
  }
}

void DeviceActions::enable() {
  drain_->setEnabled(is_possible(DeviceOrder::Kind::kDrain));
  resume_->setEnabled(is_possible(DeviceOrder::Kind::kResume));
}

}  // namespace weft::gui
