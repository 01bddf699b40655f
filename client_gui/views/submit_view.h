// SPDX-License-Identifier: Apache-2.0
// Submits jobs: files, their contents and the estimate are on the left, the form of options is on
// the right. After changes a check is requested from the server, without blocking.
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
  // Selects a kind of job. Returns false for an unknown kind.
  bool choose_kind(const QString& kind);
  // Selects the server of new jobs. An unknown server is ignored.
  void choose_server(int server);
  QTableView& table() { return *table_; }
  QLineEdit& output() { return *output_; }
  // Returns true if a request to the server is pending or planned.
  bool is_busy() const { return changing_.isActive() || files_.is_checking() || files_.is_submitting(); }
  // Adds the local files of a drag.
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
  void change();  // plans a check after a short delay
  void check(bool all);
  void submit();
  void show_answers();
  void show_state();
  void say(const QString& sentence);

  Fleet& fleet_;
  DraftModel files_;
  QComboBox* server_;
  QTableView* table_;
  QLabel* invitation_;       // shown if there are no files
  QWidget* file_buttons_;    // hidden for kinds without input files
  QWidget* output_widgets_;  // hidden for kinds without output
  QLineEdit* path_;
  QLineEdit* output_;
  NoteLabel* output_note_;
  QLabel* estimate_;
  QLabel* said_;
  QPushButton* check_;
  QPushButton* submit_;
  JobForm* form_;
  ProfileBar* profiles_;
  std::vector<std::pair<QString, QString>> devices_;  // devices of the selected server
  // requests the check when it expires; restarted by each change
  QTimer changing_;
};

}  // namespace weft::gui
