// SPDX-License-Identifier: Apache-2.0
// The table of jobs with the pane below it: which rows are chosen, and what is seen of them.
#include "client_gui/views/jobs_view.h"

#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

class JobsViewTest : public ::testing::Test {
 protected:
  JobsViewTest() {
    for (int i = 0; i < 40; i++) ids_.push_back(daemon_.add(numbered_job(i)));
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.resize(1400, 900);
    window_.show();
    window_.activateWindow();
    EXPECT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 40 && table().hasFocus(); }));
  }

  static v1::Job numbered_job(int number) {
    v1::Job job;
    job.mutable_spec()->mutable_video()->set_input(fmt::format("/media/in{:02}.ts", number));
    job.mutable_spec()->mutable_video()->set_output(fmt::format("/media/out{:02}.mkv", number));
    job.mutable_settings()->set_owner(number % 2 == 0 ? "anna" : "bob");
    job.mutable_submit_time()->set_seconds(1790000000 + number);
    job.set_state(number == 0 ? v1::JOB_STATE_RUNNING : v1::JOB_STATE_QUEUED);
    return job;
  }
  QTableView& table() { return window_.jobs().table(); }
  QLineEdit& line() { return *window_.jobs().findChild<QLineEdit*>(); }
  QString id(int number) const { return QString::fromStdString(ids_[size_t(number)]); }
  int row(int number) { return fleet_.jobs().row_of(server_, id(number)); }
  void choose(const std::vector<int>& numbers) {
    table().clearSelection();
    for (const int number : numbers)
      table().selectionModel()->setCurrentIndex(fleet_.jobs().index(row(number), 0),
                                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
  }
  bool is_in_view(int number) {
    const QRect place = table().visualRect(fleet_.jobs().index(row(number), 0));
    return table().viewport()->rect().contains(place);
  }
  // Of whom the pane below tells; "" while it tells of none.
  QString job_in_detail() {
    const auto* facts = window_.jobs().detail().findChild<QTreeWidget*>();
    const auto found = facts->findItems("Id", Qt::MatchExactly, 0);
    return found.isEmpty() ? QString() : found[0]->text(1);
  }
  bool detail_comes(int number) {
    return wait_until([&] { return job_in_detail() == id(number); });
  }
  QString count() { return window_.jobs().findChild<QLabel*>("count")->text(); }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
  std::vector<std::string> ids_;
};

// --- The pane below -----------------------------------------------------------------------------------------

TEST_F(JobsViewTest, NoJobIsShownUntilOneIsChosen) {
  QTest::keyClick(&table(), Qt::Key_Right);  // makes a row the current one
  ASSERT_TRUE(wait_until([&] { return window_.is_settled() && window_.jobs().is_settled(); }));
  const bool is_chosen = table().selectionModel()->hasSelection();
  EXPECT_EQ(job_in_detail(),
            is_chosen ? fleet_.jobs().job_at(table().currentIndex().row()).job.id : QString());
  table().clearSelection();
  table().setCurrentIndex({});
  EXPECT_EQ(job_in_detail(), "");
  EXPECT_FALSE(window_.jobs().detail().findChild<QLabel*>()->text().isEmpty());
  choose({5});
  EXPECT_TRUE(detail_comes(5));
}

TEST_F(JobsViewTest, TheDetailIsClearedWhenItsRowLeavesTheFilter) {
  choose({5});
  ASSERT_TRUE(detail_comes(5));
  QTest::keyClicks(&line(), "in07");
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 1; }));
  EXPECT_FALSE(table().selectionModel()->hasSelection());
  EXPECT_EQ(job_in_detail(), "");
  line().clear();
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 40; }));
  EXPECT_EQ(job_in_detail(), "") << "nobody chose one since";
}

TEST_F(JobsViewTest, TheDetailIsClearedWhenItsJobEndsUnderAFilterOfItsState) {
  const QModelIndex node = fleet_.tree().server_index(server_);
  for (int i = 0; i < fleet_.tree().rowCount(node); i++)
    if (const QModelIndex each = fleet_.tree().index(i, 0, node);
        fleet_.tree().scope_of(each).state == v1::JOB_STATE_QUEUED)
      window_.tree().setCurrentIndex(each);
  ASSERT_EQ(fleet_.jobs().rowCount(), 39);
  choose({5});
  ASSERT_TRUE(detail_comes(5));
  daemon_.change(ids_[5], [](v1::Job& job) { job.set_state(v1::JOB_STATE_RUNNING); });
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 38; }));
  EXPECT_EQ(job_in_detail(), "");
}

TEST_F(JobsViewTest, OfSeveralTheOneThatIsStillChosenIsShown) {
  choose({5, 7});
  ASSERT_TRUE(detail_comes(7));
  table().selectionModel()->select(fleet_.jobs().index(row(7), 0),
                                   QItemSelectionModel::Deselect | QItemSelectionModel::Rows);
  EXPECT_TRUE(detail_comes(5));
}

// --- Chosen rows --------------------------------------------------------------------------------------------

TEST_F(JobsViewTest, HowManyAreChosenIsSaid) {
  choose({5});
  EXPECT_EQ(count(), "Jobs: 40") << "one is seen";
  choose({5, 7, 9});
  EXPECT_EQ(count(), "Jobs: 40, 3 selected");
  QTest::keyClicks(&line(), "anna");
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 20; }));
  EXPECT_EQ(count(), "Jobs: 20 of 40") << "rows that are not shown are not chosen";
}

TEST_F(JobsViewTest, TheChosenRowStaysInViewAfterASort) {
  choose({39});
  ASSERT_TRUE(is_in_view(39)) << "the newest is the first";
  table().sortByColumn(int(JobColumn::kFiles), Qt::AscendingOrder);
  EXPECT_EQ(row(39), 39);
  EXPECT_TRUE(is_in_view(39));
}

TEST_F(JobsViewTest, TheChosenRowStaysInViewAsJobsCome) {
  choose({39});
  for (int i = 40; i < 80; i++) daemon_.add(numbered_job(i));
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 80; }));
  EXPECT_EQ(row(39), 40);
  EXPECT_TRUE(is_in_view(39));
}

TEST_F(JobsViewTest, ASortDoesNotPullTheViewToARowThatWasOutOfIt) {
  choose({39});
  table().scrollToBottom();
  ASSERT_FALSE(is_in_view(39));
  const int place = table().verticalScrollBar()->value();
  daemon_.add(numbered_job(40));
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 41; }));
  EXPECT_EQ(table().verticalScrollBar()->value(), place);
}

}  // namespace
}  // namespace weft::gui
