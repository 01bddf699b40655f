// SPDX-License-Identifier: Apache-2.0
// Tells a person of batches of jobs that ended: from the system's tray, or where there is none in the window's status bar; of failed jobs there in any case, as the tray forgets.
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

  // Nothing is told while they are off; what ends then is not told later.
  void turn_on(bool on);

 signals:
  void told(const QString& title, const QString& text);

 private:
  void take(int server, const Delivery& delivery);
  void look();
  void tell(const BatchNotice& notice);

  Announcements& announcements_;
  QSystemTrayIcon* tray_ = nullptr;
  BatchNotices batches_;
  QTimer timer_;
  bool on_ = true;
};

}  // namespace weft::gui
