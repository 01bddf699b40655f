// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/job_actions.h"

#include <QAction>
#include <QClipboard>
#include <QDesktopServices>
#include <QGuiApplication>
#include <QInputDialog>
#include <QTableView>
#include <QUrl>
#include <algorithm>

#include "client_gui/forms/confirm.h"
#include "client_gui/views/save_table.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

bool is_possible(JobCommand::Kind kind, v1::JobState state) {
  const bool waits_or_runs = state == v1::JOB_STATE_QUEUED || state == v1::JOB_STATE_RUNNING;
  switch (kind) {
    case JobCommand::Kind::kPause:
      return waits_or_runs;
    case JobCommand::Kind::kResume:
      return state == v1::JOB_STATE_PAUSED;
    case JobCommand::Kind::kCancel:
    case JobCommand::Kind::kPriority:
      return waits_or_runs || state == v1::JOB_STATE_PAUSED;
    case JobCommand::Kind::kRetry:
      return state == v1::JOB_STATE_FAILED || state == v1::JOB_STATE_CANCELLED;
  }
  return false;
}

// Returns the range of priorities that the API declares.
std::pair<int, int> priority_bounds() {
  const auto& declared =
      v1::JobSettings::descriptor()->FindFieldByName("priority")->options().GetExtension(v1::option);
  return {int(declared.minimum()), int(declared.maximum())};
}

QString names_of(const std::vector<PlacedJob>& jobs) {
  QStringList names;
  for (const PlacedJob& placed : jobs) names.push_back(placed.job.files);
  return first_names(names);
}

}  // namespace

JobActions::JobActions(Fleet& fleet, QTableView& table) : QObject(&table), fleet_(fleet), table_(table) {
  add_order("pause", tr("&Pause"), Qt::Key_Space, Kind::kPause);
  add_order("resume", tr("&Resume"), QKeySequence(Qt::SHIFT | Qt::Key_Space), Kind::kResume);
  add("cancel", tr("&Cancel ..."), Qt::Key_Delete, [this] { cancel(); });
  add_order("retry", tr("Re&try"), QKeySequence(Qt::CTRL | Qt::Key_R), Kind::kRetry);
  const auto step = [this](int by) {
    order(Kind::kPriority, selected(Kind::kPriority), [by](const JobRow& job) {
      const auto [lowest, highest] = priority_bounds();
      return std::clamp(job.priority + by, lowest, highest);
    });
  };
  add("raise", tr("Priority &up"), QKeySequence(Qt::CTRL | Qt::Key_Up), [step] { step(1); });
  add("lower", tr("Priority &down"), QKeySequence(Qt::CTRL | Qt::Key_Down), [step] { step(-1); });
  add("priority", tr("Set pr&iority ..."), {}, [this] { ask_for_priority(); });
  add("compare", tr("Co&mpare"), Qt::Key_Return, [this] {
    const std::vector<int> rows = selected_rows();
    if (rows.size() == 1) emit compare_wanted(fleet_.jobs().job_at(rows[0]));
  });
  add("copy", tr("Copy i&d"), QKeySequence::Copy, [this] { copy_ids(); });
  add("folder", tr("&Open folder"), QKeySequence::Open, [this] { open_folder(); });
  add("export", tr("&Export ..."), QKeySequence(Qt::CTRL | Qt::Key_E), [this] { export_rows(); });
  connect(&fleet_, &Fleet::order_answered, this, &JobActions::take_answer);
  connect(&fleet_, &Fleet::server_left, this, [this](int server) { batches_.forget_server(server); });
  table_.setContextMenuPolicy(Qt::ActionsContextMenu);
  connect(table_.selectionModel(), &QItemSelectionModel::selectionChanged, this, &JobActions::enable);
  connect(&fleet_.jobs(), &QAbstractItemModel::dataChanged, this, &JobActions::enable);
  enable();
}

QAction& JobActions::add(const QString& name, const QString& text, const QKeySequence& key,
                         std::function<void()> act) {
  auto* action = new QAction(text, this);
  action->setObjectName(name);
  action->setShortcut(key);
  action->setShortcutContext(Qt::WidgetShortcut);
  connect(action, &QAction::triggered, this, std::move(act));
  table_.addAction(action);
  actions_.push_back(action);
  return *action;
}

void JobActions::add_order(const QString& name, const QString& text, const QKeySequence& key, Kind kind) {
  add(name, text, key, [this, kind] { order(kind, selected(kind)); });
}

QAction* JobActions::action(const QString& name) const { return findChild<QAction*>(name); }

std::vector<int> JobActions::selected_rows() const {
  std::vector<int> rows;
  for (const QItemSelectionRange& range : table_.selectionModel()->selection())
    for (int row = range.top(); row <= range.bottom(); row++) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<PlacedJob> JobActions::selected(Kind kind) const {
  std::vector<PlacedJob> jobs;
  for (const int row : selected_rows())
    if (const PlacedJob& placed = fleet_.jobs().job_at(row); is_possible(kind, placed.job.state))
      jobs.push_back(placed);
  return jobs;
}

void JobActions::enable() {
  const std::vector<int> rows = selected_rows();
  const auto can = [&](Kind kind) {
    return std::any_of(rows.begin(), rows.end(),
                       [&](int row) { return is_possible(kind, fleet_.jobs().job_at(row).job.state); });
  };
  action("pause")->setEnabled(can(Kind::kPause));
  action("resume")->setEnabled(can(Kind::kResume));
  action("cancel")->setEnabled(can(Kind::kCancel));
  action("retry")->setEnabled(can(Kind::kRetry));
  for (const char* name : {"raise", "lower", "priority"}) action(name)->setEnabled(can(Kind::kPriority));
  action("copy")->setEnabled(!rows.empty());
  const bool has_files = rows.size() == 1 && !fleet_.jobs().job_at(rows[0]).job.folder.isEmpty();
  for (const char* name : {"compare", "folder"}) action(name)->setEnabled(has_files);
}

// --- Actions -------------------------------------------------------------------------------------

// A question refers to the jobs that are selected when it is shown.

void JobActions::order(Kind kind, const std::vector<PlacedJob>& jobs,
                       const std::function<int(const JobRow&)>& priority) {
  const std::vector<int> servers = fleet_.servers();
  std::vector<PlacedJob> reached;
  std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(reached), [&](const PlacedJob& placed) {
    return std::find(servers.begin(), servers.end(), placed.server) != servers.end();
  });
  batches_.begin(kind, reached);
  for (const PlacedJob& placed : reached)
    fleet_.order(placed.server, {kind, placed.job.id, priority ? priority(placed.job) : 0});
}

void JobActions::take_answer(int server, const OrderAnswer& answer) {
  const auto summary = batches_.take(server, answer);
  if (!summary) return;
  if (const QString done = done_sentence(*summary); !done.isEmpty())
    emit announced(done, Announcements::Weight::kConfirmation);
  if (const QString refused = refused_sentence(*summary); !refused.isEmpty())
    emit announced(refused, Announcements::Weight::kRefusal);
}

void JobActions::cancel() {
  const std::vector<PlacedJob> jobs = selected(Kind::kCancel);
  if (jobs.empty()) return;
  const QString question = jobs.size() == 1
                               ? tr("Cancel %1 (%2)?").arg(jobs[0].job.files, jobs[0].job.id)
                               : tr("Cancel %1 jobs?").arg(jobs.size()) + "\n\n" + names_of(jobs);
  confirm(table_, tr("Cancel jobs"), question, [this, jobs] { order(Kind::kCancel, jobs); });
}

void JobActions::ask_for_priority() {
  const std::vector<PlacedJob> jobs = selected(Kind::kPriority);
  if (jobs.empty()) return;
  const auto [lowest, highest] = priority_bounds();
  auto* dialog = new QInputDialog(&table_);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Priority"));
  dialog->setLabelText(names_of(jobs) + "\n\n" +
                       tr("Priority (%1 to %2; higher runs first):").arg(lowest).arg(highest));
  dialog->setInputMode(QInputDialog::IntInput);
  dialog->setIntRange(lowest, highest);
  dialog->setIntValue(jobs[0].job.priority);
  connect(dialog, &QInputDialog::intValueSelected, this, [this, jobs](int chosen) {
    order(Kind::kPriority, jobs, [chosen](const JobRow&) { return chosen; });
  });
  dialog->open();
}

void JobActions::copy_ids() {
  QStringList ids;
  for (const int row : selected_rows()) ids.push_back(fleet_.jobs().job_at(row).job.id);
  QGuiApplication::clipboard()->setText(ids.join('\n'));
}

void JobActions::open_folder() {
  const std::vector<int> rows = selected_rows();
  if (rows.size() == 1)
    QDesktopServices::openUrl(QUrl::fromLocalFile(fleet_.jobs().job_at(rows[0]).job.folder));
}

// Exports the selected rows, or all visible rows.
void JobActions::export_rows() {
  std::vector<int> rows = selected_rows();
  if (rows.empty())
    for (int row = 0; row < fleet_.jobs().rowCount(); row++) rows.push_back(row);
  save_table(table_, tr("Export jobs"), QStringLiteral("jobs.csv"), fleet_.jobs(), rows);
}

}  // namespace weft::gui
