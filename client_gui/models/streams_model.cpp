// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/streams_model.h"

#include <algorithm>

#include "client_gui/models/device_text.h"
#include "client_gui/models/text.h"
#include "client_gui/texts/declared.h"
#include "options/option.h"
#include "weft/v1/stream_service.pb.h"

namespace weft::gui {
namespace {

QString missed_text(const StreamRow& stream) {
  if (stream.deadline < 0) return QStringLiteral("-");
  if (stream.pictures <= 0) return QString::number(stream.missed);
  return QStringLiteral("%1 (%2%)")
      .arg(stream.missed)
      .arg(100.0 * double(stream.missed) / double(stream.pictures), 0, 'f', 1);
}

QString text_of(const StreamRow& stream, StreamColumn column) {
  switch (column) {
    case StreamColumn::kStream:
      return QString::number(stream.number);
    case StreamColumn::kClass:
      return choice_text(options::choice_name(stream.stream_class));
    case StreamColumn::kOwner:
      return stream.owner;
    case StreamColumn::kFilter:
      return stream.filter;
    case StreamColumn::kFrames:
      return stream.frames;
    case StreamColumn::kRate:
      return QString::number(stream.rate, 'f', 1);
    case StreamColumn::kP50:
      return milliseconds_text(stream.p50);
    case StreamColumn::kP99:
      return milliseconds_text(stream.p99);
    case StreamColumn::kDeadline:
      return stream.deadline < 0 ? QStringLiteral("-") : milliseconds_text(stream.deadline);
    case StreamColumn::kMissed:
      return missed_text(stream);
  }
  return {};
}

bool is_late(const StreamRow& stream, StreamColumn column) {
  if (stream.deadline < 0) return false;
  return (column == StreamColumn::kP50 && stream.p50 > stream.deadline) ||
         (column == StreamColumn::kP99 && stream.p99 > stream.deadline) ||
         (column == StreamColumn::kMissed && stream.missed > 0);
}

}  // namespace

void StreamsModel::set_streams(std::vector<StreamRow> streams) {
  std::sort(streams.begin(), streams.end(),
            [](const StreamRow& a, const StreamRow& b) { return a.number < b.number; });
  size_t row = 0;
  for (StreamRow& stream : streams) {
    while (row < streams_.size() && streams_[row].number < stream.number) {
      beginRemoveRows({}, int(row), int(row));
      streams_.erase(streams_.begin() + ptrdiff_t(row));
      endRemoveRows();
    }
    if (row == streams_.size() || streams_[row].number != stream.number) {
      beginInsertRows({}, int(row), int(row));
      streams_.insert(streams_.begin() + ptrdiff_t(row), std::move(stream));
      endInsertRows();
    } else if (streams_[row] != stream) {
      streams_[row] = std::move(stream);
      emit dataChanged(index(int(row), 0), index(int(row), kStreamColumns - 1));
    }
    row++;
  }
  if (row == streams_.size()) return;
  beginRemoveRows({}, int(row), int(streams_.size()) - 1);
  streams_.resize(row);
  endRemoveRows();
}

int StreamsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int(streams_.size());
}

int StreamsModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kStreamColumns;
}

QVariant StreamsModel::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const StreamRow& stream = streams_[size_t(index.row())];
  const auto column = StreamColumn(index.column());
  switch (role) {
    case Qt::DisplayRole:
      return text_of(stream, column);
    case Qt::ToolTipRole:
      return is_late(stream, column) ? tr("Later than the deadline.") : QVariant();
    case Qt::TextAlignmentRole:
      return int((column >= StreamColumn::kRate ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case kLateRole:
      return is_late(stream, column);
    default:
      return {};
  }
}

QVariant StreamsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (StreamColumn(section)) {
    case StreamColumn::kStream:
      return tr("Stream");
    case StreamColumn::kClass:
      return tr("Class");
    case StreamColumn::kOwner:
      return tr("Owner");
    case StreamColumn::kFilter:
      return tr("Filter");
    case StreamColumn::kFrames:
      return tr("Frames");
    case StreamColumn::kRate:
      return tr("Frames/s");
    case StreamColumn::kP50:
      return tr("Latency p50");
    case StreamColumn::kP99:
      return tr("p99");
    case StreamColumn::kDeadline:
      return tr("Deadline");
    case StreamColumn::kMissed:
      return tr("Late");
  }
  return {};
}

}  // namespace weft::gui
