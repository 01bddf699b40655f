// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/servers_model.h"

#include <QBrush>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

#include "client_gui/models/device_text.h"
#include "client_gui/models/job_columns.h"
#include "client_gui/models/text.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

QVariant dimmed() { return QGuiApplication::palette().brush(QPalette::Disabled, QPalette::Text); }

}  // namespace

const std::vector<v1::JobState>& job_states() {
  static const std::vector<v1::JobState> states = [] {
    std::vector<v1::JobState> all;
    for (int i = 0; i < v1::JobState_descriptor()->value_count(); i++)
      if (const int number = v1::JobState_descriptor()->value(i)->number(); number != 0)
        all.push_back(v1::JobState(number));
    return all;
  }();
  return states;
}

QString text_of(const Link& link) {
  const QString age = link.age_seconds < 0 ? QString() : age_text(link.age_seconds);
  switch (link.state) {
    case LinkState::kConnecting:
      return ServersModel::tr("connecting");
    case LinkState::kLive:
      return link.shuts_down ? ServersModel::tr("shutting down") : ServersModel::tr("connected");
    case LinkState::kStale:
      return ServersModel::tr("no answer for %1").arg(age);
    case LinkState::kOffline:
      return age.isEmpty() ? ServersModel::tr("offline") : ServersModel::tr("offline for %1").arg(age);
  }
  return {};
}

ServersModel::ServersModel(QObject* parent) : QAbstractItemModel(parent) {}

ServersModel::Server& ServersModel::server_of(int number) {
  return *std::find_if(servers_.begin(), servers_.end(),
                       [&](const Server& server) { return server.number == number; });
}

// Returns the server of a node. Nodes below a server store the server's number; server nodes store
// 0.
const ServersModel::Server& ServersModel::server_of(const QModelIndex& node) const {
  const auto number = int(node.internalId());
  if (number == 0) return servers_[size_t(node.row())];
  return const_cast<ServersModel*>(this)->server_of(number);
}

QModelIndex ServersModel::server_index(int server) const {
  for (size_t row = 0; row < servers_.size(); row++)
    if (servers_[row].number == server) return createIndex(int(row), 0, quintptr(0));
  return {};
}

void ServersModel::add_server(int server, const QString& name) {
  const int row = int(servers_.size());
  beginInsertRows({}, row, row);
  servers_.push_back({server, name, {}, {}, {}});
  endInsertRows();
}

void ServersModel::remove_server(int server) {
  const int row = server_index(server).row();
  beginRemoveRows({}, row, row);
  servers_.erase(servers_.begin() + row);
  endRemoveRows();
}

void ServersModel::set_devices(int server, const std::vector<DeviceRow>& devices) {
  const QModelIndex parent = server_index(server);
  Server& known = server_of(server);
  const int before = int(known.devices.size());
  const int after = int(devices.size());
  if (after > before) {
    beginInsertRows(parent, before, after - 1);
    known.devices = devices;
    endInsertRows();
  } else if (after < before) {
    beginRemoveRows(parent, after, before - 1);
    known.devices = devices;
    endRemoveRows();
  } else {
    known.devices = devices;
  }
  if (after > 0) emit dataChanged(index(0, 0, parent), index(after - 1, 0, parent));
}

void ServersModel::set_counts(int server, const JobsModel::Counts& counts) {
  const QModelIndex parent = server_index(server);
  Server& known = server_of(server);
  known.counts = counts;
  const int first = int(known.devices.size());
  emit dataChanged(index(first, 0, parent), index(rowCount(parent) - 1, 0, parent));
}

void ServersModel::set_link(int server, const Link& link) {
  server_of(server).link = link;
  const QModelIndex node = server_index(server);
  emit dataChanged(node, node);
  emit dataChanged(index(0, 0, node), index(rowCount(node) - 1, 0, node), {Qt::ForegroundRole});
}

JobScope ServersModel::scope_of(const QModelIndex& node) const {
  JobScope scope;
  if (!node.isValid()) return scope;
  const Server& server = server_of(node);
  scope.server = server.number;
  if (node.internalId() == 0) return scope;
  const auto row = size_t(node.row());
  if (row < server.devices.size())
    scope.device = server.devices[row].id;
  else
    scope.state = job_states()[row - server.devices.size()];
  return scope;
}

// --- The tree ------------------------------------------------------------------------------------

QModelIndex ServersModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, quintptr(parent.isValid() ? server_of(parent).number : 0));
}

QModelIndex ServersModel::parent(const QModelIndex& node) const {
  return node.isValid() && node.internalId() != 0 ? server_index(int(node.internalId())) : QModelIndex();
}

int ServersModel::rowCount(const QModelIndex& parent) const {
  if (!parent.isValid()) return int(servers_.size());
  if (parent.internalId() != 0 || parent.column() != 0) return 0;
  return int(server_of(parent).devices.size() + job_states().size());
}

int ServersModel::columnCount(const QModelIndex&) const { return 1; }

QVariant ServersModel::data(const QModelIndex& node, int role) const {
  if (!checkIndex(node, CheckIndexOption::IndexIsValid)) return {};
  const Server& server = server_of(node);
  if (node.internalId() == 0) return server_data(server, role);
  if (role == Qt::ForegroundRole && server.link.state != LinkState::kLive) return dimmed();
  const auto row = size_t(node.row());
  if (row < server.devices.size()) return device_data(server.devices[row], role);
  return state_data(server, job_states()[row - server.devices.size()], role);
}

QVariant ServersModel::server_data(const Server& server, int role) const {
  if (role == Qt::DisplayRole) return tr("%1 (%2)").arg(server.name, text_of(server.link));
  if (role == Qt::ToolTipRole) return server.link.reason.isEmpty() ? server.name : server.link.reason;
  if (role == kLinkRole) return int(server.link.state);
  return {};
}

QVariant ServersModel::device_data(const DeviceRow& device, int role) const {
  const bool in_service = device.state == v1::DEVICE_STATE_IN_SERVICE;
  if (role == Qt::DisplayRole) {
    if (in_service) return tr("%1: %2").arg(device.id, device.name);
    return tr("%1: %2").arg(device.id, name_of(device.state));
  }
  if (role == Qt::ToolTipRole) return device.reason.isEmpty() ? device.name : device.reason;
  if (role == Qt::ForegroundRole && !in_service) return dimmed();
  return {};
}

QVariant ServersModel::state_data(const Server& server, v1::JobState state, int role) const {
  const auto count = server.counts.find(state);
  const int jobs = count == server.counts.end() ? 0 : count->second;
  if (role == Qt::DisplayRole) return tr("%1 (%2)").arg(name_of(state)).arg(jobs);
  if (role == Qt::ToolTipRole) return tr("Jobs by state; select one to see only these jobs.");
  if (role == Qt::ForegroundRole && jobs == 0) return dimmed();
  if (role == Qt::ForegroundRole && state == v1::JOB_STATE_FAILED)
    return QGuiApplication::palette().brush(QPalette::BrightText);
  return {};
}

}  // namespace weft::gui
