// SPDX-License-Identifier: Apache-2.0
// The servers as a tree: below each its devices, then its jobs by state. Choosing a node says which jobs are meant.
#pragma once

#include <QAbstractItemModel>
#include <map>
#include <vector>

#include "client_gui/connection/values.h"
#include "client_gui/models/jobs_model.h"

namespace weft::gui {

class ServersModel : public QAbstractItemModel {
  Q_OBJECT

 public:
  enum Role { kLinkRole = Qt::UserRole };  // LinkState of a server, as int

  explicit ServersModel(QObject* parent = nullptr);

  void add_server(int server, const QString& name);
  void remove_server(int server);
  void set_devices(int server, const std::vector<DeviceRow>& devices);
  void set_counts(int server, const JobsModel::Counts& counts);
  void set_link(int server, const Link& link);

  // The jobs that a node stands for; every job for an invalid index.
  JobScope scope_of(const QModelIndex& index) const;
  // A server's node.
  QModelIndex server_index(int server) const;

  QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
  QModelIndex parent(const QModelIndex& index) const override;
  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  struct Server {
    int number = 0;
    QString name;
    Link link;
    std::vector<DeviceRow> devices;
    JobsModel::Counts counts;
  };

  Server& server_of(int number);
  const Server& server_of(const QModelIndex& node) const;
  QVariant server_data(const Server& server, int role) const;
  QVariant device_data(const DeviceRow& device, int role) const;
  QVariant state_data(const Server& server, v1::JobState state, int role) const;

  std::vector<Server> servers_;
};

// The states that jobs can be in, in the order of a job's life.
const std::vector<v1::JobState>& job_states();
// "offline for 12 s", "live".
QString text_of(const Link& link);

}  // namespace weft::gui
