// SPDX-License-Identifier: Apache-2.0
// The jobs of all servers as a table: those that a filter lets through, in the order that was chosen. Made for 100,000 rows
// and many changes a second: a delivery compares only what moves and copies the rest, however many changed, and is no
// reset, so that selections live on.
#pragma once

#include <QAbstractTableModel>
#include <QByteArray>
#include <QHash>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "client_gui/models/job_columns.h"
#include "client_gui/models/job_search.h"

namespace weft::gui {

// Jobs that match every given part.
struct JobScope {
  int server = 0;  // 0: every
  QString device;
  std::optional<v1::JobState> state;
  QString text;                    // what is searched for (job_search.h); capitals do not count
  std::vector<JobColumn> columns;  // that its words are looked for in; none: in every searchable one

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
  // Null: it is not known. Valid until the next delivery.
  const JobRow* find(int server, const QString& id) const;
  // The row of a job, or -1 where it is not shown.
  int row_of(int server, const QString& id) const;
  // Whether a job is new, or its state or attempt another than was known.
  bool changes_state(int server, const JobRow& job) const;
  int total() const { return int(entries_.size() - free_.size()); }
  // What the jobs that run on a device wait for, each once, in order of the alphabet.
  QStringList limits_on(int server, const QString& device) const;
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
  using Slots = std::vector<Slot>;
  struct Entry {
    PlacedJob placed;
    uint64_t generation = 0;  // of the snapshot that told of it last
    QByteArray searched;      // the row's words, case folded, once a search asked for them
  };
  // What is asked of every job at every delivery. Apart from the entries, so that a pass over it stays in the caches.
  struct Marks {
    int row = -1;  // where it is shown
    bool used = false;
    bool shown = false;    // is to be shown
    bool touched = false;  // by what is being applied
    bool astray = false;   // stands in sorted_ where it no longer belongs, or not yet there at all
  };
  struct Server {
    QString name;
    uint64_t generation = 0;
    bool live = false;
    QHash<QString, Slot> slots_by_id;
    Counts counts;
  };

  void put(int server, const JobRow& job, Slots& touched);
  void forget(int server, const QString& id, Slots& touched);
  void forget_old(int server, Slots& touched);
  void touch(Slot slot, Slots& touched);
  void rearrange(const Slots& touched);
  bool place(const Slots& touched);
  void enter(const Slots& entering);
  void leave(const Slots& leaving);
  void reorder(Slots order);
  void tell(std::vector<int> rows);
  // What is to be shown, as it is sorted.
  Slots shown() const;
  bool is_shown_by_scope(Slot slot);
  const QByteArray& searched(Slot slot);
  bool stands_before(Slot a, Slot b) const;
  Slot new_slot();
  QVariant colour_of(const PlacedJob& placed, JobColumn column) const;

  std::map<int, Server> servers_;
  std::vector<Entry> entries_;
  std::vector<Marks> marks_;  // of the same slots
  Slots free_;
  Slots sorted_;  // all jobs, shown or not: so a search that ends sorts nothing
  Slots order_;   // shown, by row
  JobScope scope_;
  JobSearch search_;  // for the scope's text
  JobColumn sort_column_ = JobColumn::kAge;
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
};

}  // namespace weft::gui
