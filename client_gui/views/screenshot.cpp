// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/screenshot.h"

#include <QCoreApplication>
#include <QPixmap>

#include "client_gui/models/wait_until.h"
#include "client_gui/views/jobs_view.h"

namespace weft::gui {
namespace {

constexpr std::chrono::seconds kPatience(10);

}  // namespace

Status take_screenshot(MainWindow& window, const QString& view, const QString& file,
                       std::chrono::milliseconds watch) {
  if (!window.show_view(view))
    return invalid_argument("The view ({}) is not known; the views are {}.", view.toStdString(),
                            window.views().join(QStringLiteral(", ")).toStdString());
  window.show();
  wait_until([&] { return window.is_settled(); }, kPatience);
  window.jobs().choose_first();
  wait_until([&] { return window.jobs().is_settled(); }, kPatience);
  let_pass(watch);
  wait_until([&] { return window.is_settled(); }, kPatience);  // data that arrived during the delay
  QCoreApplication::processEvents();
  if (window.grab().save(file, "PNG")) return ok_status();
  return unavailable("The picture ({}) cannot be written; look at its folder and the disk.",
                     file.toStdString());
}

}  // namespace weft::gui
