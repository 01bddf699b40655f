// SPDX-License-Identifier: Apache-2.0
// Shows one option of a form: label, editor, a reset button, and the help or error. In a narrow
// window the help is below the editor.
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
  // Returns the displayed error, or an empty string if there is none.
  QString error() const;
  // Returns true if the option contains every word in its label, flag or help, or if a field within
  // the editor does.
  bool matches(const QString& text) const;

  // Copy the value from the message or into it. Invalid values are skipped.
  void show_value(const google::protobuf::Message& message);
  void fill(google::protobuf::Message& message) const;
  // Shows the default value.
  void show_default(const QString& text) { editor_->show_default(text); }
  // Shows an external error until the next edit. An empty string removes the error.
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
  bool is_list_ = false;  // true: the editor occupies the full width below the label
  NoteLabel* note_;
  QString own_error_, error_;  // error found by this field, and error reported by the server
};

}  // namespace weft::gui
