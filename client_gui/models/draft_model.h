// SPDX-License-Identifier: Apache-2.0
// The files that are about to become jobs, a row each (where a job may have several, those of one folder are one), with what the server says of them. A kind of job that reads none becomes one
// job, which has no row.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "client_gui/connection/submissions.h"
#include "client_gui/models/fleet.h"

namespace weft::gui {

// The rows' columns.
enum class DraftColumn { kFile, kFound, kFolder };
inline constexpr int kDraftColumns = 3;

class DraftModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  // Files that are asked about whenever something changes; the others when somebody asks.
  static constexpr size_t kCheckedAtOnce = 8;
  static constexpr size_t kMostFiles = 100'000;

  explicit DraftModel(Fleet& fleet, QObject* parent = nullptr);

  // Those that are there already are left out, and those beyond kMostFiles. Gives the number of those that came.
  int add_files(const QStringList& paths);
  void remove_files(std::vector<int> rows);
  // Rows of numbered files become the patterns of their sequences: "shot.####.exr".
  void join_sequences(const std::vector<int>& rows);
  QStringList files() const;

  // Asks the server what the first files, or all, would become. `draft` without inputs.
  Status check(int server, const client::Draft& draft, bool all);
  // Adds a job a row, or the one that reads no file; rows whose job was added go, the others say why not.
  Status submit_files(int server, const client::Draft& draft);
  bool is_submitting() const { return submitting_ != 0; }
  bool is_checking() const { return checking_ != 0; }

  // Of all rows that are known, or of the job that reads no file: sentences, the most important first.
  QStringList estimate() const;
  // Where the newest check found something wrong.
  const std::vector<options::Violation>& violations() const { return violations_; }
  // What is wrong with none of the fields; empty: nothing.
  QString problem() const { return problem_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 signals:
  // Rows came or went otherwise than by their jobs.
  void files_changed();
  // The server said something of the newest check or of a submit.
  void answered();
  // All that was to be added was answered for.
  void submitted(int added, int refused);

 private:
  struct Row {
    QString path;
    QString found{};  // what it is, or what is wrong
    bool is_wrong = false;
    v1::JobEstimate estimate{};
    std::vector<v1::DevicePrediction> predictions{};
    int files = 1;  // that the estimate is for; 0: it stands at another file of the same job
  };

  void take(const SubmitAnswer& answer);
  void take_estimate(const SubmitAnswer& answer);
  void take_submitted(const SubmitAnswer& answer);
  void forget_answers();
  // The first `count` files, where the draft's kind reads files. False: it does, and there is none.
  bool add_inputs(client::Draft& draft, size_t count);
  int row_of(const QString& path) const;
  void remove_row(int row);

  Fleet& fleet_;
  std::vector<Row> rows_;
  int64_t last_number_ = 0;
  int64_t checking_ = 0, submitting_ = 0;  // numbers of orders; 0: none
  int added_ = 0, refused_ = 0;
  bool reads_files_ = true;                            // the newest draft does
  std::vector<v1::DevicePrediction> without_files_{};  // of the job that does not
  std::vector<options::Violation> violations_;
  QString problem_;
};

}  // namespace weft::gui
