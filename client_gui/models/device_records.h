// SPDX-License-Identifier: Apache-2.0
// The devices of all servers: each as it is, and what it did.
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

  // The server told its devices once.
  bool knows(int server) const { return servers_.contains(server); }
  // In the order in which the server tells them.
  const std::vector<DeviceRecord>& devices(int server) const;
  // Null: there is no such device.
  const DeviceRecord* find(int server, const QString& id) const;
  QStringList notes(int server) const;
  // When the server's newest sample ended, by its clock; 0: there is none.
  double newest_time(int server) const;

 signals:
  // A server's devices, what is known of them, or its notes.
  void changed(int server);

 private:
  struct Server {
    std::vector<DeviceRecord> devices;
    QStringList notes;
  };
  std::map<int, Server> servers_;
};

}  // namespace weft::gui
