// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/screenshot.h"

#include <QCoreApplication>
#include <QPixmap>
#include <memory>
#include <vector>

#include "client_gui/models/wait_until.h"
#include "client_gui/views/decision_chart.h"
#include "client_gui/views/jobs_view.h"

namespace weft::gui {
namespace {

constexpr std::chrono::seconds kPatience(10);
constexpr std::chrono::seconds kTransferPatience(60);  // for decisions of hours of video

Status save_png(const QImage& picture, const QString& file) {
  if (picture.save(file, "PNG")) return ok_status();
  return unavailable("The picture ({}) cannot be written; look at its folder and the disk.",
                     file.toStdString());
}

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
  return save_png(window.grab().toImage(), file);
}

Status save_decisions(Fleet& fleet, const QString& id, const QString& file) {
  std::shared_ptr<const JobDecisions> found;
  const QObject receiver;
  QObject::connect(&fleet, &Fleet::decisions_came, &receiver, [&](int, const auto& came) { found = came; });
  fleet.ask_for_decisions(fleet.servers().front(), id);
  if (!wait_until([&] { return found != nullptr; }, kTransferPatience))
    return unavailable("The server does not answer within {} s; look at its state with `weft status`.",
                       kTransferPatience.count());
  if (!found->error.isEmpty()) return unavailable("{}", found->error.toStdString());
  if (found->decisions.empty())
    return not_found(
        "There is no job {} with decisions of sections; look at its filters and state with `weft show`.",
        id.toStdString());
  std::vector<std::unique_ptr<DecisionChart>> charts;
  std::vector<const DecisionChart*> pointers;
  for (const DecisionRow& decision : found->decisions) {
    charts.push_back(std::make_unique<DecisionChart>(decision));
    pointers.push_back(charts.back().get());
  }
  return save_png(picture_of(pointers), file);
}

}  // namespace weft::gui
