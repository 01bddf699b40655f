// SPDX-License-Identifier: Apache-2.0
// Shows notices about ended batches of jobs in the system tray, or in the status bar if there is no
// tray. Failed jobs are always shown in the status bar, since notices of the tray disappear.
#pragma once

#include <QObject>
#include <QTimer>

#include "client_gui/models/batch_notices.h"
#include "client_gui/models/fleet.h"

class QSystemTrayIcon;
class QWidget;

namespace weft::gui {

class Announcements;

class Notices : public QObject {
  Q_OBJECT

 public:
  Notices(Fleet& fleet, Announcements& announcements, QWidget& window);

  // Turns notices on or off. Batches that end while notices are off are not reported later.
  void turn_on(bool on);

 signals:
  void notified(const QString& title, const QString& text);

 private:
  void take(int server, const Delivery& delivery);
  void poll();
  void notify(const BatchNotice& notice);

  Announcements& announcements_;
  QSystemTrayIcon* tray_ = nullptr;
  BatchNotices batches_;
  QTimer timer_;
  bool on_ = true;
};

}  // namespace weft::gui
