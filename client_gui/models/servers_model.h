// SPDX-License-Identifier: Apache-2.0
// Presents the servers as a tree with their devices and their jobs by state. The selected node
// filters the jobs table.
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

  // Returns the filter that belongs to a node. An invalid index has a filter for all jobs.
  JobScope scope_of(const QModelIndex& index) const;
  // Returns the node of a server.
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

// Returns the states of jobs in the order of a job's life.
const std::vector<v1::JobState>& job_states();
// Returns the state of a connection: "offline for 12 s", "connected".
QString text_of(const Link& link);

}  // namespace weft::gui
