// SPDX-License-Identifier: Apache-2.0
// Presents the jobs of all servers as a filtered and sorted table, for 100,000 rows and many
// changes per second. After a delivery only the rows that move are compared; the other rows are
// copied. The model is never reset, so that selections persist.
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

// A filter for jobs. Empty members match all jobs.
struct JobScope {
  int server = 0;  // number of the server; 0: all servers
  QString device;
  std::optional<v1::JobState> state;
  QString text;                    // text of a search (job_search.h); case is ignored
  std::vector<JobColumn> columns;  // searched columns; empty: all searchable columns

  bool operator==(const JobScope&) const = default;
};

class JobsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Role { kDoneRole = Qt::UserRole, kStateRole };
  using Counts = std::map<v1::JobState, int>;

  explicit JobsModel(QObject* parent = nullptr);

  // Adds a server without jobs. `server` is a number above 0.
  void add_server(int server, const QString& name);
  void remove_server(int server);
  void apply(int server, const Delivery& delivery);
  // Sets whether the server is connected. Rows of a disconnected server are drawn as disabled.
  void set_live(int server, bool live);

  void set_scope(const JobScope& scope);
  const JobScope& scope() const { return scope_; }

  const PlacedJob& job_at(int row) const { return entries_[order_[size_t(row)]].placed; }
  // Returns a job, or null if it is unknown. The pointer is valid until the next delivery.
  const JobRow* find(int server, const QString& id) const;
  // Returns the job's row, or -1 if it is not shown.
  int row_of(int server, const QString& id) const;
  // Returns true if the job is unknown or has another state or attempt than the known one.
  bool changes_state(int server, const JobRow& job) const;
  int total() const { return int(entries_.size() - free_.size()); }
  // Returns the bottlenecks of the jobs that run on the device, each once, in alphabetical order.
  QStringList limits_on(int server, const QString& device) const;
  // Returns the numbers of jobs by state. Jobs that are not shown are included.
  Counts counts(int server) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
  void sort(int column, Qt::SortOrder order = Qt::AscendingOrder) override;

 signals:
  void counts_changed(int server);

 private:
  using Slot = uint32_t;  // index in entries_, valid while the job is known
  using Slots = std::vector<Slot>;
  struct Entry {
    PlacedJob placed;
    uint64_t generation = 0;  // number of the last snapshot that contained the job
    QByteArray searched;      // case-folded text; set by the first search
  };
  // Flags that every delivery reads for every job. They are separate from the entries so that they
  // fit into the CPU caches.
  struct Marks {
    int row = -1;  // row in the table; -1: not shown
    bool used = false;
    bool shown = false;    // true: the job matches the filter
    bool touched = false;  // true: the current delivery changes the job
    bool astray = false;   // true: the job is not yet at its position in sorted_
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
  bool reposition(const Slots& touched);
  void enter(const Slots& entering);
  void leave(const Slots& leaving);
  void reorder(Slots order);
  void notify_rows(std::vector<int> rows);
  // Returns the matching jobs in the order of the table.
  Slots shown() const;
  bool is_shown_by_scope(Slot slot);
  const QByteArray& searched(Slot slot);
  bool stands_before(Slot a, Slot b) const;
  Slot new_slot();
  QVariant colour_of(const PlacedJob& placed, JobColumn column) const;

  std::map<int, Server> servers_;
  std::vector<Entry> entries_;
  std::vector<Marks> marks_;  // indexed like entries_
  Slots free_;
  Slots sorted_;  // all jobs in order, so that the end of a search needs no sort
  Slots order_;   // matching jobs by row
  JobScope scope_;
  JobSearch search_;  // search for the scope's text
  JobColumn sort_column_ = JobColumn::kAge;
  Qt::SortOrder sort_order_ = Qt::AscendingOrder;
};

}  // namespace weft::gui
