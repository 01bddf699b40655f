// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/option_editor.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QSignalBlocker>
#include <QToolButton>

#include "client_gui/forms/chain_editor.h"
#include "client_gui/forms/home_path.h"
#include "client_gui/texts/declared.h"
#include "client_gui/texts/utf8.h"

namespace weft::gui {
namespace {

constexpr int kLinesOfSeveral = 3;
constexpr int kAroundChoice = 1;
constexpr int kMostShownChoices = 16;               // more choices are shown with a scroll bar
constexpr std::string_view kDeviceName = "DEVICE";  // value name of options that name a device

// Makes `part` the only widget of the editor. `part` has the width of the editor.
void place(OptionEditor& editor, QWidget& part, const QString& name) {
  auto* layout = new QHBoxLayout(&editor);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(&part, 1);
  part.setAccessibleName(name);
  editor.setFocusProxy(&part);
}

class SwitchEditor final : public OptionEditor {
 public:
  SwitchEditor(const QString& name, QWidget* parent) : OptionEditor(parent), box_(new QCheckBox(this)) {
    place(*this, *box_, name);
    connect(box_, &QCheckBox::clicked, this, [this] {
      is_given_ = true;
      emit edited();
    });
  }
  QStringList texts() const override {
    if (!is_given_) return {};
    return {box_->isChecked() ? QStringLiteral("true") : QStringLiteral("false")};
  }
  void set_texts(const QStringList& texts) override {
    is_given_ = !texts.isEmpty();
    if (is_given_) box_->setChecked(texts[0] == QLatin1String("true"));
  }
  void show_default(const QString& text) override {
    if (!is_given_) box_->setChecked(text == QLatin1String("true"));
  }

 private:
  QCheckBox* box_;
  bool is_given_ = false;
};

// A choice in a combo box. The first entry selects the default.
class ChoiceEditor final : public OptionEditor {
 public:
  ChoiceEditor(const options::Option& option, const QString& name, QWidget* parent)
      : OptionEditor(parent), box_(new QComboBox(this)) {
    place(*this, *box_, name);
    box_->addItem({});
    for (const options::Choice& choice : option.choices()) {
      box_->addItem(value_text(choice.name), text(choice.name));
      box_->setItemData(box_->count() - 1, choice_help_text(option, choice), Qt::ToolTipRole);
    }
    connect(box_, &QComboBox::activated, this, &OptionEditor::edited);
  }
  QStringList texts() const override {
    return box_->currentIndex() <= 0 ? QStringList() : QStringList(box_->currentData().toString());
  }
  void set_texts(const QStringList& texts) override {
    box_->setCurrentIndex(texts.isEmpty() ? 0 : std::max(0, box_->findData(texts[0])));
  }
  void show_default(const QString& text) override {
    const int choice = box_->findData(text);
    box_->setItemText(0, choice < 0 ? OptionEditor::tr("default")
                                    : OptionEditor::tr("%1 (default)").arg(box_->itemText(choice)));
  }

 private:
  QComboBox* box_;
};

// A choice of names that only the server knows. A given name that the server does not list, such as
// one from a profile, is offered too.
class NameEditor final : public OptionEditor {
 public:
  NameEditor(const QString& name, QWidget* parent) : OptionEditor(parent), box_(new QComboBox(this)) {
    place(*this, *box_, name);
    box_->addItem(OptionEditor::tr("any (default)"));
    connect(box_, &QComboBox::activated, this, &OptionEditor::edited);
  }
  QStringList texts() const override {
    return box_->currentIndex() <= 0 ? QStringList() : QStringList(box_->currentData().toString());
  }
  void set_texts(const QStringList& texts) override {
    const QString name = texts.value(0);
    if (!name.isEmpty() && box_->findData(name) < 0) box_->addItem(name, name);
    box_->setCurrentIndex(name.isEmpty() ? 0 : box_->findData(name));
  }
  void show_default(const QString&) override {}
  void set_choices(const std::vector<std::pair<QString, QString>>& named) override {
    const QStringList given = texts();
    while (box_->count() > 1) box_->removeItem(1);
    for (const auto& [name, shown] : named) box_->addItem(shown, name);
    set_texts(given);
  }

 private:
  QComboBox* box_;
};

class LineEditor final : public OptionEditor {
 public:
  LineEditor(const options::Option& option, const QString& name, QWidget* parent)
      : OptionEditor(parent), line_(new QLineEdit(this)) {
    place(*this, *line_, name);
    connect(line_, &QLineEdit::textEdited, this, &OptionEditor::edited);
    is_path_ = option.path_kind() != v1::PATH_KIND_UNSPECIFIED;
    if (!is_path_) return;
    auto* browse = new QToolButton(this);
    browse->setText(QStringLiteral("..."));
    const v1::PathKind kind = option.path_kind();
    browse->setAccessibleName((kind == v1::PATH_KIND_FOLDER ? OptionEditor::tr("Choose a folder: %1")
                                                            : OptionEditor::tr("Choose a file: %1"))
                                  .arg(name));
    layout()->addWidget(browse);
    connect(browse, &QToolButton::clicked, this, [this, name, kind] { choose(name, kind); });
  }
  QStringList texts() const override {
    const QString text = is_path_ ? with_home(line_->text()) : line_->text();
    return text.isEmpty() ? QStringList() : QStringList(text);
  }
  void set_texts(const QStringList& texts) override { line_->setText(texts.value(0)); }
  void show_default(const QString& text) override { line_->setPlaceholderText(text); }

 private:
  void choose(const QString& title, v1::PathKind kind) {
    QString path;
    if (kind == v1::PATH_KIND_FOLDER)
      path = QFileDialog::getExistingDirectory(this, title, line_->text());
    else if (kind == v1::PATH_KIND_OUTPUT_FILE)
      path = QFileDialog::getSaveFileName(this, title, line_->text());
    else
      path = QFileDialog::getOpenFileName(this, title, line_->text());
    if (path.isEmpty()) return;
    line_->setText(path);
    emit edited();
  }

  QLineEdit* line_;
  bool is_path_ = false;
};

// Several choices with a check box each. If no box is checked, the default applies.
class ChoicesEditor final : public OptionEditor {
 public:
  ChoicesEditor(const options::Option& option, const QString& name, QWidget* parent)
      : OptionEditor(parent), list_(new QListWidget(this)) {
    place(*this, *list_, name);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    for (const options::Choice& choice : option.choices()) {
      auto* item = new QListWidgetItem(value_text(choice.name), list_);
      item->setData(Qt::UserRole, text(choice.name));
      item->setToolTip(choice_help_text(option, choice));
      item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsUserCheckable);
      item->setCheckState(Qt::Unchecked);
    }
    const int shown = std::min(list_->count(), kMostShownChoices);
    list_->setSpacing(kAroundChoice);
    const int row = std::max(list_->sizeHintForRow(0), 1) + 2 * kAroundChoice;
    list_->setFixedHeight(shown * row + 2 * list_->frameWidth());
    connect(list_, &QListWidget::itemChanged, this, &OptionEditor::edited);
  }
  QStringList texts() const override {
    QStringList names;
    for (int i = 0; i < list_->count(); i++)
      if (list_->item(i)->checkState() == Qt::Checked) names += list_->item(i)->data(Qt::UserRole).toString();
    return names;
  }
  void set_texts(const QStringList& texts) override {
    const QSignalBlocker silent(list_);
    for (int i = 0; i < list_->count(); i++) {
      const bool is_given = texts.contains(list_->item(i)->data(Qt::UserRole).toString());
      list_->item(i)->setCheckState(is_given ? Qt::Checked : Qt::Unchecked);
    }
  }
  void show_default(const QString&) override {}

 private:
  QListWidget* list_;
};

// Several values, one per line.
class LinesEditor final : public OptionEditor {
 public:
  LinesEditor(const options::Option& option, const QString& name, QWidget* parent)
      : OptionEditor(parent), lines_(new QPlainTextEdit(this)) {
    place(*this, *lines_, name);
    lines_->setTabChangesFocus(true);
    lines_->setPlaceholderText(OptionEditor::tr("%1, one a line").arg(text(option.value_name())));
    lines_->setFixedHeight(kLinesOfSeveral * fontMetrics().lineSpacing() + 12);
    connect(lines_, &QPlainTextEdit::textChanged, this, &OptionEditor::edited);
  }
  QStringList texts() const override { return lines_->toPlainText().split('\n', Qt::SkipEmptyParts); }
  void set_texts(const QStringList& texts) override {
    const QSignalBlocker silent(lines_);
    lines_->setPlainText(texts.join('\n'));
  }
  void show_default(const QString&) override {}

 private:
  QPlainTextEdit* lines_;
};

}  // namespace

OptionEditor* OptionEditor::make(const options::Option& option, const QString& name, QWidget* parent) {
  if (option.is_repeated() && !option.is_map() && option.type() == options::ValueType::kChoice)
    return new ChoicesEditor(option, name, parent);
  if (option.is_repeated()) return new LinesEditor(option, name, parent);
  switch (option.type()) {
    case options::ValueType::kBool:
      return new SwitchEditor(name, parent);
    case options::ValueType::kChoice:
      return new ChoiceEditor(option, name, parent);
    case options::ValueType::kChain:
      // A chain within a filter is edited as text.
      if (!option.field().containing_type()->options().HasExtension(v1::filter))
        return new ChainEditor(option, name, parent);
      return new LineEditor(option, name, parent);
    default:
      if (option.value_name() == kDeviceName) return new NameEditor(name, parent);
      return new LineEditor(option, name, parent);
  }
}

}  // namespace weft::gui
