// SPDX-License-Identifier: Apache-2.0
// Edits the options that a message declares: one field per option, in groups by submessage with a
// title each.
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
  // `prefix` is the message's field path in errors ("spec.video"). `left_out` are the flags of
  // options that are edited elsewhere.
  OptionForm(const google::protobuf::Descriptor* message, std::string prefix,
             const std::vector<std::string>& left_out, QWidget* parent);

  // Returns the field of an option, or null for an unknown flag.
  OptionField* field(const QString& flag) const;
  const std::vector<OptionField*>& fields() const { return fields_; }

  // Copy the values from the message or into it. The message must have the form's type.
  void show_values(const google::protobuf::Message& message);
  void fill(google::protobuf::Message& message) const;
  // Returns the number of invalid fields.
  int wrong() const;

  // Replaces the option's declared default by the default of the kind of job. An empty value
  // restores the declared default.
  void set_own_default(const QString& flag, const QString& value);
  // Sets whether the option applies to the kind of job. An option that does not apply is shown only
  // if it is changed or invalid.
  void set_means_something(const QString& flag, bool means);
  void set_filter(const FormFilter& filter);
  // Returns true if a field contains all words of the text.
  bool matches(const QString& text) const;
  // Returns true if at least one field is shown.
  bool shows_any() const;
  void set_prefix(std::string prefix) { prefix_ = std::move(prefix); }
  // Replaces the shown errors and returns the errors that belong to no field.
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
  std::map<QString, QString> own_defaults_;  // default values by flag
  std::set<QString> without_meaning_;        // flags of the options that do not apply
  std::vector<Group> groups_;
  FormFilter filter_;
};

}  // namespace weft::gui
