// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/device_records.h"

#include <algorithm>

namespace weft::gui {

void DeviceRecords::apply(int server, const DeviceRows& list) {
  Server& known = servers_[server];
  std::vector<DeviceRecord> before = std::exchange(known.devices, {});
  for (const DeviceRow& device : list.devices) {
    DeviceRecord& record = known.devices.emplace_back();
    const auto old = std::find_if(before.begin(), before.end(),
                                  [&](const DeviceRecord& each) { return each.device.id == device.id; });
    if (old != before.end()) record.history = std::move(old->history);
    record.device = device;
    if (device.sample) record.history.add(*device.sample);
  }
  known.notes = list.notes;
  emit changed(server);
}

void DeviceRecords::remove_server(int server) {
  servers_.erase(server);
  emit changed(server);
}

const std::vector<DeviceRecord>& DeviceRecords::devices(int server) const {
  static const std::vector<DeviceRecord> kNone;
  const auto known = servers_.find(server);
  return known == servers_.end() ? kNone : known->second.devices;
}

const DeviceRecord* DeviceRecords::find(int server, const QString& id) const {
  for (const DeviceRecord& record : devices(server))
    if (record.device.id == id) return &record;
  return nullptr;
}

QStringList DeviceRecords::notes(int server) const {
  const auto known = servers_.find(server);
  return known == servers_.end() ? QStringList() : known->second.notes;
}

double DeviceRecords::newest_time(int server) const {
  double newest = 0;
  for (const DeviceRecord& record : devices(server))
    if (!record.history.samples().empty()) newest = std::max(newest, record.history.samples().back().time);
  return newest;
}

}  // namespace weft::gui
