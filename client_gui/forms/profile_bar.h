// SPDX-License-Identifier: Apache-2.0
// Profiles to choose from, and what can be done with them: save, rename, delete, share as a file.
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
  // `current`: what is to be saved.
  ProfileBar(std::function<v1::SubmitJobRequest()> current, QWidget* parent);

  // The name of the one that was chosen last; empty: none.
  QString chosen() const;
  // Compares what the form holds with what the chosen profile has, and marks a difference.
  void show_changes();
  // By the name it is given in the constructor: "save-as".
  QAction* action(const QString& name) const;

  // What the menu does; also for files that are dropped.
  void load(const QString& name_or_file);
  void save(const QString& name_or_file);
  void rename(const QString& name);
  void remove();

 signals:
  void loaded(const weft::v1::SubmitJobRequest& profile);
  // What was done, or why it could not be.
  void said(const QString& sentence);

 private:
  void make_menu();
  void ask(const QString& title, const QString& label, const QString& text,
           std::function<void(const QString&)> then);
  void ask_to_remove();
  void list(const QString& chosen);
  // True: it went well.
  bool say(const Status& status, const QString& done);

  const std::function<v1::SubmitJobRequest()> current_;
  QComboBox* names_;
  QMenu* menu_;
  QLabel* changed_;
  v1::SubmitJobRequest loaded_;  // what the form held when the profile was loaded or saved
};

}  // namespace weft::gui
