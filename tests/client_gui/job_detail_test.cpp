// SPDX-License-Identifier: Apache-2.0
// Tests the details of a job while it waits, runs and ends.
#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QTest>
#include <QTreeWidget>
#include <algorithm>
#include <iterator>

#include <gmock/gmock.h>

#include "client_gui/models/job_properties.h"
#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

class JobDetailTest : public ::testing::Test {
 protected:
  JobDetailTest() {
    v1::Job job;
    job.mutable_spec()->mutable_video()->set_input("/media/incoming/reel 7/in.ts");
    job.mutable_spec()->mutable_video()->set_output("/media/done/out.mkv");
    job.mutable_settings()->set_owner("anna");
    job.mutable_settings()->set_priority(3);
    job.mutable_settings()->set_job_class(v1::JOB_CLASS_SPARE);
    (*job.mutable_settings()->mutable_labels())["reel"] = "7";
    job.set_state(v1::JOB_STATE_QUEUED);
    job.set_waiting_reason("7 jobs are ahead.");
    id_ = daemon_.add(job);
    v1::DevicePrediction other, chosen;
    other.set_device("cpu");
    other.mutable_ahead()->set_seconds(1000);
    chosen.set_device("cuda:0");
    chosen.set_chosen(true);
    chosen.mutable_running()->set_seconds(30);
    chosen.mutable_ahead()->set_seconds(90);
    chosen.mutable_own()->set_seconds(45);
    daemon_.predict({other, chosen});
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
    EXPECT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 1; }));
    window_.jobs().table().selectRow(0);
  }
  QTreeWidget& properties() { return *window_.jobs().detail().findChild<QTreeWidget*>(); }
  // Returns the values of the property.
  std::string property(const QString& name) {
    QStringList values;
    for (const QTreeWidgetItem* each : properties().findItems(name, Qt::MatchExactly, 0))
      values.push_back(each->text(1));
    return values.join('|').toStdString();
  }
  bool comes(const QString& name, const std::string& value) {
    return wait_until([&] { return property(name) == value; });
  }
  QString log_invitation() {
    for (const auto* text : window_.jobs().detail().findChildren<QPlainTextEdit*>())
      if (text->accessibleName() == "Log") return text->placeholderText();
    return {};
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
  std::string id_;
};

TEST_F(JobDetailTest, SaysWhatWasAskedFor) {
  ASSERT_TRUE(comes("Input file", "/media/incoming/reel 7/in.ts"));
  EXPECT_EQ(property("Output file"), "/media/done/out.mkv");
  EXPECT_EQ(property("Owner"), "anna");
  EXPECT_EQ(property("Labels"), "reel=7");
  EXPECT_EQ(property("Class"), "spare, priority 3");
  properties().setCurrentItem(properties().findItems("Input file", Qt::MatchExactly, 0)[0]);
  properties().actions()[0]->trigger();
  EXPECT_EQ(QGuiApplication::clipboard()->text(), "/media/incoming/reel 7/in.ts");
}

TEST_F(JobDetailTest, SaysWhyAJobWaitsAndWhenItsTurnComes) {
  ASSERT_TRUE(comes("Why it waits", "7 jobs are ahead."));
  EXPECT_EQ(property("State"), "queued");
  EXPECT_EQ(property("Starts in"), "about 0:02:00");
  EXPECT_EQ(property("Duration"), "about 0:00:45 on cuda:0");
  EXPECT_EQ(log_invitation(), "No log yet: the job has not started.");
}

TEST_F(JobDetailTest, TheEstimateOfAQueuedJobIsAskedForAgain) {
  ASSERT_TRUE(comes("Starts in", "about 0:02:00"));
  v1::DevicePrediction chosen;
  chosen.set_device("cuda:0");
  chosen.set_chosen(true);
  chosen.mutable_ahead()->set_seconds(10);
  daemon_.predict({chosen});  // the job itself does not change
  EXPECT_TRUE(comes("Starts in", "about 0:00:10"));
}

TEST_F(JobDetailTest, FollowsAJobThatRuns) {
  ASSERT_TRUE(comes("State", "queued"));
  const auto run = [&](int64_t done) {
    daemon_.change(id_, [&](v1::Job& job) {
      job.set_state(v1::JOB_STATE_RUNNING);
      job.set_attempt(1);
      job.clear_waiting_reason();
      job.mutable_progress()->set_units_done(done);
      job.mutable_progress()->set_units_total(400);
      job.mutable_progress()->set_units_per_second(25);
      job.mutable_progress()->mutable_eta()->set_seconds((400 - done) / 25);
      job.mutable_progress()->set_stage("processing");
    });
  };
  run(100);
  ASSERT_TRUE(comes("Progress", "100 of 400 frames, 25.0%"));
  EXPECT_EQ(property("Rate"), "25.0 per second");
  EXPECT_EQ(property("Time left"), "0:00:12");
  EXPECT_EQ(property("Why it waits"), "");
  EXPECT_EQ(log_invitation(), "The log is empty.");
  run(300);
  ASSERT_TRUE(comes("Progress", "300 of 400 frames, 75.0%"));
  EXPECT_EQ(property("Time left"), "0:00:04");
  EXPECT_TRUE(comes("Stage", "processing"));
  EXPECT_TRUE(comes("Starts in", "")) << "it has begun";
}

TEST_F(JobDetailTest, SaysWhatABenchmarkFound) {
  v1::Job job;
  job.mutable_spec()->mutable_benchmark();
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  for (const double share : {0.25, 0.8}) {
    v1::Measurement& each = *job.mutable_result()->mutable_benchmark()->add_measurements();
    each.set_benchmark(v1::BENCHMARK_NAME_VECTOR);
    each.set_median_seconds(1e-3);
    each.set_limit_seconds(share * 1e-3);
    each.set_limit("memory");
  }
  v1::Measurement& wrong = *job.mutable_result()->mutable_benchmark()->add_measurements();
  wrong.set_benchmark(v1::BENCHMARK_NAME_FFT);
  wrong.set_fault("A line is wrong.");
  const QString id = QString::fromStdString(daemon_.add(job));
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 2; }));
  EXPECT_EQ(fleet_.jobs().find(server_, id)->files, "bench");
  window_.jobs().detail().select_job(server_, id);
  ASSERT_TRUE(comes("State", "succeeded"));
  for (const char* name : {"Input file", "Output file", "Size"})
    EXPECT_TRUE(properties().findItems(name, Qt::MatchExactly, 0).isEmpty()) << name;
  const auto found = properties().findItems("Results", Qt::MatchExactly, 0);
  ASSERT_EQ(found.size(), 1);
  ASSERT_EQ(found[0]->childCount(), 2);
  EXPECT_EQ(found[0]->child(0)->text(0), "vector");
  EXPECT_EQ(found[0]->child(0)->text(1), "2 cases, best at 80% of the limit (memory)");
  EXPECT_EQ(found[0]->child(1)->text(1), "1 case, 1 not timed");
}

TEST_F(JobDetailTest, SaysWhatTuningFound) {
  v1::Job job;
  job.mutable_spec()->mutable_tune();
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  v1::TunedKernel& kernel = *job.mutable_result()->mutable_tuning()->add_kernels();
  kernel.set_kernel("video/bwdif.uint8_t");
  kernel.set_shape("64x4");
  kernel.set_seconds(2e-3);
  kernel.set_default_seconds(3e-3);
  const QString id = QString::fromStdString(daemon_.add(job));
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 2; }));
  window_.jobs().detail().select_job(server_, id);
  ASSERT_TRUE(comes("State", "succeeded"));
  const auto found = properties().findItems("Results", Qt::MatchExactly, 0);
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0]->child(0)->text(1), "64x4, 1.50 times as fast as the default");
}

TEST_F(JobDetailTest, ALongReasonIsNotCutOff) {
  window_.resize(900, 600);
  ASSERT_TRUE(comes("State", "queued"));
  const auto height = [&](const QString& name) {
    const auto found = properties().findItems(name, Qt::MatchExactly, 0);
    return found.isEmpty() ? 0 : properties().visualItemRect(found[0]).height();
  };
  QString reason;
  for (int i = 0; i < 20; i++) reason += "The device cuda:0 is busy. ";
  daemon_.change(id_, [&](v1::Job& job) {
    job.set_state(v1::JOB_STATE_FAILED);
    job.mutable_error()->set_message(reason.toStdString());
  });
  ASSERT_TRUE(comes("Why it failed", reason.toStdString()));
  EXPECT_TRUE(wait_until([&] { return height("Why it failed") >= 3 * height("State"); }))
      << "it has several lines";
}

TEST_F(JobDetailTest, SaysWhyAJobFailed) {
  ASSERT_TRUE(comes("State", "queued"));
  daemon_.change(id_, [](v1::Job& job) {
    job.set_state(v1::JOB_STATE_FAILED);
    job.mutable_error()->set_code(15);
    job.mutable_error()->set_message("The disk is away.");
  });
  EXPECT_TRUE(comes("Why it failed", "The disk is away."));
}

TEST(JobFacts, SeveralReasonsHaveOneName) {
  JobDetail detail;
  detail.reasons = {"2 jobs are ahead.", "It is to go to cpu."};
  const std::vector<Property> properties = info_of(detail, nullptr);
  const auto first = std::ranges::find(properties, QString("Why it waits"), &Property::name);
  ASSERT_LT(first - properties.begin() + 1, std::ssize(properties));
  EXPECT_EQ(first->value, "2 jobs are ahead.");
  EXPECT_EQ(std::next(first)->name, "");
  EXPECT_EQ(std::next(first)->value, "It is to go to cpu.");
}

}  // namespace
}  // namespace weft::gui
