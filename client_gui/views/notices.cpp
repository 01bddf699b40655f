// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/notices.h"

#include <QSystemTrayIcon>
#include <QWidget>

#include "client_gui/models/text.h"
#include "client_gui/models/wall_time.h"
#include "client_gui/views/announcements.h"

namespace weft::gui {
namespace {

constexpr int kMostNames = 5;  // limit of failed jobs that a notice names

QString title_of(const BatchNotice& notice) {
  if (notice.failed > 0 && notice.jobs() > 1)
    return Notices::tr("%1 of %2 jobs failed").arg(notice.failed).arg(notice.jobs());
  if (notice.failed > 0) return Notices::tr("1 job failed");
  if (notice.succeeded == 0)
    return counted(notice.cancelled, Notices::tr("1 job was cancelled"),
                   Notices::tr("%1 jobs were cancelled"));
  return counted(notice.succeeded, Notices::tr("1 job finished"), Notices::tr("%1 jobs finished"));
}

QString text_of(const BatchNotice& notice) {
  if (notice.failed == 0) return notice.name;
  QString names = notice.failures.mid(0, kMostNames).join('\n');
  if (notice.failed > kMostNames) names += '\n' + Notices::tr("and %1 more").arg(notice.failed - kMostNames);
  return names;
}

}  // namespace

Notices::Notices(Fleet& fleet, Announcements& announcements, QWidget& window)
    : QObject(&window), announcements_(announcements) {
  if (QSystemTrayIcon::isSystemTrayAvailable()) {
    tray_ = new QSystemTrayIcon(window.windowIcon(), this);
    tray_->setToolTip(window.windowTitle());
    connect(&window, &QWidget::windowTitleChanged, tray_, &QSystemTrayIcon::setToolTip);
    connect(tray_, &QSystemTrayIcon::activated, &window, &QWidget::activateWindow);
    connect(tray_, &QSystemTrayIcon::messageClicked, &window, &QWidget::activateWindow);
    tray_->show();
  }
  connect(&fleet, &Fleet::jobs_came, this, &Notices::take);
  connect(&fleet, &Fleet::server_left, this, [this](int server) { batches_.forget_server(server); });
  connect(&timer_, &QTimer::timeout, this, &Notices::poll);
  timer_.start(std::chrono::seconds(1));
}

void Notices::turn_on(bool on) {
  on_ = on;
  if (tray_ != nullptr) tray_->setVisible(on);
}

void Notices::take(int server, const Delivery& delivery) {
  for (const JobRow& job : delivery.jobs) batches_.see(server, job);
  for (const QString& id : delivery.forgotten) batches_.forget(server, id);
}

void Notices::poll() {
  for (const BatchNotice& notice : batches_.take(now_seconds()))
    if (on_) notify(notice);
}

void Notices::notify(const BatchNotice& notice) {
  const QString title = title_of(notice), text = text_of(notice);
  if (tray_ != nullptr)
    tray_->showMessage(title, text,
                       notice.failed > 0 ? QSystemTrayIcon::Warning : QSystemTrayIcon::Information);
  if (tray_ == nullptr || notice.failed > 0)
    announcements_.say(
        title + ": " + QString(text).replace('\n', QStringLiteral(", ")),
        notice.failed > 0 ? Announcements::Weight::kFailure : Announcements::Weight::kConfirmation);
  emit notified(title, text);
}

}  // namespace weft::gui
