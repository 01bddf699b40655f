// SPDX-License-Identifier: Apache-2.0
// Tests the control and display of jobs through the widgets, with a fake daemon.
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "client_gui/models/export.h"
#include "client_gui/views/announcements.h"
#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;

class JobSteeringTest : public ::testing::Test {
 protected:
  JobSteeringTest() {
    for (int i = 0; i < 3; i++) ids_.push_back(daemon_.add(fake_job(i)));
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
    EXPECT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 3; }));
  }

  static v1::Job fake_job(int number) {
    v1::Job job;
    job.mutable_spec()->mutable_video()->set_input(fmt::format("/media/in{}.ts", number));
    job.mutable_spec()->mutable_video()->set_output(fmt::format("/media/out{}.mkv", number));
    job.mutable_settings()->set_priority(number);
    job.set_state(v1::JOB_STATE_QUEUED);
    return job;
  }
  QTableView& table() { return window_.jobs().table(); }
  void choose(const std::vector<int>& numbers) {
    table().clearSelection();
    for (const int number : numbers) {
      const int row = fleet_.jobs().row_of(server_, QString::fromStdString(ids_[size_t(number)]));
      table().selectionModel()->setCurrentIndex(fleet_.jobs().index(row, 0),
                                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
    }
  }
  QAction& action(const char* name) { return *window_.jobs().actions().action(name); }
  bool wait_for_state(int number, v1::JobState state) {
    return wait_until([&] {
      const int row = fleet_.jobs().row_of(server_, QString::fromStdString(ids_[size_t(number)]));
      return row >= 0 && fleet_.jobs().job_at(row).job.state == state;
    });
  }
  const QPlainTextEdit* text_named(const QString& name) {
    for (const auto* text : window_.jobs().detail().findChildren<QPlainTextEdit*>())
      if (text->accessibleName() == name) return text;
    ADD_FAILURE() << "there is no text of that name";
    return nullptr;
  }
  void answer(QMessageBox::StandardButton button) {
    auto* box = window_.findChild<QMessageBox*>();
    ASSERT_NE(box, nullptr) << "nothing is asked";
    QTest::mouseClick(box->button(button), Qt::LeftButton);
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
  std::vector<std::string> ids_;
};

TEST_F(JobSteeringTest, PauseResumeAndRetryActOnEveryChosenJob) {
  choose({0, 2});
  action("pause").trigger();
  ASSERT_TRUE(wait_for_state(0, v1::JOB_STATE_PAUSED));
  ASSERT_TRUE(wait_for_state(2, v1::JOB_STATE_PAUSED));
  EXPECT_EQ(daemon_.job(ids_[1]).state(), v1::JOB_STATE_QUEUED);
  ASSERT_TRUE(wait_until([&] { return action("resume").isEnabled(); }));
  action("resume").trigger();
  ASSERT_TRUE(wait_for_state(0, v1::JOB_STATE_QUEUED));
  ASSERT_TRUE(wait_for_state(2, v1::JOB_STATE_QUEUED));
  daemon_.change(ids_[0], [](v1::Job& job) { job.set_state(v1::JOB_STATE_FAILED); });
  ASSERT_TRUE(wait_until([&] { return action("retry").isEnabled(); }));
  action("retry").trigger();
  ASSERT_TRUE(wait_for_state(0, v1::JOB_STATE_QUEUED));
}

TEST_F(JobSteeringTest, CancelAsksFirst) {
  choose({1});
  action("cancel").trigger();
  answer(QMessageBox::No);
  EXPECT_EQ(daemon_.job(ids_[1]).state(), v1::JOB_STATE_QUEUED);
  ASSERT_TRUE(wait_until([&] { return window_.findChild<QMessageBox*>() == nullptr; }));
  choose({0, 1, 2});
  action("cancel").trigger();
  EXPECT_THAT(
      window_.findChild<QMessageBox*>()->text().toStdString(),
      AllOf(HasSubstr("Cancel 3 jobs?"), HasSubstr("in0.ts -> out0.mkv"), HasSubstr("in2.ts -> out2.mkv")));
  answer(QMessageBox::No);
  ASSERT_TRUE(wait_until([&] { return window_.findChild<QMessageBox*>() == nullptr; }));
  choose({1});
  action("cancel").trigger();
  choose({0});
  answer(QMessageBox::Yes);
  ASSERT_TRUE(wait_for_state(1, v1::JOB_STATE_CANCELLED));
  EXPECT_EQ(daemon_.job(ids_[0]).state(), v1::JOB_STATE_QUEUED) << "it was chosen after the question";
}

TEST_F(JobSteeringTest, KeysChangeThePriority) {
  choose({2});
  table().setFocus();
  window_.activateWindow();
  ASSERT_TRUE(wait_until([&] { return table().hasFocus(); }));
  QTest::keyClick(&table(), Qt::Key_Up, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([&] { return daemon_.job(ids_[2]).settings().priority() == 3; }));
  choose({0, 2});
  ASSERT_TRUE(wait_until([&] {
    return fleet_.jobs()
               .job_at(fleet_.jobs().row_of(server_, QString::fromStdString(ids_[2])))
               .job.priority == 3;
  }));
  QTest::keyClick(&table(), Qt::Key_Down, Qt::ControlModifier);
  ASSERT_TRUE(wait_until([&] { return daemon_.job(ids_[2]).settings().priority() == 2; }));
  EXPECT_TRUE(wait_until([&] { return daemon_.job(ids_[0]).settings().priority() == -1; }));
}

TEST_F(JobSteeringTest, WhatMakesNoSenseIsNotOffered) {
  for (const char* name : {"pause", "resume", "cancel", "retry", "raise", "copy", "folder"})
    EXPECT_FALSE(action(name).isEnabled()) << name << " with nothing chosen";
  choose({0});
  EXPECT_TRUE(action("pause").isEnabled());
  EXPECT_FALSE(action("resume").isEnabled());
  EXPECT_FALSE(action("retry").isEnabled());
  EXPECT_TRUE(action("folder").isEnabled());
  choose({0, 1});
  EXPECT_FALSE(action("folder").isEnabled()) << "which one?";
  daemon_.change(ids_[0], [](v1::Job& job) { job.set_state(v1::JOB_STATE_SUCCEEDED); });
  daemon_.change(ids_[1], [](v1::Job& job) { job.set_state(v1::JOB_STATE_SUCCEEDED); });
  EXPECT_TRUE(wait_until([&] { return !action("pause").isEnabled(); })) << "they ended meanwhile";
  EXPECT_FALSE(action("cancel").isEnabled());
}

TEST_F(JobSteeringTest, AnOrderThatIsRefusedIsSaid) {
  choose({0});
  daemon_.forget(ids_[0]);
  action("pause").trigger();
  ASSERT_TRUE(wait_until([&] { return !window_.announcements().texts().isEmpty(); }));
  EXPECT_THAT(window_.announcements().texts()[0].toStdString(), HasSubstr("There is no job"));
}

TEST_F(JobSteeringTest, WhatWasDoneIsConfirmed) {
  choose({0, 1, 2});
  action("pause").trigger();
  ASSERT_TRUE(
      wait_until([&] { return window_.announcements().texts() == QStringList("3 jobs are paused."); }));
  ASSERT_TRUE(wait_for_state(1, v1::JOB_STATE_PAUSED));
  choose({1});
  action("resume").trigger();
  EXPECT_TRUE(wait_until([&] {
    return window_.announcements().texts() == QStringList("in1.ts -> out1.mkv is back in the queue.");
  })) << "instead of what was confirmed before: "
      << window_.announcements().texts().join('|').toStdString();
}

TEST_F(JobSteeringTest, OfSeveralRefusalsTheFirstIsSaidNextToWhatWasDone) {
  choose({0, 1, 2});
  daemon_.forget(ids_[0]);
  daemon_.forget(ids_[1]);
  action("pause").trigger();
  ASSERT_TRUE(wait_until([&] { return window_.announcements().texts().size() == 2; }));
  EXPECT_EQ(window_.announcements().texts()[0].toStdString(), "in2.ts -> out2.mkv is paused.");
  EXPECT_THAT(window_.announcements().texts()[1].toStdString(),
              HasSubstr("2 jobs were refused; the first: There is no job"));
}

TEST_F(JobSteeringTest, IdsAreCopied) {
  choose({0, 1});
  action("copy").trigger();
  EXPECT_EQ(QGuiApplication::clipboard()->text().toStdString(), ids_[1] + "\n" + ids_[0])
      << "in the order of the table";
}

TEST_F(JobSteeringTest, RowsBecomeCommaSeparatedValues) {
  daemon_.change(ids_[0], [](v1::Job& job) { job.set_waiting_reason("It waits, as the \"cpu\" does."); });
  ASSERT_TRUE(wait_until([&] { return !fleet_.jobs().job_at(2).job.note.isEmpty(); }));
  const QStringList lines = QString::fromUtf8(to_csv(fleet_.jobs(), {2})).split("\r\n");
  ASSERT_EQ(lines.size(), 3);
  EXPECT_TRUE(lines[0].startsWith("State,Done,Time left,Rate,Files,"));
  EXPECT_THAT(lines[1].toStdString(), HasSubstr("queued,,,,in0.ts -> out0.mkv,,"));
  EXPECT_THAT(lines[1].toStdString(), HasSubstr(",\"It waits, as the \"\"cpu\"\" does.\","));
}

TEST_F(JobSteeringTest, TheLogGrows) {
  daemon_.add_log("opened");
  choose({0});
  const QPlainTextEdit* log = text_named("Log");
  ASSERT_TRUE(wait_until([&] { return log->toPlainText().contains("opened"); }));
  daemon_.add_log("segment 1 is done");
  ASSERT_TRUE(wait_until([&] { return log->toPlainText().contains("segment 1 is done"); }));
  EXPECT_EQ(log->toPlainText().count("opened"), 1);
  choose({});
  table().setCurrentIndex({});
  EXPECT_EQ(log->toPlainText(), "") << "no job is looked at";
}

TEST_F(JobSteeringTest, TheLogGoesOnAfterARestartWithoutRepeatingItself) {
  daemon_.add_log("before");
  choose({0});
  const QPlainTextEdit* log = text_named("Log");
  ASSERT_TRUE(wait_until([&] { return log->toPlainText().contains("before"); }));
  daemon_.stop();
  daemon_.add_log("after");
  daemon_.start();
  ASSERT_TRUE(wait_until([&] { return log->toPlainText().contains("after"); }));
  EXPECT_EQ(log->toPlainText().count("before"), 1);
}

TEST_F(JobSteeringTest, WhatIsKnownOfAJobIsShownAndShownAgainWhenItEnds) {
  choose({1});
  auto* properties = window_.jobs().detail().findChild<QTreeWidget*>();
  const auto shows = [&](const QString& text) {
    return !properties->findItems(text, Qt::MatchContains | Qt::MatchRecursive, 1).empty();
  };
  ASSERT_TRUE(wait_until([&] { return shows(QString::fromStdString(ids_[1])); }));
  EXPECT_FALSE(shows("on the device"));
  daemon_.change(ids_[1], [](v1::Job& job) {
    job.set_state(v1::JOB_STATE_SUCCEEDED);
    job.mutable_result()->set_units_in(1500);
    job.mutable_result()->set_units_out(3000);
    job.mutable_result()->mutable_wall_time()->set_seconds(10);
    job.mutable_result()->mutable_gpu_time()->set_seconds(2);
    v1::StageRate& stage = *job.mutable_result()->add_stages();
    stage.set_stage("decode");
    stage.set_units(1500);
    stage.mutable_busy()->set_seconds(5);
    v1::JobAttempt& attempt = *job.add_attempts();
    attempt.set_number(1);
    attempt.set_device("cuda:0");
    attempt.mutable_error()->set_message("The worker died.");
  });
  ASSERT_TRUE(wait_until([&] { return shows("10.0 s (2.00 s on the device)"); }));
  EXPECT_TRUE(shows("1500 frames in, 3000 out"));
  EXPECT_TRUE(shows("300.0 per second, busy 50% of the time"));
  EXPECT_TRUE(shows("The worker died."));
  const QPlainTextEdit* specification = text_named("Settings (JSON)");
  EXPECT_THAT(specification->toPlainText().toStdString(), HasSubstr("\"input\": \"/media/in1.ts\""));
}

}  // namespace
}  // namespace weft::gui
