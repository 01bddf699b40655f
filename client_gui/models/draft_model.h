// SPDX-License-Identifier: Apache-2.0
// Presents the files of new jobs as rows with the server's answers. For kinds with several files
// per job, the files of one folder are one job. A job without files has no row.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <vector>

#include "client_gui/connection/submissions.h"
#include "client_gui/models/fleet.h"

namespace weft::gui {

// The columns of the table.
enum class DraftColumn { kFile, kFound, kFolder };
inline constexpr int kDraftColumns = 3;

class DraftModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  // Number of files that are checked after each change. The other files are checked on request.
  static constexpr size_t kCheckedAtOnce = 8;
  static constexpr size_t kMostFiles = 100'000;

  explicit DraftModel(Fleet& fleet, QObject* parent = nullptr);

  // Adds files. Files that are already present and files beyond kMostFiles are skipped. Returns the
  // number of added files.
  int add_files(const QStringList& paths);
  void remove_files(std::vector<int> rows);
  // Replaces the rows of numbered files by patterns of their sequences: "shot.####.exr".
  void join_sequences(const std::vector<int>& rows);
  QStringList files() const;

  // Requests estimates from the server, for all files or for the first kCheckedAtOnce ones. `draft`
  // has no inputs.
  Status check(int server, const client::Draft& draft, bool all);
  // Submits a job per row, or the job without files. The rows of added jobs are removed; the other
  // rows show their errors.
  Status submit_files(int server, const client::Draft& draft);
  bool is_submitting() const { return submitting_ != 0; }
  bool is_checking() const { return checking_ != 0; }

  // Returns sentences with the estimate for all checked rows, or for the job without files. The
  // most important sentence is the first.
  QStringList estimate() const;
  // Returns the errors of the newest check that belong to a field.
  const std::vector<options::Violation>& violations() const { return violations_; }
  // Returns the error that belongs to no field, or an empty string.
  QString problem() const { return problem_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 signals:
  // Reports that rows were added or removed, except by submission.
  void files_changed();
  // Reports an answer to the newest check or to a submission.
  void answered();
  // Reports that all jobs of a submission were answered.
  void submitted(int added, int refused);

 private:
  struct Row {
    QString path;
    QString found{};  // contents of the file, or the error
    bool is_wrong = false;
    v1::JobEstimate estimate{};
    std::vector<v1::DevicePrediction> predictions{};
    // number of files that the estimate includes; 0: another row of the same job has the estimate
    int files = 1;
  };

  void take(const SubmitAnswer& answer);
  void take_estimate(const SubmitAnswer& answer);
  void take_submitted(const SubmitAnswer& answer);
  void forget_answers();
  // Adds the first `count` files to the draft if the kind has input files. Returns false if such a
  // draft has no file.
  bool add_inputs(client::Draft& draft, size_t count);
  int row_of(const QString& path) const;
  void remove_row(int row);

  Fleet& fleet_;
  std::vector<Row> rows_;
  int64_t last_number_ = 0;
  int64_t checking_ = 0, submitting_ = 0;  // numbers of the pending orders; 0: none
  int added_ = 0, refused_ = 0;
  // true: the newest draft's kind has input files
  bool reads_files_ = true;
  std::vector<v1::DevicePrediction> without_files_{};  // predictions for the job without files
  std::vector<options::Violation> violations_;
  QString problem_;
};

}  // namespace weft::gui
