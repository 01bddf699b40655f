// SPDX-License-Identifier: Apache-2.0
// The servers that are looked at, and the models that they fill.
#pragma once

#include <QObject>
#include <QString>
#include <QTimer>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/status.h"
#include "client_gui/connection/server_connection.h"
#include "client_gui/models/jobs_model.h"
#include "client_gui/models/servers_model.h"

namespace weft::gui {

class Fleet : public QObject {
  Q_OBJECT

 public:
  Fleet();
  ~Fleet() override;

  // The server's number, from 1; the number of one that is there already. INVALID_ARGUMENT: the address is wrong.
  StatusOr<int> add(const QString& address);
  void remove(int server);
  std::vector<int> servers() const;
  QString address(int server) const { return connections_.at(server)->address(); }
  Link link(int server) const { return connections_.at(server)->link(); }
  void retry_now(int server) { connections_.at(server)->retry_now(); }
  // True when the models hold what every server has, save those that cannot be reached.
  bool is_settled() const;

  JobsModel& jobs() { return jobs_; }
  ServersModel& tree() { return tree_; }

 signals:
  // A server came, went, or stands otherwise; also as time goes by while one is not live.
  void links_changed();

 private:
  void take(int server, const Delivery& delivery);
  void show_link(int server);
  void show_ages();

  JobsModel jobs_;
  ServersModel tree_;
  std::map<int, std::unique_ptr<ServerConnection>> connections_;
  std::set<int> told_;  // servers that told all their jobs once
  int last_number_ = 0;
  QTimer ages_timer_;
};

}  // namespace weft::gui
