// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/screenshot.h"

#include <QCoreApplication>
#include <QDeadlineTimer>
#include <QPixmap>
#include <functional>

#include "client_gui/views/submit_view.h"

namespace weft::gui {
namespace {

constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::milliseconds kLook(20);

void look_on(std::chrono::milliseconds longest, const std::function<bool()>& is_enough) {
  const QDeadlineTimer deadline(longest);
  do
    QCoreApplication::processEvents(QEventLoop::AllEvents | QEventLoop::WaitForMoreEvents,
                                    int(kLook.count()));
  while (!is_enough() && !deadline.hasExpired());
}

}  // namespace

Status take_screenshot(MainWindow& window, const QString& view, const QString& file,
                       std::chrono::milliseconds watch) {
  if (!window.show_view(view))
    return invalid_argument("The view ({}) is not known; the views are {}.", view.toStdString(),
                            window.views().join(QStringLiteral(", ")).toStdString());
  window.show();
  look_on(kPatience, [&] { return window.is_settled(); });
  look_on(watch, [] { return false; });
  QCoreApplication::processEvents();
  if (window.grab().save(file, "PNG")) return ok_status();
  return unavailable("The picture ({}) cannot be written; look at its folder and the disk.",
                     file.toStdString());
}

}  // namespace weft::gui
