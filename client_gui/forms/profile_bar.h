// SPDX-License-Identifier: Apache-2.0
// Selects a profile, with actions to save, rename, delete, import and export profiles.
#pragma once

#include <QWidget>
#include <functional>

#include "base/status.h"
#include "weft/v1/job_service.pb.h"

class QAction;
class QComboBox;
class QLabel;
class QMenu;

namespace weft::gui {

class ProfileBar : public QWidget {
  Q_OBJECT

 public:
  // `current` returns the request to save.
  ProfileBar(std::function<v1::SubmitJobRequest()> current, QWidget* parent);

  // Returns the name of the last selected profile, or an empty string if there is none.
  QString chosen() const;
  // Compares the form with the selected profile and shows whether they differ.
  void show_changes();
  // Returns an action by its name in the constructor ("save-as").
  QAction* action(const QString& name) const;

  // Actions of the menu; load() is also used for dropped files.
  void load(const QString& name_or_file);
  void save(const QString& name_or_file);
  void rename(const QString& name);
  void remove();

 signals:
  void loaded(const weft::v1::SubmitJobRequest& profile);
  // Reports the success or the error of an action as a sentence.
  void said(const QString& sentence);

 private:
  void make_menu();
  void ask(const QString& title, const QString& label, const QString& text,
           std::function<void(const QString&)> then);
  void ask_to_remove();
  void list(const QString& chosen);
  // Reports the error in `status`, or `done` on success. Returns true on success.
  bool say(const Status& status, const QString& done);

  const std::function<v1::SubmitJobRequest()> current_;
  QComboBox* names_;
  QMenu* menu_;
  QLabel* changed_;
  v1::SubmitJobRequest loaded_;  // form's request at the time when the profile was loaded or saved
};

}  // namespace weft::gui
