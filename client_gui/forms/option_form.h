// SPDX-License-Identifier: Apache-2.0
// A form for the options that a message declares, whichever message that is: a field an option, under a title for each message
// inside it.
#pragma once

#include <QWidget>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <google/protobuf/message.h>

#include "client_gui/forms/form_filter.h"
#include "client_gui/forms/option_field.h"
#include "options/validate.h"

class QLabel;

namespace weft::gui {

class OptionForm : public QWidget {
  Q_OBJECT

 public:
  // `prefix`: what errors call the message: "spec.video". `left_out`: flags of options that stand elsewhere.
  OptionForm(const google::protobuf::Descriptor* message, std::string prefix,
             const std::vector<std::string>& left_out, QWidget* parent);

  // Null: there is none of that flag.
  OptionField* field(const QString& flag) const;
  const std::vector<OptionField*>& fields() const { return fields_; }

  // The message must be of the form's type.
  void show_values(const google::protobuf::Message& message);
  void fill(google::protobuf::Message& message) const;
  // How many fields are wrong.
  int wrong() const;

  // In place of the declared default of that option, as the kind of job has it; empty: the declared one counts.
  void set_own_default(const QString& flag, const QString& value);
  // An option that means nothing for the kind of job is shown where it is given or wrong alone.
  void set_means_something(const QString& flag, bool means);
  void set_filter(const FormFilter& filter);
  // Whether any field has all words of the text.
  bool matches(const QString& text) const;
  // Whether any field is shown.
  bool shows_any() const;
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  // Shows each at its field, and forgets those before. Gives back those that belong to no field here.
  std::vector<options::Violation> show_errors(const std::vector<options::Violation>& violations);

 signals:
  void edited();

 private:
  struct Group {
    QLabel* title = nullptr;
    std::vector<OptionField*> fields{};
  };

  void take_edit();
  void show_defaults();
  void apply_filter();
  bool is_shown(const OptionField& field) const;
  std::unique_ptr<google::protobuf::Message> filled() const;

  const google::protobuf::Descriptor* const message_;
  std::string prefix_;
  std::vector<OptionField*> fields_;
  std::map<QString, QString> own_defaults_;  // by flag
  std::set<QString> without_meaning_;        // flags
  std::vector<Group> groups_;
  FormFilter filter_;
};

}  // namespace weft::gui
