// SPDX-License-Identifier: Apache-2.0
// Tests the window with a fake daemon: display and operation.
#include <QAction>
#include <QBrush>
#include <QGuiApplication>
#include <QImage>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTest>
#include <QTreeView>

#include <gmock/gmock.h>

#include "client_gui/models/stored_servers.h"
#include "client_gui/views/devices_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/link_banner.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/screenshot.h"
#include "client_gui/views/server_dialog.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

class WindowTest : public ::testing::Test {
 protected:
  WindowTest() {
    for (int i = 0; i < 5; i++) {
      v1::Job job;
      job.mutable_spec()->mutable_video()->set_input(fmt::format("/media/in{}.ts", i));
      job.set_state(i == 0 ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_QUEUED);
      daemon_.add(job);
    }
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
  }
  bool wait_for_rows(int rows) {
    return wait_until([&] { return fleet_.jobs().rowCount() == rows; });
  }
  QString banner() { return window_.findChild<LinkBanner*>()->findChild<QLabel*>()->text(); }
  bool has_banner() { return window_.findChild<LinkBanner*>()->isVisible(); }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
};

TEST_F(WindowTest, AServerIsRemovedAfterAQuestion) {
  ASSERT_TRUE(wait_for_rows(5));
  window_.tree().setCurrentIndex(fleet_.tree().server_index(server_));
  const auto answer = [&](QMessageBox::StandardButton button) {
    for (QAction* action : window_.findChildren<QAction*>())
      if (action->text() == "&Remove server ...") action->trigger();
    auto* box = window_.findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr) << "nothing is asked";
    EXPECT_EQ(box->defaultButton(), box->button(QMessageBox::No));
    QTest::mouseClick(box->button(button), Qt::LeftButton);
    ASSERT_TRUE(wait_until([&] { return window_.findChild<QMessageBox*>() == nullptr; }));
  };
  answer(QMessageBox::No);
  EXPECT_EQ(fleet_.servers().size(), 1u);
  answer(QMessageBox::Yes);
  EXPECT_TRUE(fleet_.servers().empty());
}

TEST_F(WindowTest, TypingSearches) {
  ASSERT_TRUE(wait_for_rows(5));
  window_.activateWindow();
  QTest::keyClick(&window_, Qt::Key_Slash);
  auto* line = window_.jobs().findChild<QLineEdit*>();
  ASSERT_TRUE(wait_until([&] { return line->hasFocus(); }));
  QTest::keyClicks(line, "in3");
  ASSERT_TRUE(wait_for_rows(1));
  EXPECT_EQ(fleet_.jobs().job_at(0).job.files, "in3.ts");
  line->clear();
  ASSERT_TRUE(wait_for_rows(5));
}

TEST_F(WindowTest, ChoosingANodeShowsItsJobs) {
  ASSERT_TRUE(wait_for_rows(5));
  const QModelIndex node = fleet_.tree().server_index(server_);
  const int running =
      int(std::find(job_states().begin(), job_states().end(), v1::JOB_STATE_RUNNING) - job_states().begin());
  window_.tree().setCurrentIndex(fleet_.tree().index(running, 0, node));
  EXPECT_EQ(fleet_.jobs().rowCount(), 1);
  QTest::keyClick(&window_, Qt::Key_0);
  EXPECT_TRUE(wait_for_rows(5));
}

TEST_F(WindowTest, AClickOnAStateOpensItsJobsFromWhereverOneIs) {
  daemon_.change(daemon_.jobs()[2].id(), [](v1::Job& job) { job.set_state(v1::JOB_STATE_FAILED); });
  const QModelIndex server = fleet_.tree().server_index(server_);
  const auto place = std::find(job_states().begin(), job_states().end(), v1::JOB_STATE_FAILED);
  const QModelIndex failed = fleet_.tree().index(int(place - job_states().begin()), 0, server);
  ASSERT_TRUE(wait_until([&] { return failed.data().toString() == "failed (1)"; }));
  EXPECT_EQ(failed.data(Qt::ForegroundRole).value<QBrush>(),
            QGuiApplication::palette().brush(QPalette::BrightText));
  const auto click = [&](const QModelIndex& node) {
    QTest::mouseClick(window_.tree().viewport(), Qt::LeftButton, {},
                      window_.tree().visualRect(node).center());
  };
  window_.show_view("devices");
  click(server);
  EXPECT_TRUE(window_.devices().isVisible()) << "a server has devices";
  click(failed);
  EXPECT_TRUE(window_.jobs().isVisible());
  EXPECT_EQ(fleet_.jobs().rowCount(), 1);
  window_.show_view("statistics");
  click(failed);
  EXPECT_TRUE(window_.jobs().isVisible()) << "it was chosen before";
  window_.show_view("devices");
  QTest::keyClick(&window_.tree(), Qt::Key_Return);
  EXPECT_TRUE(window_.jobs().isVisible());
}

TEST_F(WindowTest, TheHeaderSorts) {
  ASSERT_TRUE(wait_for_rows(5));
  QTableView& table = window_.jobs().table();
  table.sortByColumn(int(JobColumn::kFiles), Qt::AscendingOrder);
  EXPECT_EQ(fleet_.jobs().job_at(0).job.files, "in0.ts");
  table.sortByColumn(int(JobColumn::kFiles), Qt::DescendingOrder);
  EXPECT_EQ(fleet_.jobs().job_at(0).job.files, "in4.ts");
}

TEST_F(WindowTest, ALostServerIsSaidAndTheButtonTriesAgain) {
  ASSERT_TRUE(wait_for_rows(5));
  ASSERT_TRUE(wait_until([&] { return !has_banner(); }));
  window_.jobs().table().selectRow(2);
  const QString chosen = fleet_.jobs().job_at(2).job.id;
  daemon_.stop();
  ASSERT_TRUE(wait_until([&] { return has_banner() && banner().contains("offline"); }));
  EXPECT_TRUE(banner().contains("No daemon answers")) << banner().toStdString();
  auto* button = window_.findChild<LinkBanner*>()->findChild<QPushButton*>("retry");
  ASSERT_TRUE(button->isVisible());
  daemon_.start();
  QTest::mouseClick(button, Qt::LeftButton);
  ASSERT_TRUE(wait_until([&] { return !has_banner(); }));
  const QModelIndexList selected = window_.jobs().table().selectionModel()->selectedRows();
  ASSERT_EQ(selected.size(), 1);
  EXPECT_EQ(fleet_.jobs().job_at(selected[0].row()).job.id, chosen);
}

TEST_F(WindowTest, TheBannerCorrectsWhereAServerIs) {
  ASSERT_TRUE(wait_for_rows(5));
  daemon_.stop();
  auto* button = window_.findChild<LinkBanner*>()->findChild<QPushButton*>("edit");
  ASSERT_TRUE(wait_until([&] { return button->isVisible(); }));
  QTest::mouseClick(button, Qt::LeftButton);
  auto* dialog = window_.findChild<ServerDialog*>();
  ASSERT_NE(dialog, nullptr);
  EXPECT_EQ(dialog->endpoint().address.toStdString(), daemon_.address());
  test::FakeServer other;
  dialog->findChild<QLineEdit*>("socket")->setText(QString::fromStdString(other.address().substr(5)));
  dialog->accept();
  EXPECT_TRUE(wait_until([&] { return !has_banner(); }));
}

TEST_F(WindowTest, WhatWasArrangedIsThereAtTheNextStart) {
  QSettings().clear();
  window_.set_theme(Theme::kDark);
  window_.jobs().table().setColumnWidth(int(JobColumn::kFiles), 321);
  window_.save();
  window_.set_theme(Theme::kLight);
  ASSERT_FALSE(is_dark());
  Fleet fleet;
  MainWindow next(fleet);
  next.restore(true);
  EXPECT_TRUE(is_dark());
  EXPECT_EQ(next.jobs().table().columnWidth(int(JobColumn::kFiles)), 321);
  ASSERT_EQ(fleet.servers().size(), 1u);
  EXPECT_EQ(fleet.address(1).toStdString(), daemon_.address());
  QSettings().clear();
}

// The state is read as after a lost session, without closing the window.
TEST_F(WindowTest, WhatIsArrangedIsSavedAsItChanges) {
  QSettings().clear();
  window_.restore(true);
  const auto menu_action = [&](const QString& text) {
    for (QAction* each : window_.findChildren<QAction*>())
      if (each->text() == text) return each;
    return static_cast<QAction*>(nullptr);
  };
  ASSERT_TRUE(wait_for_rows(5));
  menu_action("&Dark theme")->trigger();
  EXPECT_TRUE(wait_until([&] { return QSettings().value("window/theme").toString() == "dark"; }));
  const auto columns_at_next_start = [] {
    Fleet fleet;
    MainWindow next(fleet);
    next.restore(false);
    return std::pair(next.jobs().table().columnWidth(int(JobColumn::kFiles)),
                     next.jobs().table().isColumnHidden(int(JobColumn::kOwner)));
  };
  window_.jobs().table().setColumnWidth(int(JobColumn::kFiles), 321);
  window_.jobs().table().setColumnHidden(int(JobColumn::kOwner), true);
  EXPECT_TRUE(wait_until([&] { return columns_at_next_start() == std::pair(321, true); }));
  window_.devices().set_span(120);
  EXPECT_TRUE(wait_until([&] { return QSettings().value("devices/span").toDouble() == 120; }));
  menu_action("&Add server ...")->trigger();
  auto* dialog = window_.findChild<ServerDialog*>();
  ASSERT_NE(dialog, nullptr);
  dialog->findChild<QLineEdit*>("socket")->setText("/tmp/another/weft.sock");
  dialog->accept();
  EXPECT_TRUE(wait_until([&] { return stored_servers().size() == 2; }));
  EXPECT_EQ(stored_servers().back().address, "unix:/tmp/another/weft.sock");
  window_.set_theme(Theme::kLight);
  QSettings().clear();
}

TEST_F(WindowTest, ServersOfTheCommandLineDoNotTakeThePlaceOfSavedOnes) {
  QSettings().clear();
  ServerEndpoint saved;
  saved.address = "unix:/tmp/saved/weft.sock";
  store_servers({saved});
  window_.restore(false);
  window_.set_theme(Theme::kDark);
  window_.close();
  EXPECT_EQ(QSettings().value("window/theme").toString(), "dark");
  ASSERT_EQ(stored_servers().size(), 1u);
  EXPECT_EQ(stored_servers()[0].address, saved.address);
  window_.set_theme(Theme::kLight);
  QSettings().clear();
}

TEST_F(WindowTest, EveryViewGivesAPictureInEveryTheme) {
  const QString file = QString::fromStdString(daemon_.folder() + "/view.png");
  for (const QString& view : window_.views())
    for (const Theme theme : {Theme::kLight, Theme::kDark}) {
      window_.set_theme(theme);
      ASSERT_THAT(take_screenshot(window_, view, file), IsOk());
      EXPECT_EQ(fleet_.jobs().rowCount(), 5) << "it waited for the server";
      const QImage picture(file);
      EXPECT_EQ(picture.size(), window_.size());
      const QColor corner = picture.pixelColor(1, picture.height() - 2);
      EXPECT_EQ(corner.lightness() < 128, theme == Theme::kDark);
    }
}

TEST_F(WindowTest, AnUnknownViewIsRefused) {
  EXPECT_THAT(
      take_screenshot(window_, "nothing", "/tmp/x.png"),
      StatusIs(StatusCode::kInvalidArgument,
               "The view (nothing) is not known; the views are jobs, devices, submit, statistics, compare"));
}

}  // namespace
}  // namespace weft::gui
