// SPDX-License-Identifier: Apache-2.0
// The widget in which one option is given: a check box, a choice, several of them, a line, some lines or a list of filters, as its type asks for. What it holds
// is text, as the command line takes it.
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
  // `name`: for whoever cannot see the label beside it.
  static OptionEditor* make(const options::Option& option, const QString& name, QWidget* parent);

  // One an entry; none: not given.
  virtual QStringList texts() const = 0;
  // Does not say edited().
  virtual void set_texts(const QStringList& texts) = 0;
  // What counts while nothing is given; may be empty.
  virtual void show_default(const QString& text) = 0;

  // Of an editor that chooses among what there is: what that is, by name, and how it is shown.
  virtual void set_choices(const std::vector<std::pair<QString, QString>>& /*named*/) {}

  // Of an editor that holds forms: how many of their fields are wrong, which of them are shown, whether any has all words of a text, and
  // what somebody else finds wrong with them. `field`: what errors call the option. Gives back what belongs to no field of these.
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
