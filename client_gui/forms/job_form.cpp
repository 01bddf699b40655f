// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/job_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QVBoxLayout>

#include "client_gui/texts/declared.h"
#include "client_gui/texts/utf8.h"
#include "options/values.h"

namespace weft::gui {
namespace {

std::vector<std::string> stand_elsewhere(const options::JobKind& kind) {
  std::vector<std::string> flags;
  for (const auto& option : {kind.input_option(), kind.output_option()})
    if (option) flags.push_back(option->flag());
  return flags;
}

}  // namespace

JobForm::JobForm(QWidget* parent)
    : QWidget(parent),
      kinds_(options::job_kinds()),
      kind_(new QComboBox(this)),
      summary_(new QLabel(this)),
      which_(new QComboBox(this)),
      search_(new QLineEdit(this)) {
  kind_->setAccessibleName(tr("Kind of job"));
  for (const options::JobKind& kind : kinds_) kind_->addItem(text(kind.name));
  summary_->setWordWrap(true);
  which_->setAccessibleName(tr("Options shown"));
  which_->addItems({tr("Usual options"), tr("All options"), tr("Changed options only")});
  search_->setAccessibleName(tr("Search options"));
  search_->setPlaceholderText(tr("Search options: name or help text ..."));
  search_->setClearButtonEnabled(true);
  auto* first = new QHBoxLayout;
  first->addWidget(kind_);
  first->addWidget(summary_, 1);
  auto* second = new QHBoxLayout;
  second->addWidget(which_);
  second->addWidget(search_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addLayout(first);
  layout->addLayout(second);
  make_forms();
  connect(kind_, &QComboBox::currentIndexChanged, this, [this](int index) {
    for (size_t i = 0; i < forms_.size(); i++) forms_[i]->setVisible(int(i) == index);
    summary_->setText(summary_text(kinds_[size_t(index)]));
    fit_settings();
    filter();
    emit kind_chosen();
  });
  connect(which_, &QComboBox::currentIndexChanged, this, &JobForm::filter);
  connect(search_, &QLineEdit::textChanged, this, &JobForm::filter);
  summary_->setText(summary_text(kinds_[0]));
  fit_settings();
}

void JobForm::make_forms() {
  auto* page = new QWidget(this);
  auto* column = new QVBoxLayout(page);
  for (const options::JobKind& kind : kinds_) {
    auto* form = new OptionForm(kind.message(), "spec." + kind.field->name(), stand_elsewhere(kind), page);
    form->setVisible(forms_.empty());
    forms_.push_back(form);
    column->addWidget(form);
  }
  settings_title_ = new QLabel(tr("Queue"), page);
  QFont font = settings_title_->font();
  font.setBold(true);
  settings_title_->setFont(font);
  settings_title_->setContentsMargins(0, 8, 0, 2);
  column->addWidget(settings_title_);
  settings_ = new OptionForm(v1::JobSettings::descriptor(), "settings", {}, page);
  column->addWidget(settings_);
  nothing_found_ = new QLabel(tr("No option matches."), page);
  nothing_found_->setForegroundRole(QPalette::PlaceholderText);
  nothing_found_->hide();
  column->addWidget(nothing_found_);
  column->addStretch(1);
  for (OptionForm* form : forms_) connect(form, &OptionForm::edited, this, &JobForm::edited);
  connect(settings_, &OptionForm::edited, this, &JobForm::edited);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll->setAccessibleName(tr("Options"));
  scroll->setWidget(page);
  layout()->addWidget(scroll);
}

// Adapts the settings of the queue to the kind of job.
void JobForm::fit_settings() {
  settings_->set_own_default(QStringLiteral("class"), text(kind().declaration().default_class()));
  for (const char* name : {"overwrite", "hash"})
    settings_->set_means_something(QLatin1String(name), kind().output_option().has_value());
}

const options::JobKind& JobForm::kind() const { return kinds_[size_t(kind_->currentIndex())]; }

OptionForm& JobForm::options() const { return *forms_[size_t(kind_->currentIndex())]; }

bool JobForm::choose_kind(const QString& name) {
  const int index = kind_->findText(name);
  if (index >= 0) kind_->setCurrentIndex(index);
  return index >= 0;
}

client::Draft JobForm::draft(const QString& output) const {
  client::Draft draft{kind()};
  draft.joins_files = true;
  options().fill(kind().choose(*draft.common.mutable_spec()));
  settings_->fill(*draft.common.mutable_settings());
  draft.output = output.toStdString();
  return draft;
}

v1::SubmitJobRequest JobForm::profile(const QString& output) const {
  v1::SubmitJobRequest profile = draft(output).common;
  const auto option = kind().output_option();
  if (option && !output.isEmpty())  // an invalid text is reported when the jobs are submitted
    static_cast<void>(
        options::set_from_text(kind().choose(*profile.mutable_spec()), *option, output.toStdString()).ok());
  return profile;
}

QString JobForm::show_profile(const v1::SubmitJobRequest& profile) {
  QString output;
  if (const auto chosen = options::job_kind_of(profile.spec())) {
    const auto& job = options::job_message(profile.spec());
    choose_kind(text(chosen->name));
    options().show_values(job);
    if (const auto option = chosen->output_option()) output = text(options::format_value(job, *option));
  }
  settings_->show_values(profile.settings());
  emit edited();
  return output;
}

std::string JobForm::output_field() const {
  const auto option = kind().output_option();
  return option ? client::field_name(kind(), *option) : "";
}

int JobForm::wrong() const { return options().wrong() + settings_->wrong(); }

void JobForm::set_devices(const std::vector<std::pair<QString, QString>>& devices) {
  for (OptionField* field : settings_->fields()) field->editor().set_choices(devices);
}

std::vector<options::Violation> JobForm::show_errors(const std::vector<options::Violation>& violations) {
  return settings_->show_errors(options().show_errors(violations));
}

void JobForm::search() {
  search_->setFocus(Qt::ShortcutFocusReason);
  search_->selectAll();
}

void JobForm::filter() {
  const FormFilter filter{FormFilter::Which(which_->currentIndex()), search_->text()};
  for (OptionForm* form : forms_) form->set_filter(filter);
  settings_->set_filter(filter);
  settings_title_->setVisible(settings_->shows_any());
  nothing_found_->setVisible(!options().shows_any() && !settings_->shows_any());
}

}  // namespace weft::gui
