// SPDX-License-Identifier: Apache-2.0
// One option of a form: its label, the editor, a button that forgets what was given, and beside them, or below where there is no room, its help
// or what is wrong.
#pragma once

#include <QWidget>
#include <optional>

#include <google/protobuf/message.h>

#include "client_gui/forms/option_editor.h"
#include "options/option.h"

class QGridLayout;
class QLabel;
class QToolButton;

namespace weft::gui {

class NoteLabel;

class OptionField : public QWidget {
  Q_OBJECT

 public:
  OptionField(const options::Option& option, QWidget* parent);

  const options::Option& option() const { return option_; }
  OptionEditor& editor() { return *editor_; }
  const OptionEditor& editor() const { return *editor_; }
  bool is_given() const { return !editor_->texts().isEmpty(); }
  // As shown; empty: nothing is wrong.
  QString error() const;
  // Whether every word of the text occurs in its label, flag or help, or in those of a field inside its editor.
  bool matches(const QString& text) const;

  // Takes its value from the message, and puts it there; what is wrong is left out.
  void show_value(const google::protobuf::Message& message);
  void fill(google::protobuf::Message& message) const;
  // What counts while nothing is given.
  void show_default(const QString& text) { editor_->show_default(text); }
  // What somebody else finds wrong with it: until it is edited. Empty: nothing.
  void set_error(const QString& error);

 signals:
  void edited();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void place_note();
  void check();
  bool says(const QString& wanted) const;
  void show_note();

  const options::Option option_;
  OptionEditor* editor_;
  QToolButton* forget_;
  QLabel* label_;
  QGridLayout* grid_;
  std::optional<bool> is_narrow_;
  bool is_list_ = false;  // its editor has the whole width below
  NoteLabel* note_;
  QString own_error_, error_;  // found here; found by somebody else
};

}  // namespace weft::gui
