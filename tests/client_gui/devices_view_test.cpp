// SPDX-License-Identifier: Apache-2.0
// Tests the devices view with a fake daemon: display and draining.
#include "client_gui/views/devices_view.h"

#include <QAbstractButton>
#include <QAction>
#include <QLabel>
#include <QMessageBox>
#include <QScrollArea>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QTreeView>

#include <gmock/gmock.h>

#include "client_gui/views/announcements.h"
#include "client_gui/views/device_strip.h"
#include "client_gui/views/device_timeline.h"
#include "client_gui/views/link_banner.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

v1::DeviceStatus busy_device(const std::string& id, int64_t time = 1790000000) {
  v1::DeviceStatus device;
  device.set_id(id);
  device.set_name("A device of a test");
  device.set_state(v1::DEVICE_STATE_IN_SERVICE);
  device.set_memory_bytes(int64_t(80) << 30);
  v1::DeviceSample& sample = *device.mutable_sample();
  sample.mutable_time()->set_seconds(time);
  sample.mutable_interval()->set_seconds(1);
  sample.set_memory_used_bytes(int64_t(3) << 30);
  sample.set_last_batch_units(8);
  v1::ScheduleSample& schedule = *sample.mutable_schedule();
  schedule.mutable_realtime_busy()->set_nanos(200'000'000);
  schedule.mutable_spare_busy()->set_nanos(400'000'000);
  schedule.mutable_spare()->set_nanos(800'000'000);
  schedule.mutable_budget()->set_nanos(500'000'000);
  sample.mutable_readings()->set_temperature_celsius(45);
  return device;
}

class DevicesViewTest : public ::testing::Test {
 protected:
  DevicesViewTest() {
    daemon_.let_samples_go_on();
    daemon_.add_device(busy_device("cuda:0"));
    daemon_.add_device(busy_device("cuda:1"));
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show_view("devices");
    window_.show();
    window_.activateWindow();
  }
  DeviceStrip* strip(const QString& device) { return window_.devices().strip(server_, device); }
  bool wait_for_strips(size_t count) {
    return wait_until([&] { return window_.devices().strips().size() == count; });
  }
  // Returns all texts of a strip.
  std::string texts(const QString& device) {
    QStringList all;
    for (const QLabel* label : strip(device)->findChildren<QLabel*>())
      if (label->isVisible()) all.push_back(label->text().replace("&nbsp;", " "));
    return all.join('\n').toStdString();
  }
  bool wait_for_text(const QString& device, const QString& text) {
    return wait_until([&] { return QString::fromStdString(texts(device)).contains(text); });
  }
  // Answers the current question and returns its text.
  std::string answer(QMessageBox::StandardButton button) {
    auto* box = window_.findChild<QMessageBox*>();
    EXPECT_NE(box, nullptr);
    if (box == nullptr) return {};
    EXPECT_EQ(box->defaultButton(), box->button(QMessageBox::No));
    const std::string text = box->text().toStdString();
    box->button(button)->click();
    EXPECT_TRUE(wait_until([&] { return window_.findChild<QMessageBox*>() == nullptr; }));
    return text;
  }
  QString announced() { return window_.announcements().texts().value(0); }
  v1::DeviceState state(const std::string& id) { return daemon_.device(id).state(); }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
};

TEST_F(DevicesViewTest, SaysWhatADeviceDoes) {
  ASSERT_TRUE(wait_for_strips(2));
  ASSERT_TRUE(wait_for_text("cuda:0", "realtime 20%"));
  const std::string all = texts("cuda:0");
  for (const char* text :
       {"cuda:0", "in service", "45 °C", "memory 3.0 GiB of 80.0 GiB", "spare 40%", "idle 40%",
        "time available to jobs 50%, used 80%", "batch size 8", "50% of idle time used (50% in 10 min)"})
    EXPECT_THAT(all, HasSubstr(text));
  EXPECT_TRUE(strip("cuda:0")->timeline().isVisible());
  EXPECT_EQ(strip("cuda:0")->accessibleName(), "cuda:0, in service");
  EXPECT_THAT(strip("cuda:0")->accessibleDescription().toStdString(), HasSubstr("realtime 20%"));
  EXPECT_THAT(strip("cuda:0")->timeline().accessibleDescription().toStdString(), HasSubstr("realtime 20%"));
}

TEST_F(DevicesViewTest, SaysWhyADeviceIsNotInService) {
  v1::DeviceStatus broken = busy_device("cuda:1");
  broken.set_state(v1::DEVICE_STATE_OUT_OF_SERVICE);
  broken.set_reason("Its worker died three times.");
  daemon_.add_device(broken);
  v1::DeviceStatus unused;
  unused.set_id("cpu");
  unused.set_state(v1::DEVICE_STATE_UNUSED);
  unused.set_reason("The configuration leaves it out.");
  daemon_.add_device(unused);
  ASSERT_TRUE(wait_for_strips(3));
  ASSERT_TRUE(wait_for_text("cuda:1", "out of service"));
  EXPECT_THAT(texts("cuda:1"), HasSubstr("Its worker died three times."));
  EXPECT_TRUE(wait_for_text("cpu", "The configuration leaves it out."));
  EXPECT_FALSE(strip("cpu")->timeline().isVisible()) << "it never did anything";
  const auto labels = window_.devices().findChildren<QLabel*>();
  EXPECT_TRUE(std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
    return label->isVisible() && label->text() == "There is no CUDA driver here.";
  }));
}

TEST_F(DevicesViewTest, ShowsStreams) {
  v1::DeviceStatus device = busy_device("cuda:0");
  v1::StreamSample& stream = *device.mutable_sample()->add_streams();
  stream.set_stream(3);
  stream.set_stream_class(v1::STREAM_CLASS_REALTIME);
  stream.mutable_deadline()->set_nanos(20'000'000);
  stream.mutable_report()->mutable_latency_p99()->set_nanos(25'000'000);
  daemon_.add_device(device);
  ASSERT_TRUE(wait_for_strips(2));
  const auto* table = strip("cuda:0")->findChild<QTableView*>();
  ASSERT_TRUE(wait_until([&] { return table->isVisible(); }));
  EXPECT_EQ(table->model()->rowCount(), 1);
  EXPECT_FALSE(strip("cuda:1")->findChild<QTableView*>()->isVisible());
}

TEST_F(DevicesViewTest, KeysOfAStripDrainAndResumeItsDevice) {
  ASSERT_TRUE(wait_for_strips(2));
  ASSERT_TRUE(wait_until([&] { return strip("cuda:1")->actions().drain().isEnabled(); }));
  EXPECT_FALSE(strip("cuda:1")->actions().resume().isEnabled());
  strip("cuda:1")->setFocus();
  ASSERT_TRUE(wait_until([&] { return strip("cuda:1")->hasFocus(); }));
  QTest::keyClick(strip("cuda:1"), Qt::Key_Space);
  EXPECT_THAT(answer(QMessageBox::Yes), HasSubstr("Drain cuda:1 of unix:"));
  ASSERT_TRUE(wait_until([&] { return state("cuda:1") == v1::DEVICE_STATE_DRAINED; }));
  EXPECT_EQ(state("cuda:0"), v1::DEVICE_STATE_IN_SERVICE);
  ASSERT_TRUE(wait_for_text("cuda:1", "drained"));
  EXPECT_TRUE(wait_until([&] { return announced().startsWith("cuda:1 is being drained"); }));
  ASSERT_TRUE(wait_until([&] { return strip("cuda:1")->actions().resume().isEnabled(); }));
  ASSERT_TRUE(activate(window_));
  strip("cuda:1")->setFocus();
  ASSERT_TRUE(wait_until([&] { return strip("cuda:1")->hasFocus(); }));
  QTest::keyClick(strip("cuda:1"), Qt::Key_Space, Qt::ShiftModifier);
  ASSERT_TRUE(wait_until([&] { return state("cuda:1") == v1::DEVICE_STATE_IN_SERVICE; }));
  EXPECT_TRUE(wait_until([&] { return announced() == "cuda:1 is back in service."; }));
}

TEST_F(DevicesViewTest, NoDeviceIsDrainedWithoutAYes) {
  ASSERT_TRUE(wait_for_strips(2));
  ASSERT_TRUE(wait_until([&] { return strip("cuda:0")->actions().drain().isEnabled(); }));
  strip("cuda:0")->actions().drain().trigger();
  answer(QMessageBox::No);
  // Orders are executed in sequence, so the effect of an earlier order would appear first.
  strip("cuda:1")->actions().drain().trigger();
  answer(QMessageBox::Yes);
  ASSERT_TRUE(wait_until([&] { return state("cuda:1") == v1::DEVICE_STATE_DRAINED; }));
  EXPECT_EQ(state("cuda:0"), v1::DEVICE_STATE_IN_SERVICE);
}

TEST_F(DevicesViewTest, TheTreeDrainsTheChosenDevice) {
  ASSERT_TRUE(wait_for_strips(2));
  QTreeView& tree = window_.tree();
  const auto drain = [&] { return tree.actions().at(0); };
  const QModelIndex server = fleet_.tree().server_index(server_);
  tree.setCurrentIndex(server);
  EXPECT_FALSE(drain()->isEnabled()) << "a server is no device";
  tree.setCurrentIndex(fleet_.tree().index(0, 0, server));
  ASSERT_TRUE(wait_until([&] { return drain()->isEnabled(); }));
  EXPECT_EQ(tree.contextMenuPolicy(), Qt::ActionsContextMenu);
  drain()->trigger();
  answer(QMessageBox::Yes);
  ASSERT_TRUE(wait_until([&] { return state("cuda:0") == v1::DEVICE_STATE_DRAINED; }));
  EXPECT_EQ(state("cuda:1"), v1::DEVICE_STATE_IN_SERVICE);
}

// After a click in the tree, the key that pauses jobs must not drain the device.
TEST_F(DevicesViewTest, NoKeyInTheTreeDrains) {
  ASSERT_TRUE(wait_for_strips(2));
  QTreeView& tree = window_.tree();
  tree.setCurrentIndex(fleet_.tree().index(0, 0, fleet_.tree().server_index(server_)));
  ASSERT_TRUE(wait_until([&] { return tree.actions().at(0)->isEnabled(); }));
  for (const QAction* action : tree.actions()) EXPECT_TRUE(action->shortcut().isEmpty());
  ASSERT_TRUE(activate(window_));
  tree.setFocus();
  ASSERT_TRUE(wait_until([&] { return tree.hasFocus(); }));
  QTest::keyClick(&tree, Qt::Key_Space);
  EXPECT_EQ(window_.findChild<QMessageBox*>(), nullptr);
}

TEST_F(DevicesViewTest, ArrowsGoFromStripToStripAndSignsChangeTheSpan) {
  ASSERT_TRUE(wait_for_strips(2));
  strip("cuda:0")->setFocus();
  ASSERT_TRUE(wait_until([&] { return strip("cuda:0")->hasFocus(); }));
  QTest::keyClick(strip("cuda:0"), Qt::Key_Down);
  EXPECT_TRUE(strip("cuda:1")->hasFocus());
  QTest::keyClick(strip("cuda:1"), Qt::Key_Down);
  EXPECT_TRUE(strip("cuda:1")->hasFocus()) << "the last";
  QTest::keyClick(strip("cuda:1"), Qt::Key_Up);
  EXPECT_TRUE(strip("cuda:0")->hasFocus());
  QTest::keyClick(strip("cuda:0"), Qt::Key_Minus);
  EXPECT_EQ(window_.devices().span(), 3600);
  EXPECT_THAT(texts("cuda:0"), HasSubstr("(50% in 1 h)"));
  QTest::keyClick(strip("cuda:0"), Qt::Key_Plus);
  EXPECT_EQ(window_.devices().span(), 600);
}

TEST_F(DevicesViewTest, ALostServersDevicesStayWithTheirAge) {
  ASSERT_TRUE(wait_for_strips(2));
  ASSERT_TRUE(wait_for_text("cuda:0", "realtime 20%"));
  DeviceStrip* before = strip("cuda:0");
  daemon_.stop();
  ASSERT_TRUE(wait_for_text("cuda:0", "data from "));
  EXPECT_EQ(strip("cuda:0"), before);
  EXPECT_THAT(texts("cuda:0"), HasSubstr("realtime 20%"));
  const QLabel* label = before->findChild<QLabel*>();
  EXPECT_EQ(label->palette().color(QPalette::WindowText),
            window_.palette().color(QPalette::Disabled, QPalette::WindowText));
  daemon_.start();
  ASSERT_TRUE(wait_until([&] { return !QString::fromStdString(texts("cuda:0")).contains("data from"); }));
  fleet_.remove(server_);
  EXPECT_TRUE(window_.devices().strips().empty());
}

TEST_F(DevicesViewTest, TheKeyShowsTheView) {
  ASSERT_TRUE(wait_for_strips(2));
  window_.show_view("jobs");
  ASSERT_FALSE(window_.devices().isVisible());
  QTest::keyClick(&window_, Qt::Key_2);
  EXPECT_TRUE(window_.devices().isVisible());
}

// Returns a job that runs on the device and is limited by `limited_by`.
v1::Job job_on(const std::string& device, const std::string& limited_by) {
  v1::Job job;
  job.set_state(v1::JOB_STATE_RUNNING);
  job.set_device(device);
  job.mutable_spec()->mutable_video()->set_input("/in/a.ts");
  job.mutable_progress()->set_limited_by(limited_by);
  return job;
}

TEST_F(DevicesViewTest, SaysWhatTheJobsOfAnIdleDeviceWaitFor) {
  daemon_.add(job_on("cuda:0", "decoding"));
  daemon_.add(job_on("cuda:0", "encoding"));
  daemon_.add(job_on("cuda:1", "disk"));
  ASSERT_TRUE(wait_for_strips(2));
  EXPECT_TRUE(wait_for_text("cuda:0", "waiting for decoding, encoding")) << texts("cuda:0");
  EXPECT_TRUE(wait_for_text("cuda:1", "waiting for the disk")) << texts("cuda:1");
}

TEST_F(DevicesViewTest, TheScaleFollowsWhatIsThere) {
  ASSERT_TRUE(wait_for_strips(2));
  ASSERT_TRUE(wait_until([&] { return strip("cuda:0")->timeline().scale() == 1; }));
  // The samples of the busy time are outside of the visible span.
  v1::DeviceStatus quiet = busy_device("cuda:1", 1790000700);
  quiet.mutable_sample()->mutable_schedule()->mutable_realtime_busy()->set_nanos(60'000'000);
  quiet.mutable_sample()->mutable_schedule()->clear_spare_busy();
  daemon_.add_device(quiet);
  ASSERT_TRUE(wait_until([&] { return strip("cuda:1")->timeline().scale() == 0.1; }));
  EXPECT_EQ(strip("cuda:1")->timeline().columns(), strip("cuda:1")->timeline().columns_painted_anew());
}

TEST_F(DevicesViewTest, NothingScrollsAwayInASmallWindow) {
  window_.resize(900, 600);
  daemon_.add_device(busy_device("cuda:2"));
  ASSERT_TRUE(wait_for_strips(3));
  ASSERT_TRUE(wait_for_text("cuda:2", "realtime 20%"));
  const auto* area = window_.devices().findChild<QScrollArea*>();
  EXPECT_TRUE(wait_until([&] { return area->verticalScrollBar()->maximum() == 0; }))
      << area->verticalScrollBar()->maximum();
}

TEST_F(DevicesViewTest, OwnersOfStreamsCanBeRead) {
  v1::DeviceStatus device = busy_device("cuda:0");
  device.mutable_sample()->add_streams()->set_stream(3);
  daemon_.add_device(device);
  ASSERT_TRUE(wait_for_strips(2));
  auto* table = strip("cuda:0")->findChild<QTableView*>();
  ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 1; }));
  device.mutable_sample()->mutable_streams(0)->set_owner("an-owner-with-a-long-name");
  daemon_.add_device(device);
  const int column = int(StreamColumn::kOwner);
  ASSERT_TRUE(wait_until([&] { return !table->model()->index(0, column).data().toString().isEmpty(); }));
  EXPECT_GE(table->columnWidth(column), table->fontMetrics().horizontalAdvance("an-owner-with-a-long-name"));
}

TEST_F(DevicesViewTest, APausedQueueIsShown) {
  ASSERT_TRUE(wait_for_strips(2));
  v1::DeviceStatus device = busy_device("cuda:0");
  device.set_queue_paused(true);
  daemon_.add_device(device);
  const auto* banner = window_.findChild<LinkBanner*>();
  ASSERT_NE(banner, nullptr);
  // The banner may still show that the connection is being made.
  const auto* label = banner->findChild<QLabel*>();
  EXPECT_TRUE(wait_until([&] {
    return banner->isVisible() && label->text().contains("the queue is paused");
  })) << label->text().toStdString();
}

TEST_F(DevicesViewTest, ADaemonThatIsAboutToStopIsSaidToBe) {
  ASSERT_TRUE(wait_for_strips(2));
  v1::DeviceStatus device = busy_device("cuda:0");
  device.set_server_draining(true);
  daemon_.add_device(device);
  EXPECT_TRUE(wait_until([&] { return fleet_.link(server_).shuts_down; }));
  const auto* banner = window_.findChild<LinkBanner*>();
  ASSERT_NE(banner, nullptr);
  const auto* label = banner->findChild<QLabel*>();
  EXPECT_TRUE(wait_until([&] { return banner->isVisible() && label->text().contains("shutting down"); }))
      << label->text().toStdString();
  const QAbstractItemModel& tree = *window_.findChild<QTreeView*>()->model();
  EXPECT_THAT(tree.index(0, 0).data().toString().toStdString(), HasSubstr("shutting down"));
}

}  // namespace
}  // namespace weft::gui
