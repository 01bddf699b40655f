// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/notices.h"

#include <QSystemTrayIcon>
#include <QWidget>

#include "client_gui/models/wall_time.h"
#include "client_gui/views/announcements.h"

namespace weft::gui {
namespace {

constexpr int kMostNames = 5;  // of failed jobs, in a notice

QString title_of(const BatchNotice& notice) {
  if (notice.failed > 0)
    return Notices::tr("Jobs that failed: %1 of %2").arg(notice.failed).arg(notice.jobs());
  if (notice.succeeded == 0) return Notices::tr("Jobs that were cancelled: %1").arg(notice.cancelled);
  return Notices::tr("Jobs that are done: %1").arg(notice.succeeded);
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
  connect(&timer_, &QTimer::timeout, this, &Notices::look);
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

void Notices::look() {
  for (const BatchNotice& notice : batches_.take(now_seconds()))
    if (on_) tell(notice);
}

void Notices::tell(const BatchNotice& notice) {
  const QString title = title_of(notice), text = text_of(notice);
  if (tray_ != nullptr)
    tray_->showMessage(title, text,
                       notice.failed > 0 ? QSystemTrayIcon::Warning : QSystemTrayIcon::Information);
  if (tray_ == nullptr || notice.failed > 0)
    announcements_.say(
        title + ": " + QString(text).replace('\n', QStringLiteral(", ")),
        notice.failed > 0 ? Announcements::Weight::kFailure : Announcements::Weight::kConfirmation);
  emit told(title, text);
}

}  // namespace weft::gui
