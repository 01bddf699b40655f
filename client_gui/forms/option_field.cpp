// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/option_field.h"

#include <QGridLayout>
#include <QLabel>
#include <QToolButton>
#include <memory>

#include "client_gui/forms/chain_editor.h"
#include "client_gui/forms/note_label.h"
#include "client_gui/texts/declared.h"
#include "client_gui/texts/utf8.h"
#include "options/values.h"

namespace weft::gui {
namespace {

constexpr int kLabelWidth = 110, kEditorWidth = 170, kLeastEditorWidth = 120, kForgetWidth = 40,
              kNoteWidth = 160;
constexpr int kListColumns = 5;    // label, columns of the help and reset button
constexpr int kMostOfAValue = 40;  // characters of the value that an error message repeats

// Returns the help of an option with the meaning of each choice and the names used on the command
// line and in profiles.
QString tool_tip_of(const options::Option& option) {
  const auto named = [](const QString& shown, const std::string& name) {
    const QString word = text(name).toHtmlEscaped();
    return shown == text(name) ? word : QStringLiteral("%1 (%2)").arg(shown.toHtmlEscaped(), word);
  };
  QString tip = QStringLiteral("<p>%1</p>").arg(help_text(option).toHtmlEscaped());
  for (const options::Choice& choice : option.choices())
    tip += QStringLiteral("<p><b>%1</b>: %2</p>")
               .arg(named(value_text(choice.name), choice.name),
                    choice_help_text(option, choice).toHtmlEscaped());
  return tip + QStringLiteral("<p>--%1</p>").arg(text(option.flag()).toHtmlEscaped());
}

}  // namespace

OptionField::OptionField(const options::Option& option, QWidget* parent)
    : QWidget(parent),
      option_(option),
      editor_(OptionEditor::make(option, label_text(option), this)),
      forget_(new QToolButton(this)),
      label_(new QLabel(label_text(option), this)),
      grid_(new QGridLayout(this)),
      is_list_(dynamic_cast<ChainEditor*>(editor_) != nullptr),
      note_(new NoteLabel(help_text(option), this)) {
  setObjectName(text(option.flag()));
  setToolTip(tool_tip_of(option));
  grid_->setContentsMargins(0, 2, 0, 2);
  grid_->addWidget(label_, 0, 0, Qt::AlignTop);
  if (is_list_)
    grid_->addWidget(editor_, 1, 0, 1, kListColumns);
  else
    grid_->addWidget(editor_, 0, 1, Qt::AlignTop);
  grid_->addWidget(forget_, 0, is_list_ ? kListColumns - 1 : 2, Qt::AlignTop);
  grid_->setColumnStretch(3, 1);
  place_note();
  label_->setFixedWidth(kLabelWidth);
  if (!is_list_) label_->setMinimumHeight(editor_->sizeHint().height());
  label_->setBuddy(editor_);
  label_->setWordWrap(true);
  if (!is_list_) editor_->setMaximumWidth(kEditorWidth);
  forget_->setAutoRaise(true);
  forget_->setText(QStringLiteral("\u00d7"));
  forget_->setToolTip(tr("Reset to default"));
  forget_->setAccessibleName(tr("Reset to default: %1").arg(label_->text()));
  QSizePolicy keeps_position = forget_->sizePolicy();
  keeps_position.setRetainSizeWhenHidden(true);
  forget_->setSizePolicy(keeps_position);
  connect(editor_, &OptionEditor::edited, this, [this] {
    error_.clear();
    check();
    emit edited();
  });
  connect(forget_, &QToolButton::clicked, this, [this] {
    editor_->set_texts({});
    emit editor_->edited();
  });
  check();
}

void OptionField::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  place_note();
}

// Places the note next to the editor, or below it in a narrow window.
void OptionField::place_note() {
  const bool is_narrow = width() < kLabelWidth + kEditorWidth + kForgetWidth + kNoteWidth;
  if (is_narrow_ == is_narrow) return;
  is_narrow_ = is_narrow;
  grid_->removeWidget(note_);
  if (is_list_) {
    grid_->addWidget(note_, is_narrow ? 2 : 0, is_narrow ? 0 : 1, 1, is_narrow ? kListColumns : 3);
    return;
  }
  grid_->addWidget(note_, is_narrow ? 1 : 0, is_narrow ? 1 : 3, 1, is_narrow ? 3 : 1);
  editor_->setMinimumWidth(is_narrow ? kLeastEditorWidth : kEditorWidth);
}

QString OptionField::error() const { return own_error_.isEmpty() ? error_ : own_error_; }

bool OptionField::matches(const QString& wanted) const { return says(wanted) || editor_->matches(wanted); }

bool OptionField::says(const QString& wanted) const {
  // English words match in every language, because the documentation uses them.
  const QString all = QStringList{label_->text(), help_text(option_), text(option_.label()),
                                  text(option_.flag()), text(option_.help())}
                          .join(' ');
  for (const QString& word : wanted.split(' ', Qt::SkipEmptyParts))
    if (!all.contains(word, Qt::CaseInsensitive)) return false;
  return true;
}

void OptionField::show_value(const google::protobuf::Message& message) {
  QStringList texts;
  for (const std::string& value : options::format_values(message, option_)) texts.push_back(text(value));
  editor_->set_texts(texts);
  error_.clear();
  check();
}

void OptionField::fill(google::protobuf::Message& message) const {
  for (const QString& value : editor_->texts())
    // An invalid value is reported by check().
    static_cast<void>(options::set_from_text(message, option_, value.toStdString()).ok());
}

void OptionField::set_error(const QString& error) {
  error_ = error;
  show_note();
}

void OptionField::check() {
  // The entries of a map are checked together, in a message used only for this.
  const std::unique_ptr<google::protobuf::Message> scratch(
      google::protobuf::MessageFactory::generated_factory()
          ->GetPrototype(option_.fields().front()->containing_type())
          ->New());
  own_error_.clear();
  for (const QString& value : editor_->texts()) {
    const Status status = options::set_from_text(*scratch, option_, value.toStdString());
    if (status.ok() || !own_error_.isEmpty()) continue;
    // only the first line; the next lines mark the position of the error in the text
    if (option_.is_chain())
      own_error_ = text(message_of(status)).section('\n', 0, 0);
    else
      own_error_ =
          tr("Invalid value \"%1\": expected %2.").arg(value.left(kMostOfAValue), expected_text(option_));
  }
  forget_->setVisible(is_given());
  show_note();
}

void OptionField::show_note() { note_->show_error(error()); }

}  // namespace weft::gui
