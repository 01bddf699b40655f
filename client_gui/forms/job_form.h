// SPDX-License-Identifier: Apache-2.0
// The form of a job: which kind it is, the options of that kind, and how the job is queued. Kinds and options are found in the
// API's declarations; what is worked on and where the result goes stand elsewhere.
#pragma once

#include <QWidget>
#include <vector>

#include "client/draft.h"
#include "client_gui/forms/option_form.h"
#include "options/job_kinds.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QScrollArea;

namespace weft::gui {

class JobForm : public QWidget {
  Q_OBJECT

 public:
  explicit JobForm(QWidget* parent = nullptr);

  const options::JobKind& kind() const;
  bool reads_files() const { return kind().input_option().has_value(); }
  // False: there is no such kind. What was given for another is kept for when that is chosen again.
  bool choose_kind(const QString& name);

  // What is given, for no file yet. `output`: the name that stands elsewhere.
  client::Draft draft(const QString& output) const;
  // The same with the output's name in its place: what is kept under a name (client/profiles.h).
  v1::SubmitJobRequest profile(const QString& output) const;
  // Chooses its kind, if it has one, and shows what it holds in place of all that was given. Gives the output's name.
  QString show_profile(const v1::SubmitJobRequest& profile);
  int wrong() const;
  // What options that name a device choose among: ids, and how they are shown.
  void set_devices(const std::vector<std::pair<QString, QString>>& devices);

  // Gives back those that belong to no field here.
  std::vector<options::Violation> show_errors(const std::vector<options::Violation>& violations);
  // What errors call the option of the output; empty where the kind has none.
  std::string output_field() const;
  void search();  // puts the cursor into the line

  OptionForm& options() const;
  OptionForm& settings() const { return *settings_; }

 signals:
  void edited();
  void kind_chosen();

 private:
  void make_forms();
  void fit_settings();
  void filter();

  const std::vector<options::JobKind> kinds_;
  QComboBox* kind_;
  QLabel* summary_;
  QComboBox* which_;
  QLineEdit* search_;
  std::vector<OptionForm*> forms_;  // one a kind
  OptionForm* settings_ = nullptr;
  QLabel* settings_title_ = nullptr;
  QLabel* nothing_found_ = nullptr;  // in place of the forms
};

}  // namespace weft::gui
