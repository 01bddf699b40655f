// SPDX-License-Identifier: Apache-2.0
// Tests the requirements of every window: accessible names, keys for all actions, and no warnings.
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QAccessible>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QScrollBar>
#include <QSettings>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <QTreeWidget>
#include <set>

#include <gmock/gmock.h>

#include "client_gui/views/about_dialog.h"
#include "client_gui/views/announcements.h"
#include "client_gui/views/column_actions.h"
#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/keys_dialog.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/notices.h"
#include "client_gui/views/screenshot.h"
#include "client_gui/views/server_dialog.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

class Manners : public ::testing::Test {
 protected:
  Manners() {
    for (int i = 0; i < 3; i++) {
      v1::Job job;
      job.mutable_spec()->mutable_video()->set_input(fmt::format("/media/in{}.ts", i));
      job.set_state(v1::JOB_STATE_QUEUED);
      daemon_.add(job);
    }
  }

  test::FakeServer daemon_;
};

// Returns true for a part of a control that has a name, and for a widget that screen readers read
// item by item.
bool is_part(const QWidget& widget) {
  const QWidget* parent = widget.parentWidget();
  const auto* area = qobject_cast<const QAbstractScrollArea*>(parent);
  if (area != nullptr && area->viewport() == &widget) return true;
  return qobject_cast<const QAbstractSpinBox*>(parent) != nullptr ||
         qobject_cast<const QComboBox*>(parent) != nullptr || widget.objectName().startsWith("qt_") ||
         qobject_cast<const QScrollBar*>(&widget) != nullptr ||
         qobject_cast<const QHeaderView*>(&widget) != nullptr ||
         qobject_cast<const QTabBar*>(&widget) != nullptr ||
         qobject_cast<const QTabWidget*>(&widget) != nullptr;
}

QStringList without_name(const QWidget& window) {
  QStringList found;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || is_part(*widget) || widget->window() != &window) continue;
    const QAccessibleInterface* face = QAccessible::queryAccessibleInterface(widget);
    if (face == nullptr || face->text(QAccessible::Name).isEmpty())
      found.push_back(QString::fromLatin1(widget->metaObject()->className()) + ' ' + widget->objectName());
  }
  return found;
}

TEST_F(Manners, EveryControlHasAName) {
  Fleet fleet;
  MainWindow window(fleet);
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon_.address())).ok());
  for (const QString& view : window.views())
    ASSERT_THAT(take_screenshot(window, view, QString::fromStdString(daemon_.folder() + "/v.png")), IsOk());
  EXPECT_EQ(without_name(window).join(", ").toStdString(), "");
  ServerDialog server({}, &window);
  server.setAttribute(Qt::WA_DeleteOnClose, false);
  EXPECT_EQ(without_name(server).join(", ").toStdString(), "");
  KeysDialog keys(window);
  keys.setAttribute(Qt::WA_DeleteOnClose, false);
  EXPECT_EQ(without_name(keys).join(", ").toStdString(), "");
}

std::set<QString> keys_of_readme() {
  QFile file(WEFT_DASHBOARD_README);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly));
  const QString text = QString::fromUtf8(file.readAll());
  std::set<QString> keys;
  bool in_table = false;
  for (const QString& line : text.split('\n')) {
    in_table = line.startsWith("| key |") || (in_table && line.startsWith('|'));
    if (!in_table) continue;
    static const QRegularExpression kWord("`([^`]+)`|([^,`]+)");
    for (auto words = kWord.globalMatch(line.section('|', 1, 1)); words.hasNext();) {
      const QRegularExpressionMatch word = words.next();
      const QKeySequence key((word.captured(1) + word.captured(2)).trimmed());
      // The wheel has no key code.
      if (!key.isEmpty() && key[0].key() != Qt::Key_unknown)
        keys.insert(key.toString(QKeySequence::PortableText));
    }
  }
  return keys;
}

TEST_F(Manners, TheDocumentedKeysAreThoseOfTheWindow) {
  Fleet fleet;
  MainWindow window(fleet);
  std::set<QString> keys;
  for (const KeyText& each : keys_of(window)) {
    EXPECT_FALSE(each.what.isEmpty()) << qPrintable(each.keys);
    keys.insert(each.keys);
  }
  EXPECT_EQ(keys, keys_of_readme());
}

TEST_F(Manners, TheKeysAreListedInTheWindow) {
  Fleet fleet;
  MainWindow window(fleet);
  window.show();
  for (const Qt::Key key : {Qt::Key_F1, Qt::Key_Question}) {
    ASSERT_TRUE(activate(window));
    QTest::keyClick(&window, key);
    ASSERT_TRUE(wait_until([&] { return window.findChild<KeysDialog*>() != nullptr; }));
    auto* dialog = window.findChild<KeysDialog*>();
    const auto* list = dialog->findChild<QTreeWidget*>();
    size_t keys = 0;
    for (int i = 0; i < list->topLevelItemCount(); i++) keys += size_t(list->topLevelItem(i)->childCount());
    EXPECT_EQ(keys, keys_of(window).size());
    EXPECT_EQ(list->topLevelItem(0)->text(0), "Everywhere");
    QTest::keyClick(dialog, Qt::Key_Escape);
    ASSERT_TRUE(wait_until([&] { return window.findChild<KeysDialog*>() == nullptr; }));
  }
}

TEST_F(Manners, KeysAreGroupedByTheViewTheyWorkIn) {
  Fleet fleet;
  MainWindow window(fleet);
  const std::vector<KeyText> keys = keys_of(window);
  const auto views_of = [&](const QString& key) {
    QStringList views;
    for (const KeyText& each : keys)
      if (each.keys == key) views.push_back(each.view);
    return views.join('|').toStdString();
  };
  EXPECT_EQ(views_of("Ctrl+N"), "");
  EXPECT_EQ(views_of("Ctrl+R"), "Jobs");
  EXPECT_EQ(views_of("Ctrl+Return"), "Submit");
  EXPECT_EQ(views_of("W"), "Compare");
  EXPECT_EQ(views_of("Del"), "Jobs|Submit");
  EXPECT_EQ(views_of("Down"), "Jobs|Devices");
  const auto cancel = std::find_if(keys.begin(), keys.end(), [](const KeyText& each) {
    return each.view == "Jobs" && each.keys == "Del";
  });
  ASSERT_NE(cancel, keys.end());
  EXPECT_EQ(cancel->what, "Cancel") << "no other view's";
}

TEST_F(Manners, AboutSaysVersionsAndLicences) {
  Fleet fleet;
  MainWindow window(fleet);
  window.show();
  EXPECT_FALSE(window.windowIcon().isNull());
  for (QAction* action : window.findChildren<QAction*>())
    if (action->text() == "&About Weft") action->trigger();
  auto* dialog = window.findChild<AboutDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->findChild<QLabel*>()->text().contains(WEFT_VERSION));
  const auto* parts = dialog->findChild<QTreeWidget*>();
  const auto qt = parts->findItems("Qt", Qt::MatchExactly, 0);
  ASSERT_EQ(qt.size(), 1);
  EXPECT_EQ(qt[0]->text(1), qVersion());
  for (int i = 0; i < parts->topLevelItemCount(); i++)
    for (int column = 0; column < parts->columnCount(); column++)
      EXPECT_FALSE(parts->topLevelItem(i)->text(column).isEmpty())
          << parts->topLevelItem(i)->text(0).toStdString();
  EXPECT_EQ(without_name(*dialog).join(", ").toStdString(), "");
}

TEST_F(Manners, TheTitleCounts) {
  Fleet fleet;
  MainWindow window(fleet);
  EXPECT_EQ(window.windowTitle(), "Weft");
  const int server = fleet.add(QString::fromStdString(daemon_.address())).value();
  EXPECT_TRUE(wait_until([&] { return window.windowTitle() == "0 running, 3 queued, 0 failed - Weft"; }));
  daemon_.change(daemon_.jobs()[0].id(), [](v1::Job& job) { job.set_state(v1::JOB_STATE_RUNNING); });
  EXPECT_TRUE(wait_until([&] { return window.windowTitle() == "1 running, 2 queued, 0 failed - Weft"; }));
  fleet.remove(server);
  EXPECT_EQ(window.windowTitle(), "Weft");
}

TEST_F(Manners, ColumnsAreHiddenMovedAndSortedByKeysAndStaySo) {
  QSettings().clear();
  Fleet fleet;
  MainWindow window(fleet);
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon_.address())).ok());
  ASSERT_TRUE(wait_until([&] { return fleet.jobs().rowCount() == 3; }));
  window.show();
  ASSERT_TRUE(activate(window));
  QTableView& table = window.jobs().table();
  QMenu& menu = window.jobs().columns().menu();
  menu.popup({});
  const auto entry = [&](JobColumn column) {
    for (QAction* action : menu.actions())
      if (action->isCheckable() && action->text() == title_of(column)) return action;
    return static_cast<QAction*>(nullptr);
  };
  ASSERT_NE(entry(JobColumn::kOwner), nullptr);
  entry(JobColumn::kOwner)->trigger();
  menu.close();
  EXPECT_TRUE(table.isColumnHidden(int(JobColumn::kOwner)));
  table.setFocus();
  ASSERT_TRUE(wait_until([&] { return table.hasFocus(); }));
  table.setCurrentIndex(fleet.jobs().index(0, int(JobColumn::kFiles)));
  QTest::keyClick(&table, Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
  const int place = table.horizontalHeader()->visualIndex(int(JobColumn::kFiles));
  EXPECT_EQ(place, int(JobColumn::kFiles) + 1);
  QTest::keyClick(&table, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(fleet.jobs().job_at(0).job.files, "in0.ts");
  QTest::keyClick(&table, Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_EQ(fleet.jobs().job_at(0).job.files, "in2.ts");
  window.save();
  Fleet next_fleet;
  MainWindow next(next_fleet);
  next.restore(false);
  EXPECT_TRUE(next.jobs().table().isColumnHidden(int(JobColumn::kOwner)));
  EXPECT_EQ(next.jobs().table().horizontalHeader()->visualIndex(int(JobColumn::kFiles)), place);
  QSettings().clear();
}

TEST_F(Manners, TheLastColumnCannotBeHidden) {
  Fleet fleet;
  JobsView view(fleet);
  for (int column = 1; column < kJobColumns; column++) view.table().setColumnHidden(column, true);
  view.columns().menu().popup({});
  const QList<QAction*> actions = view.columns().menu().actions();
  EXPECT_FALSE(actions[0]->isEnabled());
  EXPECT_TRUE(actions[1]->isEnabled());
  actions[1]->trigger();
  EXPECT_FALSE(view.table().isColumnHidden(1));
  EXPECT_GT(view.table().columnWidth(1), 0);
}

TEST_F(Manners, APictureOfJobsShowsOneOfThem) {
  Fleet fleet;
  MainWindow window(fleet);
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon_.address())).ok());
  ASSERT_THAT(take_screenshot(window, "jobs", QString::fromStdString(daemon_.folder() + "/v.png")), IsOk());
  EXPECT_EQ(window.jobs().table().currentIndex().row(), 0);
  EXPECT_GT(window.jobs().detail().findChild<QTreeWidget*>()->topLevelItemCount(), 0);
}

// The table sets a current row when it gets the focus. Rows that arrive later may be above it.
TEST_F(Manners, APictureOfJobsShowsTheFirstWhereNobodyChose) {
  Fleet fleet;
  MainWindow window(fleet);
  window.show();
  window.activateWindow();
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon_.address())).ok());
  ASSERT_TRUE(wait_until([&] { return fleet.jobs().rowCount() == 3; }));
  QTableView& table = window.jobs().table();
  table.clearFocus();
  table.setFocus();
  ASSERT_TRUE(wait_until([&] { return table.currentIndex().isValid(); }));
  v1::Job newest;
  newest.mutable_spec()->mutable_video()->set_input("/media/newest.ts");
  newest.mutable_submit_time()->set_seconds(1790000000);
  newest.set_state(v1::JOB_STATE_QUEUED);
  daemon_.add(newest);
  ASSERT_TRUE(wait_until([&] { return fleet.jobs().rowCount() == 4; }));
  ASSERT_NE(table.currentIndex().row(), 0);
  ASSERT_THAT(take_screenshot(window, "jobs", QString::fromStdString(daemon_.folder() + "/v.png")), IsOk());
  EXPECT_EQ(table.currentIndex().row(), 0);
  const QModelIndexList chosen = table.selectionModel()->selectedRows();
  ASSERT_EQ(chosen.size(), 1);
  EXPECT_EQ(chosen[0].row(), 0);
}

TEST_F(Manners, ABatchThatEndsIsTold) {
  v1::Job job;
  job.mutable_spec()->mutable_video()->set_input("/media/late.ts");
  job.mutable_submit_time()->set_seconds(1790000000);
  job.set_state(v1::JOB_STATE_RUNNING);
  (*job.mutable_settings()->mutable_labels())["reel"] = "7";
  const std::string done = daemon_.add(job), failed = daemon_.add(job);
  Fleet fleet;
  MainWindow window(fleet);
  QStringList notified;
  QObject::connect(&window.notices(), &Notices::notified, &window,
                   [&](const QString& title, const QString& text) {
                     notified += {title, text};
                   });
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon_.address())).ok());
  ASSERT_TRUE(wait_until([&] { return fleet.jobs().rowCount() == 5; }));
  daemon_.change(done, [](v1::Job& each) { each.set_state(v1::JOB_STATE_SUCCEEDED); });
  daemon_.change(failed, [](v1::Job& each) { each.set_state(v1::JOB_STATE_FAILED); });
  ASSERT_TRUE(wait_until([&] { return !notified.empty(); }));
  EXPECT_EQ(notified.join('|').toStdString(), "1 of 2 jobs failed|late.ts");
  EXPECT_EQ(window.announcements().texts().join('|').toStdString(), "1 of 2 jobs failed: late.ts");
}

QStringList said;

TEST_F(Manners, AWindowSaysNothingOnTheConsole) {
  said.clear();
  const QtMessageHandler before =
      qInstallMessageHandler([](QtMsgType, const QMessageLogContext&, const QString& text) {
        if (!text.startsWith("This plugin does not support")) said.push_back(text);
      });
  {
    Fleet fleet;
    MainWindow window(fleet);
    window.restore(true);
    EXPECT_TRUE(fleet.add(QString::fromStdString(daemon_.address())).ok());
    window.show();
    EXPECT_TRUE(wait_until([&] { return window.is_settled(); }));
    for (const Theme theme : {Theme::kDark, Theme::kSystem, Theme::kLight})
      for (const QString& view : window.views()) {
        window.set_theme(theme);
        window.show_view(view);
        window.grab();
      }
    window.show_view("jobs");
    window.jobs().table().selectAll();
    for (QAction* menu : window.menuBar()->actions()) {
      menu->menu()->popup({});
      menu->menu()->close();
    }
    daemon_.stop();
    EXPECT_TRUE(wait_until([&] { return fleet.link(fleet.servers()[0]).state == LinkState::kOffline; }));
    daemon_.start();
    fleet.retry_now(fleet.servers()[0]);
    EXPECT_TRUE(wait_until([&] { return fleet.link(fleet.servers()[0]).state == LinkState::kLive; }));
    window.close();
  }
  qInstallMessageHandler(before);
  EXPECT_EQ(said.join('\n').toStdString(), "");
  QSettings().clear();
}

}  // namespace
}  // namespace weft::gui
