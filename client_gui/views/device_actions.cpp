// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/device_actions.h"

#include <QAction>
#include <QWidget>

#include "client_gui/forms/confirm.h"
#include "weft/v1/device_service.pb.h"

namespace weft::gui {

QString done_sentence(DeviceOrder::Kind order, const QString& device) {
  return order == DeviceOrder::Kind::kDrain
             ? DeviceActions::tr("%1 is being drained: running jobs are finished, no new ones start.")
                   .arg(device)
             : DeviceActions::tr("%1 is back in service.").arg(device);
}

DeviceActions::DeviceActions(Fleet& fleet, QWidget& widget, Keys keys, std::function<PlacedDevice()> chosen)
    : QObject(&widget), fleet_(fleet), widget_(widget), chosen_(std::move(chosen)) {
  const auto key = [keys](int combination) {
    return keys == Keys::kNone ? QKeySequence() : QKeySequence(combination);
  };
  drain_ = add(tr("&Drain the device ..."), tr("Finish running jobs on the device, start no new ones"),
               key(Qt::Key_Space), DeviceOrder::Kind::kDrain);
  resume_ = add(tr("&Resume the device"), tr("Start jobs on the device again"),
                key(int(Qt::SHIFT) | Qt::Key_Space), DeviceOrder::Kind::kResume);
  widget_.setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(&fleet_.devices(), &DeviceRecords::changed, this, &DeviceActions::enable);
  enable();
}

QAction* DeviceActions::add(const QString& text, const QString& help, const QKeySequence& key,
                            DeviceOrder::Kind kind) {
  auto* action = new QAction(text, this);
  action->setShortcut(key);
  action->setShortcutContext(Qt::WidgetShortcut);
  action->setToolTip(help);
  connect(action, &QAction::triggered, this, [this, kind] {
    if (!is_possible(kind)) return;
    const PlacedDevice device = chosen_();
    if (kind == DeviceOrder::Kind::kDrain) return ask_to_drain(device);
    fleet_.order(device.server, DeviceOrder{kind, device.id});
  });
  widget_.addAction(action);
  return action;
}

void DeviceActions::ask_to_drain(const PlacedDevice& device) {
  const QString question = tr("Drain %1 of %2? Running jobs are finished, and no new ones start on it until "
                              "it is resumed.")
                               .arg(device.id, fleet_.address(device.server));
  confirm(widget_, tr("Drain a device"), question, [this, device] {
    // The server may have been removed while the question was shown.
    if (fleet_.devices().find(device.server, device.id) != nullptr)
      fleet_.order(device.server, DeviceOrder{DeviceOrder::Kind::kDrain, device.id});
  });
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
