// SPDX-License-Identifier: Apache-2.0
#include "client_gui/views/main_window.h"

#include <QActionGroup>
#include <QCloseEvent>
#include <QMenuBar>
#include <QMimeData>
#include <QSettings>
#include <QSplitter>
#include <QStatusBar>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>
#include <QVBoxLayout>

#include "base/printable.h"
#include "client_gui/forms/confirm.h"
#include "client_gui/models/stored_servers.h"
#include "client_gui/views/about_dialog.h"
#include "client_gui/views/announcements.h"
#include "client_gui/views/benchmarks_view.h"
#include "client_gui/views/compare_view.h"
#include "client_gui/views/device_actions.h"
#include "client_gui/views/devices_view.h"
#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/keys_dialog.h"
#include "client_gui/views/language.h"
#include "client_gui/views/link_banner.h"
#include "client_gui/views/notices.h"
#include "client_gui/views/server_dialog.h"
#include "client_gui/views/statistics_view.h"
#include "client_gui/views/submit_view.h"
#include "client_gui/views/window_icon.h"
#include "client_gui/views/window_input.h"
#include "weft/v1/job.pb.h"

namespace weft::gui {
namespace {

constexpr QSize kFirstSize(1280, 720);
constexpr int kTreeWidth = 240;
constexpr std::chrono::milliseconds kSavePause(500);  // delay between the last change and saving

// A delegate for rows with additional height.
class TallRowDelegate final : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    return QStyledItemDelegate::sizeHint(option, index) + QSize(0, 6);
  }
};

}  // namespace

MainWindow::MainWindow(Fleet& fleet, QWidget* parent)
    : QMainWindow(parent),
      fleet_(fleet),
      tree_(new QTreeView(this)),
      tabs_(new QTabWidget(this)),
      splitter_(new QSplitter(this)),
      jobs_(new JobsView(fleet, this)),
      devices_(new DevicesView(fleet, this)),
      submit_(new SubmitView(fleet, this)),
      statistics_(new StatisticsView(fleet, this)),
      compare_(new CompareView(fleet, this)),
      benchmarks_(new BenchmarksView(fleet, this)),
      announcements_(new Announcements(this)) {
  setWindowIcon(window_icon());
  show_counts();
  connect(&fleet_.jobs(), &JobsModel::counts_changed, this, &MainWindow::show_counts);
  connect(&fleet_, &Fleet::server_left, this, &MainWindow::show_counts);
  statusBar()->addWidget(announcements_, 1);
  notices_ = new Notices(fleet_, *announcements_, *this);
  resize(kFirstSize);
  make_tree();
  tabs_->setDocumentMode(true);
  add_view(jobs_, QStringLiteral("jobs"), tr("Jobs"));
  add_view(devices_, QStringLiteral("devices"), tr("Devices"));
  add_view(submit_, QStringLiteral("submit"), tr("Submit"));
  add_view(statistics_, QStringLiteral("statistics"), tr("Statistics"));
  add_view(compare_, QStringLiteral("compare"), tr("Compare"));
  add_view(benchmarks_, QStringLiteral("benchmarks"), tr("Benchmarks"));
  connect(&jobs_->actions(), &JobActions::compare_wanted, this, [this](const PlacedJob& job) {
    compare_->choose(job);
    show_view(compare_->objectName());
    compare_->setFocus();
  });
  connect(benchmarks_, &BenchmarksView::run_wanted, this, [this](int server) {
    submit_->choose_server(server);
    submit_->choose_kind(benchmark_kind());
    show_view(submit_->objectName());
    submit_->setFocus();
  });
  connect(new WindowInput(*this), &WindowInput::files_dropped, this, [this](const QMimeData& files) {
    show_view(submit_->objectName());
    submit_->take_files(files);
  });
  splitter_->addWidget(tree_);
  splitter_->addWidget(tabs_);
  splitter_->setStretchFactor(1, 1);
  splitter_->setSizes({kTreeWidth, kFirstSize.width() - kTreeWidth});
  auto* body = new QWidget(this);
  auto* layout = new QVBoxLayout(body);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* banner = new LinkBanner(fleet_, body);
  connect(banner, &LinkBanner::edit_wanted, this, &MainWindow::edit_server);
  layout->addWidget(banner);
  layout->addWidget(splitter_, 1);
  setCentralWidget(body);
  jobs_->table().setFocus();
  make_menus();
  watch_arrangement();
  connect(&jobs_->actions(), &JobActions::announced, announcements_, &Announcements::say);
  connect(&fleet_, &Fleet::order_answered, this, [this](int, const OrderAnswer& answer) {
    if (!answer.of_device) return;
    if (!answer.reason.isEmpty()) return announcements_->say(answer.reason, Announcements::Weight::kRefusal);
    announcements_->say(done_sentence(*answer.of_device, answer.id), Announcements::Weight::kConfirmation);
  });
}

// Shows numbers in the window's title. The important ones come first, because task bars cut off the
// end.
void MainWindow::show_counts() {
  int running = 0, queued = 0, failed = 0;
  for (const int server : fleet_.servers())
    for (const auto& [state, jobs] : fleet_.jobs().counts(server)) {
      running += state == v1::JOB_STATE_RUNNING ? jobs : 0;
      queued += state == v1::JOB_STATE_QUEUED ? jobs : 0;
      failed += state == v1::JOB_STATE_FAILED ? jobs : 0;
    }
  const QString title =
      running + queued + failed == 0
          ? tr("Weft")
          : tr("%1 running, %2 queued, %3 failed - Weft").arg(running).arg(queued).arg(failed);
  if (title != windowTitle()) setWindowTitle(title);
}

void MainWindow::add_view(QWidget* view, const QString& name, const QString& title) {
  view->setObjectName(name);
  tabs_->addTab(view, title);
}

QStringList MainWindow::views() const {
  QStringList names;
  for (int i = 0; i < tabs_->count(); i++) names.push_back(tabs_->widget(i)->objectName());
  return names;
}

bool MainWindow::show_view(const QString& name) {
  const auto index = views().indexOf(name);
  if (index >= 0) tabs_->setCurrentIndex(int(index));
  return index >= 0;
}

bool MainWindow::is_settled() const {
  return fleet_.is_settled() && !submit_->is_busy() && statistics_->is_settled() && compare_->is_settled() &&
         benchmarks_->is_settled();
}

// --- The servers ---------------------------------------------------------------------------------

void MainWindow::make_tree() {
  tree_->setAccessibleName(tr("Servers"));
  tree_->setHeaderHidden(true);
  tree_->setUniformRowHeights(true);
  tree_->setTextElideMode(Qt::ElideMiddle);
  tree_->setModel(&fleet_.tree());
  tree_->expandAll();
  connect(&fleet_.tree(), &QAbstractItemModel::rowsInserted, tree_, [this](const QModelIndex& parent) {
    if (!parent.isValid()) tree_->expandAll();
  });
  tree_->setItemDelegate(new TallRowDelegate(tree_));
  connect(tree_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &MainWindow::follow_tree);
  // Moving through the tree by keys does not change the view. A click or Enter on a state shows its
  // jobs.
  const auto show_jobs = [this](const QModelIndex& node) {
    if (fleet_.tree().scope_of(node).state) show_view(jobs_->objectName());
  };
  connect(tree_, &QTreeView::clicked, this, show_jobs);
  connect(tree_, &QTreeView::activated, this, show_jobs);
  // The tree has no keys for devices: after a click on a device, keys apply to its jobs.
  device_actions_ = new DeviceActions(fleet_, *tree_, DeviceActions::Keys::kNone, [this] {
    const JobScope scope = fleet_.tree().scope_of(selected_node());
    return PlacedDevice{scope.server, scope.device};
  });
}

QModelIndex MainWindow::selected_node() const { return tree_->selectionModel()->selectedIndexes().value(0); }

void MainWindow::follow_tree() {
  const QModelIndex node = selected_node();
  const JobScope scope = fleet_.tree().scope_of(node);
  jobs_->set_scope(scope);
  devices_->set_scope(scope.server, scope.device);
  statistics_->set_server(scope.server);
  benchmarks_->set_server(scope.server);
  device_actions_->enable();
  edit_->setEnabled(node.isValid());
  remove_->setEnabled(node.isValid());
}

void MainWindow::add_server() {
  auto* dialog = new ServerDialog({}, this);
  dialog->setWindowTitle(tr("Add a server"));
  connect(dialog, &QDialog::accepted, this,
          [this, dialog] { choose_server(fleet_.add(dialog->endpoint())); });
  dialog->open();
}

void MainWindow::edit_server(int server) {
  if (server == 0) return;
  auto* dialog = new ServerDialog(fleet_.endpoint(server), this);
  dialog->setWindowTitle(tr("Edit a server"));
  connect(dialog, &QDialog::accepted, this, [this, dialog, server] {
    if (dialog->endpoint() == fleet_.endpoint(server)) return;
    choose_server(fleet_.change(server, dialog->endpoint()));
  });
  dialog->open();
}

void MainWindow::choose_server(const StatusOr<int>& server) {
  save_soon();
  if (server.ok()) return tree_->setCurrentIndex(fleet_.tree().server_index(*server));
  announcements_->say(QString::fromStdString(printable_lines(message_of(server.status()))),
                      Announcements::Weight::kRefusal);
}

void MainWindow::remove_server() {
  const int server = fleet_.tree().scope_of(selected_node()).server;
  if (server == 0) return;
  const QString question =
      tr("Remove %1 from the list of servers? Its jobs keep running.").arg(fleet_.address(server));
  confirm(*this, tr("Remove a server"), question, [this, server] {
    fleet_.remove(server);
    follow_tree();
    save_soon();
  });
}

// --- Menus ---------------------------------------------------------------------------------------

void MainWindow::make_menus() {
  QMenu* file = menuBar()->addMenu(tr("&Server"));
  file->addAction(tr("&Add server ..."), QKeySequence(Qt::CTRL | Qt::Key_N), this, &MainWindow::add_server);
  edit_ = file->addAction(tr("&Edit server ..."), QKeySequence(Qt::Key_F2), this,
                          [this] { edit_server(fleet_.tree().scope_of(selected_node()).server); });
  edit_->setEnabled(false);
  remove_ = file->addAction(tr("&Remove server ..."), this, &MainWindow::remove_server);
  remove_->setEnabled(false);
  file->addAction(tr("Reconnect &now"), QKeySequence(Qt::Key_F5), this, [this] {
    for (const int server : fleet_.servers()) fleet_.retry_now(server);
  });
  file->addSeparator();
  file->addAction(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, &QWidget::close);
  QMenu* job = menuBar()->addMenu(tr("&Job"));
  for (QAction* action : jobs_->actions().actions()) job->addAction(action);
  make_view_menu(*menuBar()->addMenu(tr("&View")));
  QMenu* help = menuBar()->addMenu(tr("&Help"));
  QAction* keys = help->addAction(tr("&Keys"), this, [this] { (new KeysDialog(*this))->open(); });
  keys->setShortcuts({QKeySequence(Qt::Key_F1), QKeySequence(Qt::Key_Question)});
  help->addAction(tr("&About Weft"), this, [this] { (new AboutDialog(this))->open(); });
}

void MainWindow::make_view_menu(QMenu& menu) {
  for (int i = 0; i < tabs_->count(); i++)
    menu.addAction(tabs_->tabText(i), QKeySequence(Qt::Key_1 + i), this,
                   [this, i] { tabs_->setCurrentIndex(i); });
  menu.addSeparator();
  menu.addAction(tr("&Search"), QKeySequence(Qt::Key_Slash), this, [this] {
    show_view(jobs_->objectName());
    jobs_->search();
  });
  menu.addAction(tr("Show l&og"), QKeySequence(Qt::CTRL | Qt::Key_L), this, [this] {
    show_view(jobs_->objectName());
    jobs_->detail().show_log();
  });
  menu.addAction(tr("&All jobs"), QKeySequence(Qt::Key_0), this, [this] { tree_->clearSelection(); });
  menu.addMenu(&jobs_->columns().menu());
  menu.addSeparator();
  notify_ = menu.addAction(tr("&Notify when a batch finishes"), notices_, &Notices::turn_on);
  notify_->setCheckable(true);
  notify_->setChecked(true);
  menu.addSeparator();
  themes_ = new QActionGroup(this);
  const QString titles[] = {tr("Theme of the s&ystem"), tr("&Light theme"), tr("&Dark theme")};
  for (const Theme theme : {Theme::kSystem, Theme::kLight, Theme::kDark}) {
    QAction* action = menu.addAction(titles[size_t(theme)], this, [this, theme] { set_theme(theme); });
    action->setCheckable(true);
    action->setChecked(theme == theme_);
    action->setData(int(theme));
    themes_->addAction(action);
  }
  make_language_menu(*menu.addMenu(tr("Lan&guage")));
}

// A chosen language applies to new windows only.
void MainWindow::make_language_menu(QMenu& menu) {
  languages_ = new QActionGroup(this);
  for (const Language& language : languages()) {
    QAction* action = menu.addAction(language.title, this, [this, language] {
      store_language(language.name);
      announcements_->say(
          tr("The language changes at the next start: %1.").arg(QString(language.title).remove('&')),
          Announcements::Weight::kConfirmation);
    });
    action->setCheckable(true);
    action->setChecked(language.name == stored_language());
    languages_->addAction(action);
  }
}

void MainWindow::set_theme(Theme theme) {
  theme_ = theme;
  apply_theme(theme);
  for (QAction* action : themes_->actions()) action->setChecked(action->data().toInt() == int(theme));
  save_soon();
}

// --- Stored settings -----------------------------------------------------------------------------

void MainWindow::restore(bool servers) {
  const QSettings settings;
  if (settings.contains("window/geometry")) restoreGeometry(settings.value("window/geometry").toByteArray());
  if (settings.contains("window/splitter"))
    splitter_->restoreState(settings.value("window/splitter").toByteArray());
  if (settings.contains("jobs/columns"))
    jobs_->table().restore_columns(settings.value("jobs/columns").toByteArray());
  if (settings.contains("jobs/parts")) jobs_->restore_parts(settings.value("jobs/parts").toByteArray());
  notify_->setChecked(settings.value("window/notices", true).toBool());
  notices_->turn_on(notify_->isChecked());
  devices_->set_span(settings.value("devices/span").toDouble());
  set_theme(find_theme(settings.value("window/theme").toString()).value_or(Theme::kSystem));
  keeps_servers_ = servers;
  // Invalid servers in the settings are ignored.
  if (servers)
    for (const ServerEndpoint& endpoint : stored_servers()) static_cast<void>(fleet_.add(endpoint).ok());
  is_restored_ = true;
}

void MainWindow::save() const {
  QSettings settings;
  settings.setValue("window/geometry", saveGeometry());
  settings.setValue("window/splitter", splitter_->saveState());
  settings.setValue("window/theme", name_of(theme_));
  settings.setValue("jobs/columns", jobs_->table().save_columns());
  settings.setValue("jobs/parts", jobs_->save_parts());
  settings.setValue("window/notices", notify_->isChecked());
  settings.setValue("devices/span", devices_->span());
  if (!keeps_servers_) return;
  std::vector<ServerEndpoint> endpoints;
  for (const int server : fleet_.servers()) endpoints.push_back(fleet_.endpoint(server));
  store_servers(endpoints);
}

// Saves soon after changes, since the session may end without closing the window.
void MainWindow::watch_arrangement() {
  saving_.setSingleShot(true);
  connect(&saving_, &QTimer::timeout, this, &MainWindow::save);
  connect(splitter_, &QSplitter::splitterMoved, this, &MainWindow::save_soon);
  connect(&jobs_->table(), &JobsTable::columns_changed, this, &MainWindow::save_soon);
  connect(jobs_, &JobsView::parts_moved, this, &MainWindow::save_soon);
  connect(devices_, &DevicesView::span_changed, this, &MainWindow::save_soon);
  connect(notify_, &QAction::toggled, this, &MainWindow::save_soon);
}

void MainWindow::save_soon() {
  if (is_restored_) saving_.start(kSavePause);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  save_soon();
}

void MainWindow::moveEvent(QMoveEvent* event) {
  QMainWindow::moveEvent(event);
  save_soon();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  save();
  event->accept();
}

}  // namespace weft::gui
