// SPDX-License-Identifier: Apache-2.0
// The dashboard over the real daemon, which dies and comes back under it; and the program itself.
#include <QAction>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <csignal>

#include <gmock/gmock.h>

#include "base/status.h"
#include "client_gui/models/fleet.h"
#include "client_gui/views/device_strip.h"
#include "client_gui/views/device_timeline.h"
#include "client_gui/views/devices_view.h"
#include "client_gui/views/submit_view.h"
#include "tests/client_gui/events.h"
#include "tests/scenarios/scenario.h"

namespace weft::scenarios {
namespace {

using gui::Fleet;
using gui::JobRow;
using gui::LinkState;

class DashboardTest : public ScenarioTest {
 protected:
  // What is known of a job; nothing if it is not there.
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
  const auto device = fleet.tree().index(0, 0, fleet.tree().server_index(server)).data().toString();
  EXPECT_TRUE(device.startsWith("cpu: ")) << device.toStdString();
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
  ASSERT_TRUE(gui::wait_until(
      [&] { return state() == v1::DEVICE_STATE_DRAINING || state() == v1::DEVICE_STATE_DRAINED; }));
  daemon.wait_for_end_of(id);
  ASSERT_TRUE(gui::wait_until([&] { return state() == v1::DEVICE_STATE_DRAINED; }));
  ASSERT_TRUE(gui::wait_until([&] { return strip.actions().resume().isEnabled(); }));
  strip.actions().resume().trigger();
  EXPECT_TRUE(gui::wait_until([&] { return state() == v1::DEVICE_STATE_IN_SERVICE; }));
}

TEST_F(DashboardTest, JobsAreAddedThroughTheFormAndDone) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  Fleet fleet;
  const int server = fleet.add(QString::fromStdString(daemon.address())).value();
  gui::SubmitView view(fleet);
  view.show();
  ASSERT_TRUE(view.choose_kind("deinterlace"));
  write_file(path("no video.ts"), "nothing");
  view.files().add_files({QString::fromStdString(clip(1)), QString::fromStdString(path("no video.ts"))});
  view.output().setText(QString::fromStdString(path("{stem}.{index}.mkv")));
  const auto found = [&](int row) {
    return view.files().index(row, int(gui::DraftColumn::kFound)).data().toString().toStdString();
  };
  ASSERT_TRUE(gui::wait_until([&] { return !found(0).empty() && !found(1).empty(); }));
  EXPECT_THAT(found(0), ::testing::HasSubstr("mpeg2video 320x240"));
  EXPECT_THAT(found(1), ::testing::HasSubstr("no video.ts"));
  EXPECT_THAT(view.files().estimate().join(' ').toStdString(),
              ::testing::HasSubstr("1 of 2 files are known"));
  auto* button = view.findChild<QPushButton*>("submit");
  ASSERT_TRUE(gui::wait_until([&] { return button->isEnabled(); }));
  button->click();
  ASSERT_TRUE(gui::wait_until([&] { return view.files().rowCount() == 1; })) << "the other is refused";
  ASSERT_TRUE(gui::wait_until([&] { return fleet.jobs().rowCount() == 1; }));
  const std::string id = fleet.jobs().job_at(0).job.id.toStdString();
  ASSERT_TRUE(
      gui::wait_until([&] { return find(fleet, server, id)->state == v1::JOB_STATE_SUCCEEDED; }, kDeadline));
  EXPECT_TRUE(daemon.get(id).spec().deinterlace().output().ends_with(".1.mkv"));
}

TEST_F(DashboardTest, TheProgramWritesAPictureAndNothingElse) {
  Daemon daemon(path("daemon"));
  ASSERT_TRUE(daemon.start());
  daemon.wait_for_end_of(daemon.submit(request(clip(2), path("out.mkv"))));
  std::string output;
  for (const std::string view : {"jobs", "devices", "statistics"}) {
    EXPECT_EQ(
        run({DASHBOARD, "--server", daemon.address(), "--screenshot", view, path(view + ".png")}, &output),
        0);
    EXPECT_EQ(output, "");
    EXPECT_GT(QImage(QString::fromStdString(path(view + ".png"))).width(), 1000);
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
  expect({"--server", nowhere, "--screenshot", "jobs"}, 64, "takes a view and one file (0 files are given)");
  expect({"--server", nowhere, "--screenshot", "jobs", path("no/folder.png")}, 69, "cannot be written");
  expect({"--after", "4000", "--screenshot", "jobs", path("a.png")}, 64, "from 0 to 3600 (4000 is given)");
  expect({"--kind", "sculpture"}, 64, "The kind of job (sculpture) is not known");
  expect({"--theme", "pink"}, 64, "The theme (pink) is not known");
  expect({"--help"}, 0, "--server");
}

}  // namespace
}  // namespace weft::scenarios
