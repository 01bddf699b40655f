// SPDX-License-Identifier: Apache-2.0
// Adds jobs: files on the left, with what they are and what the jobs will take; the form of their options on the right. The
// server is asked as things change, and never waited for.
#pragma once

#include <QTimer>
#include <QWidget>

#include "client_gui/models/draft_model.h"
#include "client_gui/models/fleet.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QMimeData;
class QPushButton;
class QTableView;

namespace weft::gui {

class JobForm;
class NoteLabel;
class ProfileBar;

class SubmitView : public QWidget {
  Q_OBJECT

 public:
  explicit SubmitView(Fleet& fleet, QWidget* parent = nullptr);

  JobForm& form() { return *form_; }
  ProfileBar& profiles() { return *profiles_; }
  DraftModel& files() { return files_; }
  // False: there is no such kind of job.
  bool choose_kind(const QString& kind);
  // Where jobs are added from now on; one that is not there changes nothing.
  void choose_server(int server);
  QTableView& table() { return *table_; }
  QLineEdit& output() { return *output_; }
  // Something is on its way to the server, or about to be.
  bool is_busy() const { return changing_.isActive() || files_.is_checking() || files_.is_submitting(); }
  // Those of this machine.
  void take_files(const QMimeData& dragged);

 private:
  QWidget* make_left();
  QWidget* make_right();
  QWidget* make_file_buttons();
  QWidget* make_output();
  void add_by_dialog();
  std::vector<int> selected_rows() const;
  void list_servers();
  void list_devices();
  QString output_name() const;
  int server() const;
  void change();  // asks again in a moment
  void check(bool all);
  void submit();
  void show_answers();
  void show_state();
  void say(const QString& sentence);

  Fleet& fleet_;
  DraftModel files_;
  QComboBox* server_;
  QTableView* table_;
  QLabel* invitation_;       // while there is no file
  QWidget* file_buttons_;    // hidden for jobs that read no file, as the table is
  QWidget* output_widgets_;  // likewise for those that write none
  QLineEdit* path_;
  QLineEdit* output_;
  NoteLabel* output_note_;
  QLabel* estimate_;
  QLabel* said_;
  QPushButton* check_;
  QPushButton* submit_;
  JobForm* form_;
  ProfileBar* profiles_;
  std::vector<std::pair<QString, QString>> devices_;  // of the server that is chosen
  QTimer changing_;                                   // runs while somebody types
};

}  // namespace weft::gui
