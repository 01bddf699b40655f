// SPDX-License-Identifier: Apache-2.0
#include "client_gui/models/jobs_model.h"

#include <QAbstractItemModelTester>
#include <QBrush>
#include <QDateTime>
#include <QGuiApplication>
#include <QItemSelectionModel>
#include <QPalette>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

using Mode = QAbstractItemModelTester::FailureReportingMode;

std::vector<int> shown(const JobsModel& model) {
  std::vector<int> numbers;
  for (int row = 0; row < model.rowCount(); row++) numbers.push_back(model.job_at(row).job.id.mid(4).toInt());
  return numbers;
}

class JobsModelTest : public ::testing::Test {
 protected:
  JobsModelTest() {
    model_.add_server(1, "one");
    model_.add_server(2, "two");
  }
  void search(const QString& text) {
    JobScope scope;
    scope.text = text;
    model_.set_scope(scope);
  }

  JobsModel model_;
  // Warns if the model violates its contract with views. A warning fails the test.
  QAbstractItemModelTester tester_{&model_, Mode::Warning};
};

TEST_F(JobsModelTest, NewestFirst) {
  model_.apply(1, make_snapshot({make_job(1), make_job(3), make_job(2)}));
  EXPECT_THAT(shown(model_), ElementsAre(3, 2, 1));
  model_.apply(1, make_change({make_job(4)}));
  EXPECT_THAT(shown(model_), ElementsAre(4, 3, 2, 1));
}

TEST_F(JobsModelTest, AnOlderCopyChangesNothing) {
  model_.apply(1, make_snapshot({make_job(1, v1::JOB_STATE_SUCCEEDED, 5)}));
  model_.apply(1, make_change({make_job(1, v1::JOB_STATE_RUNNING, 4)}));
  EXPECT_EQ(model_.job_at(0).job.state, v1::JOB_STATE_SUCCEEDED);
  EXPECT_THAT(model_.counts(1), ::testing::Contains(Pair(v1::JOB_STATE_SUCCEEDED, 1)));
}

TEST_F(JobsModelTest, ANewSnapshotForgetsWhatItDoesNotTell) {
  model_.apply(1, make_snapshot({make_job(1), make_job(2), make_job(3)}));
  model_.apply(2, make_snapshot({make_job(4)}));
  Delivery first;
  first.snapshot_begins = true;
  first.jobs = {make_job(3, v1::JOB_STATE_RUNNING, 2)};
  model_.apply(1, first);
  EXPECT_THAT(shown(model_), ElementsAre(4, 3, 2, 1)) << "the snapshot goes on";
  Delivery last;
  last.snapshot_ends = true;
  last.jobs = {make_job(1)};
  model_.apply(1, last);
  EXPECT_THAT(shown(model_), ElementsAre(4, 3, 1));
}

TEST_F(JobsModelTest, AServerThatIsRemovedTakesItsJobsAlong) {
  model_.apply(1, make_snapshot({make_job(1), make_job(2)}));
  model_.apply(2, make_snapshot({make_job(3)}));
  model_.remove_server(1);
  EXPECT_THAT(shown(model_), ElementsAre(3));
  EXPECT_EQ(model_.total(), 1);
}

TEST_F(JobsModelTest, EveryWordIsLookedForInTheWholeRow) {
  JobRow labelled = make_job(2);
  labelled.labels = "reel=7";
  model_.apply(1, make_snapshot({make_job(1), labelled, make_job(12, v1::JOB_STATE_FAILED)}));
  search("IN1");
  EXPECT_THAT(shown(model_), ElementsAre(12, 1));
  search("in1 ann");
  EXPECT_THAT(shown(model_), ElementsAre(12));
  search("reel=7");
  EXPECT_THAT(shown(model_), ElementsAre(2));
  search("failed  one");
  EXPECT_THAT(shown(model_), ElementsAre(12));
  search("nothing has this");
  EXPECT_THAT(shown(model_), IsEmpty());
  search("");
  EXPECT_THAT(shown(model_), ElementsAre(12, 2, 1));
}

TEST_F(JobsModelTest, ASearchKnowsWhatChanged) {
  search("ÜBUNG");
  JobRow job = make_job(1);
  model_.apply(1, make_snapshot({job, make_job(2)}));
  EXPECT_THAT(shown(model_), IsEmpty());
  job.files = "übung.ts -> übung.mkv";
  job.revision = 2;
  model_.apply(1, make_change({job}));
  EXPECT_THAT(shown(model_), ElementsAre(1));
  job.files = "in1.ts -> out1.mkv";
  job.revision = 3;
  model_.apply(1, make_change({job}));
  EXPECT_THAT(shown(model_), IsEmpty());
}

TEST_F(JobsModelTest, OnlyRowsThatChangedAreTold) {
  std::vector<JobRow> jobs;
  for (int i = 0; i < 10; i++) jobs.push_back(make_job(i));
  model_.apply(1, make_snapshot(jobs));
  std::vector<std::pair<int, int>> changed_rows;
  QObject::connect(&model_, &JobsModel::dataChanged, &model_,
                   [&](const QModelIndex& first, const QModelIndex& last) {
                     changed_rows.emplace_back(first.row(), last.row());
                   });
  const auto running = [](int number) { return make_job(number, v1::JOB_STATE_RUNNING, 2); };
  model_.apply(1, make_change({running(1), running(8), running(7)}));
  EXPECT_THAT(changed_rows, ElementsAre(Pair(1, 2), Pair(8, 8))) << "the newest is the first row";
}

TEST_F(JobsModelTest, JobsComeAndGoAsTheyMatch) {
  JobScope scope;
  scope.state = v1::JOB_STATE_RUNNING;
  scope.server = 1;
  model_.set_scope(scope);
  model_.apply(1, make_snapshot({make_job(1), make_job(2, v1::JOB_STATE_RUNNING)}));
  model_.apply(2, make_snapshot({make_job(3, v1::JOB_STATE_RUNNING)}));
  EXPECT_THAT(shown(model_), ElementsAre(2));
  model_.apply(1, make_change({make_job(1, v1::JOB_STATE_RUNNING, 2), make_job(2, v1::JOB_STATE_PAUSED, 2)}));
  EXPECT_THAT(shown(model_), ElementsAre(1));
  EXPECT_EQ(model_.total(), 3);
}

TEST_F(JobsModelTest, AJobThatComesAndIsForgottenInOneDeliveryIsNotShown) {
  model_.apply(1, make_snapshot({make_job(1)}));
  Delivery delivery = make_change({make_job(2), make_job(1, v1::JOB_STATE_RUNNING, 2)});
  delivery.forgotten = {make_job(2).id, make_job(1).id, make_job(7).id};
  model_.apply(1, delivery);
  EXPECT_THAT(shown(model_), IsEmpty());
  EXPECT_EQ(model_.total(), 0);
  model_.apply(1, make_change({make_job(3)}));
  EXPECT_THAT(shown(model_), ElementsAre(3));
}

TEST_F(JobsModelTest, TheSelectionFollowsItsJobs) {
  model_.apply(1, make_snapshot({make_job(1), make_job(2), make_job(3)}));
  QItemSelectionModel selection(&model_);
  selection.select(model_.index(1, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
  model_.apply(1, make_change({make_job(9), make_job(2, v1::JOB_STATE_RUNNING, 2)}));
  model_.sort(int(JobColumn::kFiles), Qt::AscendingOrder);
  model_.apply(1, make_snapshot({make_job(2, v1::JOB_STATE_RUNNING, 3), make_job(3)}));
  ASSERT_EQ(selection.selectedRows().size(), 1);
  EXPECT_EQ(model_.job_at(selection.selectedRows()[0].row()).job.id, make_job(2).id);
  search("in3");
  EXPECT_THAT(selection.selectedRows(), IsEmpty()) << "what cannot be seen is not chosen";
}

TEST_F(JobsModelTest, ASearchMayChooseFields) {
  JobRow failed = make_job(1, v1::JOB_STATE_FAILED), other = make_job(3, v1::JOB_STATE_FAILED);
  failed.owner = "anna";
  failed.labels = "reel=7 show=news";
  other.note = "anna's disk is full";
  failed.priority = 3;
  other.priority = 13;
  model_.apply(1, make_snapshot({failed, make_job(2), other}));
  search("state:failed owner:anna");
  EXPECT_THAT(shown(model_), ElementsAre(1));
  search("STATE:Failed disk");
  EXPECT_THAT(shown(model_), ElementsAre(3));
  search("label:reel=7");
  EXPECT_THAT(shown(model_), ElementsAre(1));
  search("priority:3");
  EXPECT_THAT(shown(model_), ElementsAre(1)) << "a number is not a part of one";
  search("state:");
  EXPECT_EQ(model_.rowCount(), 3) << "its value is still to be typed";
  search("nofield:failed");
  EXPECT_EQ(model_.rowCount(), 0) << "a word like any other";
}

TEST_F(JobsModelTest, IdsAreFoundByTheirBeginning) {
  model_.apply(1, make_snapshot({make_job(123), make_job(456)}));
  search(make_job(123).id);
  EXPECT_THAT(shown(model_), ElementsAre(123));
  search(make_job(123).id.toLower());
  EXPECT_THAT(shown(model_), ElementsAre(123));
  search(make_job(123).id.mid(2));
  EXPECT_EQ(model_.rowCount(), 0) << "from its middle on";
  search("000000000");
  EXPECT_EQ(model_.rowCount(), 0);
  search("01JB");
  EXPECT_EQ(model_.rowCount(), 0) << "most ids begin so";
  search("id:01JB");
  EXPECT_EQ(model_.rowCount(), 2);
}

TEST_F(JobsModelTest, EveryColumnSortsBothWays) {
  model_.apply(
      1, make_snapshot({make_job(1, v1::JOB_STATE_FAILED), make_job(8), make_job(3, v1::JOB_STATE_RUNNING)}));
  model_.apply(2, make_snapshot({make_job(4)}));
  for (int column = 0; column < kJobColumns; column++) {
    for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
      model_.sort(column, order);
      for (int row = 1; row < model_.rowCount(); row++) {
        const int step = compare(model_.job_at(row - 1), model_.job_at(row), JobColumn(column));
        EXPECT_TRUE(order == Qt::AscendingOrder ? step <= 0 : step >= 0) << column;
      }
    }
  }
  model_.sort(int(JobColumn::kPriority), Qt::DescendingOrder);
  EXPECT_THAT(shown(model_), ElementsAre(4, 3, 8, 1));
  model_.apply(1, make_change({[] {
                 JobRow job = make_job(1, v1::JOB_STATE_FAILED, 2);
                 job.priority = 100;
                 return job;
               }()}));
  EXPECT_THAT(shown(model_), ElementsAre(1, 4, 3, 8));
}

// After random deliveries the rows equal those of a plain filter and sort of all jobs.
TEST_F(JobsModelTest, RandomDeliveriesGiveWhatAPlainSortGives) {
  std::minstd_rand random(7);
  const auto below = [&](int limit) { return int(random() % unsigned(limit)); };
  std::map<int, JobRow> known;
  for (int step = 0; step < 300; step++) {
    Delivery delivery;
    std::set<int> touched;
    for (int i = below(6); i > 0; i--) touched.insert(below(40));
    for (const int number : touched) {
      JobRow job = make_job(number, v1::JobState(1 + below(6)), step + 1);
      job.priority = below(4);
      known[number] = job;
      delivery.jobs.push_back(job);
    }
    for (int i = below(3); i > 0; i--) {
      const int number = below(40);
      delivery.forgotten.push_back(make_job(number).id);
      known.erase(number);
    }
    model_.apply(1, delivery);
    if (below(10) == 0) search(below(2) == 0 ? "ann" : "");
    if (below(10) == 0)
      model_.sort(int(JobColumn::kPriority), below(2) == 0 ? Qt::AscendingOrder : Qt::DescendingOrder);
    std::multiset<int> expected, found;
    for (const auto& [number, job] : known)
      if (model_.scope().text.isEmpty() || job.owner == "ann") expected.insert(number);
    for (const int number : shown(model_)) found.insert(number);
    ASSERT_EQ(found, expected) << step;
    for (int row = 0; row < model_.rowCount(); row++) {
      const PlacedJob& placed = model_.job_at(row);
      ASSERT_EQ(placed.job.priority, known.at(placed.job.id.mid(4).toInt()).priority);
      ASSERT_EQ(model_.row_of(1, placed.job.id), row);
    }
  }
}

TEST_F(JobsModelTest, ManyRows) {
  constexpr int kRows = 100000;
  std::vector<JobRow> jobs;
  for (int i = 0; i < kRows; i++) jobs.push_back(make_job(i, v1::JobState(1 + i % 6)));
  JobsModel model;
  model.add_server(1, "one");
  model.apply(1, make_snapshot(std::move(jobs)));
  ASSERT_EQ(model.rowCount(), kRows);
  int layouts = 0, resets = 0, inserts = 0;
  QObject::connect(&model, &JobsModel::layoutChanged, &model, [&] { layouts++; });
  QObject::connect(&model, &JobsModel::modelReset, &model, [&] { resets++; });
  QObject::connect(&model, &JobsModel::rowsInserted, &model, [&] { inserts++; });
  model.sort(int(JobColumn::kPriority), Qt::DescendingOrder);
  std::vector<JobRow> changes;
  for (int i = 0; i < kRows; i += 100) {
    changes.push_back(make_job(i, v1::JOB_STATE_RUNNING, 2));
    changes.back().priority = 50;
  }
  for (int i = 0; i < 500; i++) changes.push_back(make_job(kRows + i));
  model.apply(1, make_change(changes));
  EXPECT_EQ(model.rowCount(), kRows + 500);
  EXPECT_EQ(model.job_at(999).job.priority, 50);
  EXPECT_EQ(model.job_at(1000).job.priority, 6);
  EXPECT_EQ(layouts, 2) << "one for the sort, one for all of the changes";
  EXPECT_EQ(inserts, 1);
  EXPECT_EQ(resets, 0) << "a reset loses the selection";
  EXPECT_EQ(model.counts(1)[v1::JOB_STATE_RUNNING], 16667 + 1000)
      << "every sixth was running, those that changed were not";
}

TEST_F(JobsModelTest, CellsSayWhatIsKnown) {
  JobRow job = make_job(1, v1::JOB_STATE_RUNNING);
  job.done = 0.423;
  job.eta_seconds = 89;
  job.rate = 187.42;
  job.attempt = 2;
  job.max_attempts = 3;
  model_.apply(1, make_snapshot({job, make_job(2)}));
  const auto text = [&](int row, JobColumn column) {
    return model_.index(row, int(column)).data().toString().toStdString();
  };
  EXPECT_EQ(text(1, JobColumn::kState), "running");
  EXPECT_EQ(text(1, JobColumn::kDone), "42.3%");
  EXPECT_EQ(text(1, JobColumn::kEta), "0:01:29");
  EXPECT_EQ(text(1, JobColumn::kRate), "187.4");
  EXPECT_EQ(text(1, JobColumn::kAttempts), "2/3");
  EXPECT_EQ(text(1, JobColumn::kServer), "one");
  for (const JobColumn column : {JobColumn::kDone, JobColumn::kEta, JobColumn::kRate})
    EXPECT_EQ(text(0, column), "") << "what is not known is not shown as nought";
}

TEST_F(JobsModelTest, SortedByStateWhatRunsAndWhatFailedComesFirst) {
  model_.apply(1, make_snapshot({make_job(1, v1::JOB_STATE_SUCCEEDED), make_job(2, v1::JOB_STATE_QUEUED),
                                 make_job(3, v1::JOB_STATE_FAILED), make_job(4, v1::JOB_STATE_CANCELLED),
                                 make_job(5, v1::JOB_STATE_RUNNING), make_job(6, v1::JOB_STATE_PAUSED)}));
  model_.sort(int(JobColumn::kState), Qt::AscendingOrder);
  EXPECT_THAT(shown(model_), ElementsAre(5, 3, 6, 2, 4, 1));
}

TEST_F(JobsModelTest, TheEndIsATimeTodayElseADay) {
  const QDateTime noon(QDate(2026, 11, 26), QTime(12, 0));
  PlacedJob placed{make_job(1), 1, "one"};
  const auto ended = [&](double now) { return text_of(placed, JobColumn::kEnded, now).toStdString(); };
  const auto now = double(noon.toSecsSinceEpoch());
  EXPECT_EQ(ended(now), "");
  placed.job.end_time = now - 3600;
  EXPECT_EQ(ended(now), "11:00");
  placed.job.end_time = double(noon.addDays(-1).toSecsSinceEpoch());
  EXPECT_EQ(ended(now), "11-25 12:00");
  EXPECT_EQ(ended(0), "2026-11-25 12:00");
}

TEST_F(JobsModelTest, FailuresHaveTheColourOfAlarms) {
  model_.apply(1, make_snapshot({make_job(1, v1::JOB_STATE_FAILED), make_job(2)}));
  model_.set_live(1, true);
  const auto colour = [&](int row, JobColumn column) {
    return model_.index(row, int(column)).data(Qt::ForegroundRole).value<QBrush>();
  };
  const QBrush alarm = QGuiApplication::palette().brush(QPalette::BrightText);
  EXPECT_EQ(colour(1, JobColumn::kState), alarm);
  EXPECT_EQ(colour(1, JobColumn::kNote), alarm);
  EXPECT_NE(colour(1, JobColumn::kFiles), alarm);
  EXPECT_NE(colour(0, JobColumn::kState), alarm);
}

TEST_F(JobsModelTest, RowsOfAServerThatIsNotLiveAreDimmed) {
  model_.apply(1, make_snapshot({make_job(1)}));
  EXPECT_TRUE(model_.index(0, 0).data(Qt::ForegroundRole).isValid());
  model_.set_live(1, true);
  EXPECT_FALSE(model_.index(0, 0).data(Qt::ForegroundRole).isValid());
}

}  // namespace
}  // namespace weft::gui
