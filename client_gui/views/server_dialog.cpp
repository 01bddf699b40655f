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

ServerDialog::ServerDialog(const ServerEndpoint& endpoint, QWidget* parent)
    : QDialog(parent),
      local_(new QRadioButton(tr("&Unix socket on this machine"), this)),
      remote_(new QRadioButton(tr("&Host"), this)),
      port_(new QSpinBox(this)),
      tls_(new QCheckBox(tr("&Encrypted (TLS)"), this)),
      keep_(new QCheckBox(tr("&Keep the token in the settings, as plain text"), this)),
      wrong_(make_note({}, this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  auto* form = new QFormLayout(this);
  form->addRow(local_);
  socket_ = add_file(*form, tr("&Socket:"), QStringLiteral("socket"));
  form->addRow(remote_);
  host_ = add_line(*form, tr("Host &name or IP address:"), QStringLiteral("host"));
  port_->setRange(1, 65535);
  port_->setObjectName(QStringLiteral("port"));
  form->addRow(tr("&Port:"), port_);
  form->addRow(
      make_note(tr("Daemons accept local connections only. To reach another machine, use an SSH tunnel, or a "
                   "proxy in front of the daemon that terminates TLS and checks the token."),
                this));
  tls_->setObjectName(QStringLiteral("tls"));
  form->addRow(tls_);
  roots_ = add_file(*form, tr("Root &certificates:"), QStringLiteral("roots"));
  roots_->setPlaceholderText(tr("system certificates"));
  name_ = add_line(*form, tr("Name in the certi&ficate:"), QStringLiteral("name"));
  name_->setPlaceholderText(tr("host name"));
  token_ = add_line(*form, tr("&Token:"), QStringLiteral("token"));
  token_->setPlaceholderText(tr("none"));
  token_->setEchoMode(QLineEdit::Password);
  keep_->setObjectName(QStringLiteral("keep"));
  form->addRow(keep_);
  wrong_->setObjectName(QStringLiteral("wrong"));
  wrong_->setAccessibleName(tr("Error"));
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
    connect(each, &QAbstractButton::clicked, this, &ServerDialog::focus_endpoint);
  show_endpoint(endpoint);
  focus_endpoint();
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

void ServerDialog::show_endpoint(const ServerEndpoint& endpoint) {
  const bool is_host = !endpoint.address.isEmpty() && !endpoint.address.startsWith(kUnix);
  (is_host ? remote_ : local_)->setChecked(true);
  const auto colon = endpoint.address.lastIndexOf(':');
  socket_->setText(is_host ? QString() : endpoint.address.mid(kUnix.size()));
  host_->setText(is_host ? endpoint.address.left(colon) : QStringLiteral("localhost"));
  port_->setValue(is_host ? endpoint.address.mid(colon + 1).toInt() : kUsualPort);
  tls_->setChecked(endpoint.tls);
  roots_->setText(endpoint.roots_file);
  name_->setText(endpoint.server_name);
  token_->setText(endpoint.token);
  keep_->setChecked(endpoint.keeps_token);
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

ServerEndpoint ServerDialog::endpoint() const {
  ServerEndpoint endpoint;
  if (local_->isChecked()) {
    endpoint.address = kUnix + socket_->text().trimmed();
    return endpoint;
  }
  endpoint.address = QStringLiteral("%1:%2").arg(host_->text().trimmed()).arg(port_->value());
  endpoint.tls = tls_->isChecked();
  if (!endpoint.tls) return endpoint;
  endpoint.roots_file = roots_->text().trimmed();
  endpoint.server_name = name_->text().trimmed();
  endpoint.token = token_->text().trimmed();
  endpoint.keeps_token = keep_->isChecked();
  return endpoint;
}

void ServerDialog::accept() {
  const Status status = Fleet::check(endpoint());
  if (status.ok()) return QDialog::accept();
  wrong_->setText(QString::fromStdString(printable_lines(message_of(status))));
  wrong_->show();
  fit_height();
  focus_endpoint();
}

// Moves the focus to the socket's path or to the host name.
void ServerDialog::focus_endpoint() {
  QLineEdit* line = local_->isChecked() ? socket_ : host_;
  line->setFocus(Qt::OtherFocusReason);
  line->selectAll();
}

// Adapts the dialog's height to wrapped lines, since the layout does not.
void ServerDialog::fit_height() {
  layout()->activate();
  setMinimumHeight(layout()->totalHeightForWidth(width()));
}

void ServerDialog::resizeEvent(QResizeEvent* event) {
  QDialog::resizeEvent(event);
  fit_height();
}

}  // namespace weft::gui
