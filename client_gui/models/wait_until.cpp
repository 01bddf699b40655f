// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/wait_until.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QTimer>

namespace weft::gui {
namespace {

constexpr std::chrono::milliseconds kWaitPollInterval(5);

}  // namespace

bool wait_until(const std::function<bool()>& is_true, std::chrono::milliseconds deadline) {
  const QDeadlineTimer end(deadline);
  // The timer ends each wait for events. processEvents() with a time limit would spin, and a local
  // event loop would delay deleteLater().
  QTimer timer;
  timer.start(kWaitPollInterval);
  while (!is_true()) {
    if (end.hasExpired()) return false;
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents);
  }
  return true;
}

void let_pass(std::chrono::milliseconds time) {
  wait_until([] { return false; }, time);
}

}  // namespace weft::gui
