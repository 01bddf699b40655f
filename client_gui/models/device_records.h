// SPDX-License-Identifier: Apache-2.0
// Stores the devices of all servers with their state and history.
#pragma once

#include <QObject>
#include <QStringList>
#include <map>
#include <vector>

#include "client_gui/connection/values.h"
#include "client_gui/models/device_history.h"

namespace weft::gui {

struct DeviceRecord {
  DeviceRow device;
  DeviceHistory history;
};

class DeviceRecords : public QObject {
  Q_OBJECT

 public:
  void apply(int server, const DeviceRows& list);
  void remove_server(int server);

  // Returns true after the server has sent its devices.
  bool knows(int server) const { return servers_.contains(server); }
  // Returns the devices in the server's order.
  const std::vector<DeviceRecord>& devices(int server) const;
  // Returns a device, or null if it is unknown.
  const DeviceRecord* find(int server, const QString& id) const;
  QStringList notes(int server) const;
  // Returns the end of the server's newest sample by the server's clock, or 0 if there is no
  // sample.
  double newest_time(int server) const;

 signals:
  // Reports that the server's devices, their data or the notes about them have changed.
  void changed(int server);

 private:
  struct Server {
    std::vector<DeviceRecord> devices;
    QStringList notes;
  };
  std::map<int, Server> servers_;
};

}  // namespace weft::gui
