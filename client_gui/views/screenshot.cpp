// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/screenshot.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QPixmap>

namespace weft::gui {
namespace {

constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::milliseconds kLook(20);

}  // namespace

Status take_screenshot(MainWindow& window, const Fleet& fleet, const QString& view, const QString& file) {
  if (!window.show_view(view))
    return invalid_argument("The view ({}) is not known; the views are {}.", view.toStdString(),
                            window.views().join(QStringLiteral(", ")).toStdString());
  window.show();
  const QDeadlineTimer deadline(kPatience);
  do
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents,
                                    int(kLook.count()));
  while (!fleet.is_settled() && !deadline.hasExpired());
  QCoreApplication::processEvents();
  if (window.grab().save(file, "PNG")) return ok_status();
  return unavailable("The picture ({}) cannot be written; look at its folder and the disk.",
                     file.toStdString());
}

}  // namespace weft::gui
