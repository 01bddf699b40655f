// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/option_form.h"

#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "base/printable.h"
#include "client_gui/texts/declared.h"
#include "options/values.h"

namespace weft::gui {
namespace {

using google::protobuf::FieldDescriptor;

QLabel* make_title(const QString& text, QWidget* parent) {
  auto* title = new QLabel(text, parent);
  QFont font = title->font();
  font.setBold(true);
  title->setFont(font);
  title->setContentsMargins(0, 8, 0, 2);
  return title;
}

}  // namespace

OptionForm::OptionForm(const google::protobuf::Descriptor* message, std::string prefix,
                       const std::vector<std::string>& left_out, QWidget* parent)
    : QWidget(parent), message_(message), prefix_(std::move(prefix)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  QString last_title;
  groups_.emplace_back();
  for (const options::Option& option : options::options_of(message)) {
    if (std::find(left_out.begin(), left_out.end(), option.flag()) != left_out.end()) continue;
    if (const QString title = group_text(option); title != last_title) {
      groups_.push_back({title.isEmpty() ? nullptr : make_title(title, this)});
      if (groups_.back().title != nullptr) layout->addWidget(groups_.back().title);
      last_title = title;
    }
    auto* field = new OptionField(option, this);
    connect(field, &OptionField::edited, this, &OptionForm::take_edit);
    layout->addWidget(field);
    fields_.push_back(field);
    groups_.back().fields.push_back(field);
  }
  show_defaults();
  apply_filter();
}

OptionField* OptionForm::field(const QString& flag) const {
  for (OptionField* field : fields_)
    if (field->objectName() == flag) return field;
  return nullptr;
}

std::unique_ptr<google::protobuf::Message> OptionForm::filled() const {
  std::unique_ptr<google::protobuf::Message> message(
      google::protobuf::MessageFactory::generated_factory()->GetPrototype(message_)->New());
  fill(*message);
  return message;
}

void OptionForm::show_values(const google::protobuf::Message& message) {
  for (OptionField* field : fields_) field->show_value(message);
  show_defaults();
  apply_filter();
}

void OptionForm::fill(google::protobuf::Message& message) const {
  for (const OptionField* field : fields_) {
    // Clearing only set options avoids the creation of submessages.
    if (options::is_set(message, field->option())) options::clear(message, field->option());
    field->fill(message);
  }
}

int OptionForm::wrong() const {
  int count = 0;
  for (const OptionField* field : fields_)
    count += field->editor().wrong() > 0 ? field->editor().wrong() : field->error().isEmpty() ? 0 : 1;
  return count;
}

void OptionForm::take_edit() {
  show_defaults();
  apply_filter();
  emit edited();
}

// Shows the defaults, which may depend on the values of other options.
void OptionForm::show_defaults() {
  const auto complete = filled();
  const auto given = filled();
  options::apply_defaults(*complete);
  for (OptionField* field : fields_)
    if (const auto own = own_defaults_.find(field->objectName()); own != own_defaults_.end())
      field->show_default(own->second);
    else if (!options::is_set(*given, field->option()))
      field->show_default(QString::fromStdString(options::format_value(*complete, field->option())));
    else
      field->show_default(QString::fromStdString(field->option().default_text()));
}

void OptionForm::set_own_default(const QString& flag, const QString& value) {
  if (value.isEmpty())
    own_defaults_.erase(flag);
  else
    own_defaults_[flag] = value;
  show_defaults();
}

void OptionForm::set_means_something(const QString& flag, bool means) {
  if (means)
    without_meaning_.erase(flag);
  else
    without_meaning_.insert(flag);
  apply_filter();
}

// --- Shown fields --------------------------------------------------------------------------------

void OptionForm::set_filter(const FormFilter& filter) {
  filter_ = filter;
  for (OptionField* field : fields_) field->editor().set_filter(filter);
  apply_filter();
}

bool OptionForm::matches(const QString& text) const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [&](const OptionField* field) { return field->matches(text); });
}

bool OptionForm::shows_any() const {
  return std::any_of(fields_.begin(), fields_.end(),
                     [](const OptionField* field) { return !field->isHidden(); });
}

bool OptionForm::is_shown(const OptionField& field) const {
  if (!field.error().isEmpty()) return true;
  if (without_meaning_.contains(field.objectName()) && !field.is_given()) return false;
  const bool is_found = field.matches(filter_.text);
  switch (filter_.which) {
    case FormFilter::Which::kUsual:
      return is_found && (!field.option().advanced() || field.is_given() || !filter_.text.isEmpty());
    case FormFilter::Which::kAll:
      return is_found;
    case FormFilter::Which::kGiven:
      return is_found && field.is_given();
  }
  return true;
}

void OptionForm::apply_filter() {
  for (const Group& group : groups_) {
    bool is_empty = true;
    for (OptionField* field : group.fields) {
      // A field with the focus stays visible.
      const bool is_visible = is_shown(*field) || field->editor().focusProxy()->hasFocus();
      field->setVisible(is_visible);
      is_empty = is_empty && !is_visible;
    }
    if (group.title != nullptr) group.title->setVisible(!is_empty);
  }
}

// --- Errors of the server ------------------------------------------------------------------------

std::vector<options::Violation> OptionForm::show_errors(const std::vector<options::Violation>& violations) {
  std::vector<options::Violation> others = violations;
  for (OptionField* field : fields_) {
    const std::string name = prefix_ + "." + field->option().path();
    others = field->editor().show_errors(name, std::move(others));
    // Errors within a chain that is edited as text belong to the field of the chain.
    const auto own = std::find_if(others.begin(), others.end(), [&](const options::Violation& each) {
      return each.field == name || each.field.starts_with(name + "[");
    });
    field->set_error(own == others.end() ? QString()
                                         : QString::fromStdString(printable_lines(own->description)));
    if (own != others.end()) others.erase(own);
  }
  apply_filter();
  return others;
}

}  // namespace weft::gui
