// SPDX-License-Identifier: Apache-2.0
// Edits one option with the widget for its type: a check box, a choice, several choices, a line,
// several lines or a chain of filters. Values are texts in the syntax of the command line.
#pragma once

#include <QStringList>
#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "client_gui/forms/form_filter.h"
#include "options/option.h"
#include "options/validate.h"

namespace weft::gui {

class OptionEditor : public QWidget {
  Q_OBJECT

 public:
  // Returns the editor for the option's type. `name` is its accessible name.
  static OptionEditor* make(const options::Option& option, const QString& name, QWidget* parent);

  // Returns one text per value, or an empty list if the default applies.
  virtual QStringList texts() const = 0;
  // Sets the values without emitting edited().
  virtual void set_texts(const QStringList& texts) = 0;
  // Shows the default value, which may be empty.
  virtual void show_default(const QString& text) = 0;

  // Sets the choices of an editor for names: pairs of name and displayed text.
  virtual void set_choices(const std::vector<std::pair<QString, QString>>& /*named*/) {}

  // Functions of editors that contain forms. wrong() returns the number of invalid fields.
  // set_filter() selects the shown fields. matches() returns true if a field contains all words of
  // a text. show_errors() shows external errors and returns the errors that belong to no field;
  // `field` is the option's field path in errors.
  virtual int wrong() const { return 0; }
  virtual void set_filter(const FormFilter& /*filter*/) {}
  virtual bool matches(const QString& /*text*/) const { return false; }
  virtual std::vector<options::Violation> show_errors(const std::string& /*field*/,
                                                      std::vector<options::Violation> violations) {
    return violations;
  }

 signals:
  void edited();

 protected:
  using QWidget::QWidget;
};

}  // namespace weft::gui
