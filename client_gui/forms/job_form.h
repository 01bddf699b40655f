// SPDX-License-Identifier: Apache-2.0
// Edits a job: its kind, the options of the kind and the settings of the queue, all derived from
// the API's declarations. Input and output files are edited elsewhere.
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
  // Selects a kind of job. The values of the former kind are kept until it is selected again.
  // Returns false for an unknown kind.
  bool choose_kind(const QString& name);

  // Returns the form's values without input files. `output` is the name of the output.
  client::Draft draft(const QString& output) const;
  // Returns the form's values as the request of a profile (client/profiles.h).
  v1::SubmitJobRequest profile(const QString& output) const;
  // Selects the profile's kind, if it has one, replaces all values by those of the profile and
  // returns the name of its output.
  QString show_profile(const v1::SubmitJobRequest& profile);
  int wrong() const;
  // Sets the choices of the options that name a device: pairs of ID and displayed name.
  void set_devices(const std::vector<std::pair<QString, QString>>& devices);

  // Shows the errors at their fields and returns the errors that belong to no field.
  std::vector<options::Violation> show_errors(const std::vector<options::Violation>& violations);
  // Returns the field path of the output option in errors, or an empty string if the kind has no
  // output.
  std::string output_field() const;
  void search();  // moves the focus to the search line

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
  std::vector<OptionForm*> forms_;  // one form per kind
  OptionForm* settings_ = nullptr;
  QLabel* settings_title_ = nullptr;
  QLabel* nothing_found_ = nullptr;  // shown instead of the forms if no field matches
};

}  // namespace weft::gui
