// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/server_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSpinBox>

#include "base/printable.h"

namespace weft::gui {
namespace {

constexpr int kUsualPort = 7411;
constexpr int kLineWidth = 320;
const QLatin1String kUnix("unix:");

QLabel* make_note(const QString& text, QWidget* parent) {
  auto* note = new QLabel(text, parent);
  note->setWordWrap(true);
  note->setTextFormat(Qt::PlainText);
  return note;
}

}  // namespace

ServerDialog::ServerDialog(const ServerPlace& place, QWidget* parent)
    : QDialog(parent),
      local_(new QRadioButton(tr("A &Unix socket of this machine"), this)),
      remote_(new QRadioButton(tr("A &host"), this)),
      port_(new QSpinBox(this)),
      tls_(new QCheckBox(tr("&Encrypted (TLS)"), this)),
      keep_(new QCheckBox(tr("&Keep the token in the settings, as plain text"), this)),
      wrong_(make_note({}, this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  auto* form = new QFormLayout(this);
  form->addRow(local_);
  socket_ = add_file(*form, tr("&Socket:"), QStringLiteral("socket"));
  form->addRow(remote_);
  host_ = add_line(*form, tr("&Name or number:"), QStringLiteral("host"));
  port_->setRange(1, 65535);
  port_->setObjectName(QStringLiteral("port"));
  form->addRow(tr("&Port:"), port_);
  form->addRow(make_note(
      tr("A daemon listens on a Unix socket or for this machine alone, as it cannot tell people apart yet: "
         "from elsewhere use an SSH tunnel, or a proxy before the daemon that ends TLS and looks "
         "at the token."),
      this));
  tls_->setObjectName(QStringLiteral("tls"));
  form->addRow(tls_);
  roots_ = add_file(*form, tr("Root &certificates:"), QStringLiteral("roots"));
  roots_->setPlaceholderText(tr("those of the system"));
  name_ = add_line(*form, tr("Name in the certi&ficate:"), QStringLiteral("name"));
  name_->setPlaceholderText(tr("that of the host"));
  token_ = add_line(*form, tr("&Token:"), QStringLiteral("token"));
  token_->setPlaceholderText(tr("none"));
  token_->setEchoMode(QLineEdit::Password);
  keep_->setObjectName(QStringLiteral("keep"));
  form->addRow(keep_);
  wrong_->setObjectName(QStringLiteral("wrong"));
  wrong_->setAccessibleName(tr("What is wrong"));
  wrong_->setForegroundRole(QPalette::BrightText);
  wrong_->hide();
  form->addRow(wrong_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel, this);
  buttons->button(QDialogButtonBox::Ok)->setDefault(true);
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  for (QAbstractButton* each : std::initializer_list<QAbstractButton*>{local_, remote_, tls_})
    connect(each, &QAbstractButton::toggled, this, &ServerDialog::enable);
  for (QAbstractButton* each : std::initializer_list<QAbstractButton*>{local_, remote_})
    connect(each, &QAbstractButton::clicked, this, &ServerDialog::focus_place);
  show_place(place);
  focus_place();
}

QLineEdit* ServerDialog::add_line(QFormLayout& form, const QString& title, const QString& name) {
  auto* line = new QLineEdit(this);
  line->setObjectName(name);
  line->setMinimumWidth(kLineWidth);
  form.addRow(title, line);
  return line;
}

QLineEdit* ServerDialog::add_file(QFormLayout& form, const QString& title, const QString& name) {
  auto* line = new QLineEdit(this);
  line->setObjectName(name);
  line->setMinimumWidth(kLineWidth);
  auto* browse = new QPushButton(tr("Choose ..."), this);
  browse->setAutoDefault(false);
  auto* label = new QLabel(title, this);
  label->setBuddy(line);
  browse->setAccessibleName(tr("Choose: %1").arg(QString(title).remove('&')));
  connect(browse, &QPushButton::clicked, line, [line, browse] {
    const QString file = QFileDialog::getOpenFileName(line, browse->accessibleName(), line->text());
    if (!file.isEmpty()) line->setText(file);
  });
  auto* row = new QHBoxLayout;
  row->addWidget(line, 1);
  row->addWidget(browse);
  form.addRow(label, row);
  return line;
}

void ServerDialog::show_place(const ServerPlace& place) {
  const bool is_host = !place.address.isEmpty() && !place.address.startsWith(kUnix);
  (is_host ? remote_ : local_)->setChecked(true);
  const auto colon = place.address.lastIndexOf(':');
  socket_->setText(is_host ? QString() : place.address.mid(kUnix.size()));
  host_->setText(is_host ? place.address.left(colon) : QStringLiteral("localhost"));
  port_->setValue(is_host ? place.address.mid(colon + 1).toInt() : kUsualPort);
  tls_->setChecked(place.tls);
  roots_->setText(place.roots_file);
  name_->setText(place.server_name);
  token_->setText(place.token);
  keep_->setChecked(place.keeps_token);
  enable();
}

void ServerDialog::enable() {
  const bool is_host = remote_->isChecked();
  const bool has_tls = is_host && tls_->isChecked();
  socket_->setEnabled(!is_host);
  for (QWidget* each : std::initializer_list<QWidget*>{host_, port_, tls_}) each->setEnabled(is_host);
  for (QWidget* each : std::initializer_list<QWidget*>{roots_, name_, token_, keep_})
    each->setEnabled(has_tls);
}

ServerPlace ServerDialog::place() const {
  ServerPlace place;
  if (local_->isChecked()) {
    place.address = kUnix + socket_->text().trimmed();
    return place;
  }
  place.address = QStringLiteral("%1:%2").arg(host_->text().trimmed()).arg(port_->value());
  place.tls = tls_->isChecked();
  if (!place.tls) return place;
  place.roots_file = roots_->text().trimmed();
  place.server_name = name_->text().trimmed();
  place.token = token_->text().trimmed();
  place.keeps_token = keep_->isChecked();
  return place;
}

void ServerDialog::accept() {
  const Status status = Fleet::check(place());
  if (status.ok()) return QDialog::accept();
  wrong_->setText(QString::fromStdString(printable_lines(message_of(status))));
  wrong_->show();
  make_room();
  focus_place();
}

// What is asked for first: a path, or the name of a host.
void ServerDialog::focus_place() {
  QLineEdit* line = local_->isChecked() ? socket_ : host_;
  line->setFocus(Qt::OtherFocusReason);
  line->selectAll();
}

// A layout does not ask for the height that lines take once they are wrapped.
void ServerDialog::make_room() {
  layout()->activate();
  setMinimumHeight(layout()->totalHeightForWidth(width()));
}

void ServerDialog::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  make_room();
}

}  // namespace weft::gui
