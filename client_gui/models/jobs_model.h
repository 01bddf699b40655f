// SPDX-License-Identifier: Apache-2.0
// The jobs of all servers as a table: those that a filter lets through, in the order that was chosen. Made for 100,000 rows
// and many changes a second: a delivery costs one pass over the rows, however many of them changed, and no reset, so that
// selections live on.
#pragma once

#include <QAbstractTableModel>
#include <QHash>
#include <QStringList>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "client_gui/models/job_columns.h"

namespace weft::gui {

// Jobs that match every given part.
struct JobScope {
  int server = 0;  // 0: every
  QString device;
  std::optional<v1::JobState> state;
  QString text;  // words that all occur somewhere in the row; capitals do not count

  bool operator==(const JobScope&) const = default;
};

class JobsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kDoneRole = Qt::UserRole, kStateRole };
  using Counts = std::map<v1::JobState, int>;

  explicit JobsModel(QObject* parent = nullptr);

  // A server's jobs follow. `server`: any number above 0.
  void add_server(int server, const QString& name);
  void remove_server(int server);
  void apply(int server, const Delivery& delivery);
  // Rows of a server that is not live are drawn as disabled.
  void set_live(int server, bool live);

  void set_scope(const JobScope& scope);
  const JobScope& scope() const { return scope_; }

  const PlacedJob& job_at(int row) const { return entries_[order_[size_t(row)]].placed; }
  // The row of a job, or -1 where it is not shown.
  int row_of(int server, const QString& id) const;
  // Whether a job is new, or its state or attempt another than was known.
  bool changes_state(int server, const JobRow& job) const;
  int total() const { return int(entries_.size() - free_.size()); }
  // Jobs by state, shown or not.
  Counts counts(int server) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 signals:
  void counts_changed(int server);

 private:
  using Slot = uint32_t;  // an index into entries_, for as long as the job is known
  enum class Fate {
    kStays,
    kPlaced,
    kLeaves
  };  // where it is to be shown: as now, newly or elsewhere, no more
  struct Entry {
    PlacedJob placed;
    uint64_t generation = 0;  // of the snapshot that told of it last
    int row = -1;             // where it is shown
    bool used = false;
    Fate fate = Fate::kStays;
  };
  struct Server {
    QString name;
    uint64_t generation = 0;
    bool live = false;
    QHash<QString, Slot> slots_by_id;
    Counts counts;
  };
  // What a delivery or a new scope changes in what is shown.
  struct Changes {
    std::vector<Slot> entering, moving, leaving, updated;
  };

  void put(int server, const JobRow& job, Changes& changes);
  void forget(int server, const QString& id, Changes& changes);
  void forget_old(int server, Changes& changes);
  void rearrange(Changes changes);
  void enter(std::vector<Slot>& entering);
  void leave(const std::vector<Slot>& leaving);
  // Where what stays, what is placed and what leaves belong.
  std::vector<Slot> order_after(std::vector<Slot> placing, const std::vector<Slot>& leaving) const;
  void reorder(const std::vector<Slot>& order);
  bool is_shown_by_scope(const PlacedJob& placed) const;
  bool stands_before(Slot a, Slot b) const;
  Slot new_slot();

  std::map<int, Server> servers_;
  std::vector<Entry> entries_;
  std::vector<Slot> free_;
  std::vector<Slot> order_;  // shown, by row
  JobScope scope_;
  QStringList words_;  // of the scope's text
  JobColumn sort_column_ = JobColumn::kAge;
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
};

}  // namespace weft::gui
