// SPDX-License-Identifier: Apache-2.0
#include "client_gui/forms/profile_bar.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include <google/protobuf/util/message_differencer.h>

#include "base/printable.h"
#include "client/built_in_profiles.h"
#include "client/profiles.h"
#include "client_gui/forms/confirm.h"

namespace weft::gui {
namespace {

using google::protobuf::util::MessageDifferencer;

QString files_filter() { return ProfileBar::tr("Profiles (*.json)"); }

}  // namespace

ProfileBar::ProfileBar(std::function<v1::SubmitJobRequest()> current, QWidget* parent)
    : QWidget(parent),
      current_(std::move(current)),
      names_(new QComboBox(this)),
      menu_(new QMenu(this)),
      changed_(new QLabel(tr("changed"), this)) {
  auto* label = new QLabel(tr("&Profile:"), this);
  label->setBuddy(names_);
  names_->setAccessibleName(tr("Profile"));
  names_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  auto* more = new QToolButton(this);
  more->setText(tr("Manage"));
  more->setPopupMode(QToolButton::InstantPopup);
  more->setMenu(menu_);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(label);
  layout->addWidget(names_, 1);
  layout->addWidget(changed_);
  layout->addWidget(more);
  changed_->setForegroundRole(QPalette::BrightText);
  changed_->setObjectName(QStringLiteral("changed"));
  changed_->setToolTip(tr("Unsaved changes."));
  changed_->hide();
  make_menu();
  list({});
  connect(names_, &QComboBox::activated, this, [this](int index) {
    if (index > 0) load(names_->itemText(index));
    list(index > 0 ? names_->itemText(index) : QString());
    show_changes();
  });
}

void ProfileBar::make_menu() {
  const auto add = [this](const char* name, const QString& text, std::function<void()> act) {
    QAction* action = menu_->addAction(text, this, std::move(act));
    action->setObjectName(QLatin1String(name));
  };
  add("save", tr("&Save"), [this] { save(chosen()); });
  add("save-as", tr("Save &as ..."), [this] {
    ask(tr("Save as"), tr("The profile's name:"), chosen(), [this](const QString& name) { save(name); });
  });
  add("rename", tr("&Rename ..."), [this] {
    ask(tr("Rename"), tr("New name of %1:").arg(chosen()), chosen(),
        [this](const QString& name) { rename(name); });
  });
  add("delete", tr("&Delete ..."), [this] { ask_to_remove(); });
  menu_->addSeparator();
  add("open", tr("&Import ..."), [this] {
    const QString file = QFileDialog::getOpenFileName(this, tr("Import a profile"), {}, files_filter());
    if (!file.isEmpty()) load(file);
  });
  add("write", tr("&Export ..."), [this] {
    const QString name = QStringLiteral("%1.json").arg(chosen().isEmpty() ? tr("profile") : chosen());
    const QString file = QFileDialog::getSaveFileName(this, tr("Export a profile"), name, files_filter());
    if (!file.isEmpty()) save(file.endsWith(QLatin1String(".json")) ? file : file + ".json");
  });
}

QString ProfileBar::chosen() const { return names_->currentIndex() > 0 ? names_->currentText() : QString(); }

QAction* ProfileBar::action(const QString& name) const { return menu_->findChild<QAction*>(name); }

void ProfileBar::list(const QString& chosen) {
  names_->clear();
  names_->addItem(tr("none"));
  for (const std::string& name : client::profile_names()) names_->addItem(QString::fromStdString(name));
  for (const client::BuiltInProfile& each : client::built_in_profiles())
    if (const QString name = QString::fromUtf8(each.name.data(), qsizetype(each.name.size()));
        names_->findText(name) < 0)
      names_->addItem(name);
  names_->setCurrentIndex(std::max(0, names_->findText(chosen)));
  const bool is_any = names_->currentIndex() > 0;
  for (const char* name : {"save", "rename", "delete"}) action(QLatin1String(name))->setEnabled(is_any);
}

void ProfileBar::show_changes() {
  changed_->setVisible(!chosen().isEmpty() && !MessageDifferencer::Equals(current_(), loaded_));
}

bool ProfileBar::say(const Status& status, const QString& done) {
  emit said(status.ok() ? done : QString::fromStdString(printable_lines(message_of(status))));
  return status.ok();
}

// --- Actions -------------------------------------------------------------------------------------

void ProfileBar::load(const QString& name_or_file) {
  const auto profile = client::read_profile(name_or_file.toStdString());
  if (profile.ok()) {
    v1::SubmitJobRequest request;
    *request.mutable_spec() = profile->spec();
    *request.mutable_settings() = profile->settings();
    emit loaded(request);
    loaded_ = current_();
  }
  // Comes after the messages that loading causes.
  say(profile.status(), tr("Profile %1 is loaded.").arg(name_or_file));
}

void ProfileBar::save(const QString& name_or_file) {
  // A replaced profile keeps its description.
  v1::Profile profile = client::read_profile(name_or_file.toStdString()).value_or(v1::Profile());
  const v1::SubmitJobRequest request = current_();
  *profile.mutable_spec() = request.spec();
  *profile.mutable_settings() = request.settings();
  const Status status = client::write_profile(name_or_file.toStdString(), profile);
  if (!say(status, tr("Profile %1 is saved.").arg(name_or_file))) return;
  list(name_or_file.contains('/') ? chosen() : name_or_file);
  if (!name_or_file.contains('/')) loaded_ = current_();
  show_changes();
}

void ProfileBar::rename(const QString& name) {
  const Status status = client::rename_profile(chosen().toStdString(), name.toStdString());
  if (say(status, tr("Profile %1 is now named %2.").arg(chosen(), name))) list(name);
}

void ProfileBar::remove() {
  const Status status = client::remove_profile(chosen().toStdString());
  if (say(status, tr("Profile %1 is deleted.").arg(chosen()))) list({});
}

// --- Questions -----------------------------------------------------------------------------------

void ProfileBar::ask(const QString& title, const QString& label, const QString& text,
                     std::function<void(const QString&)> then) {
  auto* dialog = new QInputDialog(this);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(title);
  dialog->setLabelText(label);
  dialog->setTextValue(text);
  connect(dialog, &QInputDialog::textValueSelected, this, std::move(then));
  dialog->open();
}

void ProfileBar::ask_to_remove() {
  confirm(*this, tr("Delete"), tr("Delete the profile %1?").arg(chosen()), [this] { remove(); });
}

}  // namespace weft::gui
