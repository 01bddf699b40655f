// SPDX-License-Identifier: Apache-2.0
// Presents the streams on a device as a table with their latency and deadline.
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "client_gui/connection/values.h"

namespace weft::gui {

enum class StreamColumn { kStream, kClass, kOwner, kFilter, kFrames, kRate, kP50, kP99, kDeadline, kMissed };
inline constexpr int kStreamColumns = int(StreamColumn::kMissed) + 1;

class StreamsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kLateRole = Qt::UserRole };  // bool: the latency exceeds the deadline

  using QAbstractTableModel::QAbstractTableModel;

  // Replaces the streams. The rows of streams that continue persist.
  void set_streams(std::vector<StreamRow> streams);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  std::vector<StreamRow> streams_;  // sorted by number
};

}  // namespace weft::gui
