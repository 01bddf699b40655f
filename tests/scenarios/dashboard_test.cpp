// SPDX-License-Identifier: Apache-2.0
// Tests the dashboard with the real daemon, which is killed and started again, and the program
// itself.
#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QGuiApplication>
#include <QImage>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTableView>
#include <algorithm>
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>

#include "base/status.h"
#include "client_gui/models/fleet.h"
#include "client_gui/views/compare_view.h"
#include "client_gui/views/device_strip.h"
#include "client_gui/views/device_timeline.h"
#include "client_gui/views/devices_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/submit_view.h"
#include "tests/client_gui/events.h"
#include "tests/scenarios/opened_urls.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using gui::Fleet;
using gui::JobRow;
using gui::LinkState;

class DashboardTest : public ScenarioTest {
 protected:
  // Returns a job's row, or nothing if there is none.
  static std::optional<JobRow> find(Fleet& fleet, int server, const std::string& id) {
    const int row = fleet.jobs().row_of(server, QString::fromStdString(id));
    if (row < 0) return std::nullopt;
    return fleet.jobs().job_at(row).job;
  }
};

TEST_F(DashboardTest, FollowsAJobOverADaemonThatIsKilled) {
  Daemon daemon(path("daemon"));
  Fleet fleet;
  const int server = fleet.add(QString::fromStdString(daemon.address())).value();
  ASSERT_TRUE(gui::wait_until([&] { return fleet.link(server).state == LinkState::kOffline; }))
      << "it starts without a daemon";
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(20), path("out.mkv")));
  ASSERT_TRUE(gui::wait_until([&] {
    const auto job = find(fleet, server, id);
    return job && job->done > 0 && job->done < 1;
  }));
  EXPECT_EQ(find(fleet, server, id)->state, v1::JOB_STATE_RUNNING);
  EXPECT_EQ(find(fleet, server, id)->device, "cpu");
  for (int i = 0; i < 3; i++) {
    daemon.kill();
    ASSERT_TRUE(gui::wait_until([&] { return fleet.link(server).state == LinkState::kOffline; }));
    EXPECT_TRUE(find(fleet, server, id)) << "what was known stays";
    ASSERT_TRUE(daemon.start());
    ASSERT_TRUE(gui::wait_until([&] { return fleet.link(server).state == LinkState::kLive; }));
  }
  ASSERT_TRUE(
      gui::wait_until([&] { return find(fleet, server, id)->state == v1::JOB_STATE_SUCCEEDED; }, kDeadline));
  const v1::Job job = daemon.get(id);
  EXPECT_EQ(find(fleet, server, id)->attempt, job.attempt());
  EXPECT_EQ(find(fleet, server, id)->revision, job.revision());
  // The daemon's devices are requested in parallel with its jobs, and may arrive after the job has
  // ended.
  const auto first_row = [&] {
    return fleet.tree().index(0, 0, fleet.tree().server_index(server)).data().toString();
  };
  EXPECT_TRUE(gui::wait_until([&] { return first_row().startsWith("cpu: "); })) << first_row().toStdString();
}

// Confirms the question about a drain of a device.
void confirm(QWidget& window) {
  auto* const box = window.findChild<QMessageBox*>();
  ASSERT_NE(box, nullptr);
  box->button(QMessageBox::Yes)->click();
}

TEST_F(DashboardTest, ADeviceIsSeenAtWorkAndDrainedFromItsStrip) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  Fleet fleet;
  gui::DevicesView view(fleet);
  const int server = fleet.add(QString::fromStdString(daemon.address())).value();
  view.show();
  ASSERT_TRUE(gui::wait_until([&] { return view.strip(server, "cpu") != nullptr; }));
  gui::DeviceStrip& strip = *view.strip(server, "cpu");
  const std::string id = daemon.submit(request(clip(20), path("out.mkv")));
  const auto newest = [&] {
    const auto& samples = fleet.devices().find(server, "cpu")->history.samples();
    return samples.empty() ? gui::DeviceSampleRow() : samples.back();
  };
  ASSERT_TRUE(gui::wait_until([&] { return newest().normal > 0; }, kDeadline));
  EXPECT_LE(newest().normal, 1);
  EXPECT_GT(newest().left, 0);
  EXPECT_TRUE(strip.timeline().isVisible());
  const auto state = [&] { return fleet.devices().find(server, "cpu")->device.state; };
  ASSERT_TRUE(gui::wait_until([&] { return strip.actions().drain().isEnabled(); }));
  strip.actions().drain().trigger();
  ASSERT_NO_FATAL_FAILURE(confirm(view));
  ASSERT_TRUE(gui::wait_until(
      [&] { return state() == v1::DEVICE_STATE_DRAINING || state() == v1::DEVICE_STATE_DRAINED; }));
  daemon.wait_for_end_of(id);
  ASSERT_TRUE(gui::wait_until([&] { return state() == v1::DEVICE_STATE_DRAINED; }));
  ASSERT_TRUE(gui::wait_until([&] { return strip.actions().resume().isEnabled(); }));
  strip.actions().resume().trigger();
  EXPECT_TRUE(gui::wait_until([&] { return state() == v1::DEVICE_STATE_IN_SERVICE; }));
}

// Opens the window on a daemon with a drained device, so that jobs stay queued.
class DashboardActionsTest : public DashboardTest {
 protected:
  void SetUp() override {
    ASSERT_TRUE(daemon_.start());
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
    ASSERT_TRUE(gui::wait_until([&] { return window_.devices().strip(server_, "cpu") != nullptr; }));
    drain_or_resume(&gui::DeviceActions::drain, v1::DEVICE_STATE_DRAINED);
    for (int i = 0; i < 3; i++)
      ids_.push_back(daemon_.submit(request(clip(1), path("out" + std::to_string(i) + ".mkv"))));
    ASSERT_TRUE(gui::wait_until([&] { return fleet_.jobs().rowCount() == 3; }));
  }

  void drain_or_resume(QAction& (gui::DeviceActions::*action)(), v1::DeviceState state) {
    QAction& chosen = (window_.devices().strip(server_, "cpu")->actions().*action)();
    ASSERT_TRUE(gui::wait_until([&] { return chosen.isEnabled(); }));
    chosen.trigger();
    if (state == v1::DEVICE_STATE_DRAINED) {
      ASSERT_NO_FATAL_FAILURE(confirm(window_));
    }
    ASSERT_TRUE(
        gui::wait_until([&] { return fleet_.devices().find(server_, "cpu")->device.state == state; }));
  }
  void choose(const std::vector<size_t>& jobs) {
    QTableView& table = window_.jobs().table();
    table.clearSelection();
    for (const size_t job : jobs) {
      const int row = fleet_.jobs().row_of(server_, QString::fromStdString(ids_[job]));
      table.selectionModel()->setCurrentIndex(fleet_.jobs().index(row, 0),
                                              QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
  }
  // Triggers the action as soon as it is enabled.
  void act(const QString& name) {
    QAction* action = window_.jobs().actions().action(name);
    ASSERT_TRUE(gui::wait_until([&] { return action->isEnabled(); })) << name.toStdString();
    action->trigger();
  }
  bool wait_for_row(size_t job, const std::function<bool(const JobRow&)>& is_so) {
    return gui::wait_until([&] { return is_so(*find(fleet_, server_, ids_[job])); }, kDeadline);
  }
  bool wait_for_state(size_t job, v1::JobState state) {
    return wait_for_row(job, [state](const JobRow& row) { return row.state == state; }) &&
           daemon_.get(ids_[job]).state() == state;
  }
  template <typename Dialog>
  Dialog& dialog() {
    EXPECT_TRUE(gui::wait_until([&] { return window_.findChild<Dialog*>() != nullptr; }));
    return *window_.findChild<Dialog*>();
  }

  Daemon daemon_{path("daemon")};
  Fleet fleet_;
  gui::MainWindow window_{fleet_};
  int server_ = 0;
  std::vector<std::string> ids_;
};

TEST_F(DashboardActionsTest, StatesArePausedResumedCancelledAndTriedAgain) {
  choose({0, 2});
  act("pause");
  EXPECT_TRUE(wait_for_state(0, v1::JOB_STATE_PAUSED));
  EXPECT_TRUE(wait_for_state(2, v1::JOB_STATE_PAUSED));
  EXPECT_EQ(daemon_.get(ids_[1]).state(), v1::JOB_STATE_QUEUED);
  act("resume");
  EXPECT_TRUE(wait_for_state(0, v1::JOB_STATE_QUEUED));
  EXPECT_TRUE(wait_for_state(2, v1::JOB_STATE_QUEUED));
  choose({1});
  act("cancel");
  dialog<QMessageBox>().button(QMessageBox::Yes)->click();
  EXPECT_TRUE(wait_for_state(1, v1::JOB_STATE_CANCELLED));
  act("retry");
  EXPECT_TRUE(wait_for_state(1, v1::JOB_STATE_QUEUED));
}

TEST_F(DashboardActionsTest, PrioritiesAreSetAndDecideWhoGoesFirst) {
  choose({0, 2});
  act("raise");
  EXPECT_TRUE(wait_for_row(2, [](const JobRow& row) { return row.priority == 1; }));
  choose({0});
  act("lower");
  EXPECT_TRUE(wait_for_row(0, [](const JobRow& row) { return row.priority == 0; }));
  choose({1});
  act("priority");
  dialog<QInputDialog>().setIntValue(700);
  choose({0});  // This selection comes after the question, so the answer does not apply to it.
  dialog<QInputDialog>().accept();
  EXPECT_TRUE(wait_for_row(1, [](const JobRow& row) { return row.priority == 700; }));
  EXPECT_EQ(daemon_.get(ids_[0]).settings().priority(), 0);
  drain_or_resume(&gui::DeviceActions::resume, v1::DEVICE_STATE_IN_SERVICE);
  for (size_t job = 0; job < ids_.size(); job++) EXPECT_TRUE(wait_for_state(job, v1::JOB_STATE_SUCCEEDED));
  const auto started = [&](size_t job) { return daemon_.get(ids_[job]).attempts(0).start_time(); };
  EXPECT_LT(started(1).seconds() * 1e9 + started(1).nanos(), started(2).seconds() * 1e9 + started(2).nanos());
}

TEST_F(DashboardActionsTest, IdsFoldersAndRowsLeaveTheWindow) {
  choose({0, 1});
  act("copy");
  EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), ids_[1] + "\n" + ids_[0]);
  act("export");
  gui::wait_until([&] { return window_.findChild<QFileDialog*>() != nullptr; });
  dialog<QFileDialog>().selectFile(QString::fromStdString(path("rows.csv")));
  static_cast<QDialog&>(dialog<QFileDialog>()).accept();
  const std::string rows = read_file(path("rows.csv"));
  EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3) << rows;
  EXPECT_THAT(rows, ::testing::AllOf(::testing::HasSubstr(ids_[0]), ::testing::HasSubstr(ids_[1])));
  OpenedUrls opened;
  choose({2});
  act("folder");
  ASSERT_EQ(opened.urls.size(), 1);
  EXPECT_EQ(opened.urls[0].toLocalFile().toStdString() + "/out2.mkv", path("out2.mkv"));
}

TEST_F(DashboardActionsTest, WhatIsChosenStaysChosenOverADaemonThatIsKilled) {
  choose({1});
  daemon_.kill();
  ASSERT_TRUE(gui::wait_until([&] { return fleet_.link(server_).state == LinkState::kOffline; }));
  ASSERT_TRUE(daemon_.start());
  const std::string id = daemon_.submit(request(clip(1), path("another.mkv")));
  ASSERT_TRUE(gui::wait_until([&] { return fleet_.jobs().rowCount() == 4; }));
  const QModelIndexList rows = window_.jobs().table().selectionModel()->selectedRows();
  ASSERT_EQ(rows.size(), 1);
  EXPECT_EQ(fleet_.jobs().job_at(rows[0].row()).job.id.toStdString(), ids_[1]);
  act("cancel");
  dialog<QMessageBox>().button(QMessageBox::Yes)->click();
  EXPECT_TRUE(wait_for_state(1, v1::JOB_STATE_CANCELLED)) << "orders reach the daemon that came back";
}

TEST_F(DashboardTest, JobsAreAddedThroughTheFormAndDone) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  Fleet fleet;
  const int server = fleet.add(QString::fromStdString(daemon.address())).value();
  gui::SubmitView view(fleet);
  view.show();
  ASSERT_TRUE(view.choose_kind("video"));
  write_file(path("no video.ts"), "nothing");
  view.files().add_files({QString::fromStdString(clip(1)), QString::fromStdString(path("no video.ts"))});
  view.output().setText(QString::fromStdString(path("{stem}.{index}.mkv")));
  const auto found = [&](int row) {
    return view.files().index(row, int(gui::DraftColumn::kFound)).data().toString().toStdString();
  };
  ASSERT_TRUE(gui::wait_until([&] { return !found(0).empty() && !found(1).empty(); }));
  EXPECT_THAT(found(0), ::testing::HasSubstr("mpeg2video 320x240"));
  EXPECT_THAT(found(1), ::testing::HasSubstr("no video.ts"));
  EXPECT_THAT(view.files().estimate().join(' ').toStdString(), ::testing::HasSubstr("1 of 2 files checked"));
  auto* button = view.findChild<QPushButton*>("submit");
  ASSERT_TRUE(gui::wait_until([&] { return button->isEnabled(); }));
  button->click();
  ASSERT_TRUE(gui::wait_until([&] { return view.files().rowCount() == 1; })) << "the other is refused";
  ASSERT_TRUE(gui::wait_until([&] { return fleet.jobs().rowCount() == 1; }));
  const std::string id = fleet.jobs().job_at(0).job.id.toStdString();
  ASSERT_TRUE(
      gui::wait_until([&] { return find(fleet, server, id)->state == v1::JOB_STATE_SUCCEEDED; }, kDeadline));
  EXPECT_TRUE(daemon.get(id).spec().video().output().ends_with(".1.mkv"));
}

TEST_F(DashboardTest, InputAndOutputAreComparedPictureByPicture) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  const std::string id = daemon.submit(request(clip(2), path("out.mkv")));
  const v1::Job job = daemon.wait_for_end_of(id);
  ASSERT_EQ(job.state(), v1::JOB_STATE_SUCCEEDED);
  Fleet fleet;
  gui::CompareView view(fleet);
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon.address())).ok());
  view.show();
  const gui::Comparison& comparison = view.comparison();
  const auto is_there = [&] { return comparison.before().picture && comparison.after().picture; };
  ASSERT_TRUE(gui::wait_until(is_there)) << comparison.after().error.toStdString();
  EXPECT_EQ(comparison.pictures(), job.result().units_out());
  view.comparison().show(2 * 7 + 1);
  ASSERT_TRUE(gui::wait_until(is_there));
  EXPECT_EQ(comparison.input_index(comparison.index()), 7);
  EXPECT_EQ(comparison.index_in_input(), 1);
  EXPECT_TRUE(comparison.before().picture->interlaced);
  EXPECT_EQ(comparison.after().picture->file.toStdString(), path("out.mkv"));
  view.comparison().show(1000000);
  ASSERT_TRUE(gui::wait_until(is_there)) << comparison.after().error.toStdString();
  EXPECT_EQ(comparison.index(), job.result().units_out() - 1);
}

TEST_F(DashboardTest, TheProgramWritesAPictureAndNothingElse) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  daemon.wait_for_end_of(daemon.submit(request(clip(2), path("out.mkv"))));
  Fleet fleet;
  const QStringList views = gui::MainWindow(fleet).views();
  const std::vector<std::string> no_screen{DASHBOARD};
  const std::vector<std::string> x_server{
      "xvfb-run", "--auto-servernum",    "--server-args=-screen 0 1920x1080x24",
      "env",      "QT_QPA_PLATFORM=xcb", DASHBOARD};
  for (const QString& view : views)
    for (const auto& program : {no_screen, x_server}) {
      const std::string file = path(view.toStdString() + ".png");
      std::vector<std::string> words = program;
      words.insert(words.end(), {"--server", daemon.address(), "--screenshot", view.toStdString(), file});
      std::string output;
      EXPECT_EQ(run(words, &output), 0) << view.toStdString();
      EXPECT_EQ(output, "");
      EXPECT_GT(QImage(QString::fromStdString(file)).width(), 1000);
      std::filesystem::remove(file);
    }
}

TEST_F(DashboardTest, TheProgramSaysWhatIsWrong) {
  const auto expect = [&](const std::vector<std::string>& words, int status, const std::string& text) {
    std::vector<std::string> command{DASHBOARD};
    command.insert(command.end(), words.begin(), words.end());
    std::string output;
    EXPECT_EQ(run(command, &output), status) << output;
    EXPECT_THAT(output, ::testing::HasSubstr(text));
  };
  const std::string nowhere = "unix:" + path("nowhere.sock");
  expect({"--server", "nowhere", "--screenshot", "jobs", path("a.png")}, 64,
         "neither unix:PATH nor HOST:PORT");
  expect({"--server", nowhere, "--screenshot", "sky", path("a.png")}, 64, "The view (sky) is not known");
  expect({"--server", nowhere, "--screenshot", "jobs"}, 64, "a job and one file (0 files are given)");
  expect({"--server", nowhere, "--screenshot", "jobs", path("no/folder.png")}, 69, "cannot be written");
  expect({"--after", "4000", "--screenshot", "jobs", path("a.png")}, 64, "from 0 to 3600 (4000 is given)");
  expect({"--kind", "sculpture"}, 64, "The kind of job (sculpture) is not known");
  expect({"--theme", "pink"}, 64, "The theme (pink) is not known");
  expect({"--help"}, 0, "--server");
}

}  // namespace
}  // namespace weft::scenarios
