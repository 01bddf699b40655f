// SPDX-License-Identifier: Apache-2.0
// Tests the jobs table with the details below it: selection and visible rows.
#include "client_gui/views/jobs_view.h"

#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QTableView>
#include <QTest>
#include <QTreeWidget>

#include <gmock/gmock.h>

#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/link_banner.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/pinned_columns.h"
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
    // A banner would reduce the height of the table.
    EXPECT_TRUE(wait_until([&] { return !window_.findChild<LinkBanner*>()->isVisible(); }));
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
  // Returns the job in the details, or "" if there is none.
  QString job_in_detail() {
    const auto* properties = window_.jobs().detail().findChild<QTreeWidget*>();
    const auto found = properties->findItems("ID", Qt::MatchExactly, 0);
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

// --- The pane below ------------------------------------------------------------------------------

TEST_F(JobsViewTest, NoJobIsShownUntilOneIsChosen) {
  QTest::keyClick(&table(), Qt::Key_Right);  // sets the current row
  ASSERT_TRUE(wait_until([&] { return window_.is_settled() && window_.jobs().is_settled(); }));
  const bool is_chosen = table().selectionModel()->hasSelection();
  EXPECT_EQ(job_in_detail(),
            is_chosen ? fleet_.jobs().job_at(table().currentIndex().row()).job.id : QString());
  table().clearSelection();
  table().setCurrentIndex({});
  EXPECT_EQ(job_in_detail(), "");
  EXPECT_FALSE(window_.jobs().detail().currentWidget()->findChild<QLabel*>()->text().isEmpty());
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

// --- Chosen rows ---------------------------------------------------------------------------------

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
  daemon_.add(numbered_job(40));
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 41; }));
  EXPECT_FALSE(is_in_view(39));
}

// --- The search ----------------------------------------------------------------------------------

TEST_F(JobsViewTest, EscapeClearsTheSearchAndLeavesIt) {
  QTest::keyClick(&window_, Qt::Key_Slash);
  ASSERT_TRUE(wait_until([&] { return line().hasFocus(); }));
  QTest::keyClicks(&line(), "in07");
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 1; }));
  QTest::keyClick(&line(), Qt::Key_Escape);
  EXPECT_EQ(line().text(), "");
  EXPECT_EQ(fleet_.jobs().rowCount(), 40);
  EXPECT_TRUE(table().hasFocus());
}

TEST_F(JobsViewTest, DownAndEnterGoFromTheSearchToTheFirstJob) {
  for (const Qt::Key key : {Qt::Key_Down, Qt::Key_Return, Qt::Key_Enter}) {
    line().setFocus();
    line().clear();
    table().clearSelection();
    QTest::keyClicks(&line(), "in1");
    QTest::keyClick(&line(), key);
    EXPECT_EQ(fleet_.jobs().rowCount(), 10) << "what was typed counts at once";
    EXPECT_TRUE(table().hasFocus());
    EXPECT_TRUE(table().selectionModel()->isRowSelected(0));
  }
}

TEST_F(JobsViewTest, WordsAreFoundInTheColumnsThatAreShown) {
  const auto found = [&](const QString& text) {
    line().setFocus();  // Otherwise the table would receive the key.
    line().setText(text);
    QTest::keyClick(&line(), Qt::Key_Return);
    return fleet_.jobs().rowCount();
  };
  EXPECT_EQ(found("anna"), 20);
  EXPECT_EQ(found("video"), 0) << "the kind is not shown";
  EXPECT_EQ(found("kind:video"), 40) << "a field may be asked for all the same";
  table().setColumnHidden(int(JobColumn::kKind), false);
  EXPECT_EQ(found("video"), 40);
  table().setColumnHidden(int(JobColumn::kOwner), true);
  EXPECT_EQ(found("anna"), 0);
  EXPECT_EQ(found("owner:anna state:running"), 1);
}

// --- Columns -------------------------------------------------------------------------------------

TEST_F(JobsViewTest, TheColumnsFitAWindowOf1400Pixels) {
  EXPECT_FALSE(table().horizontalScrollBar()->isVisible());
  EXPECT_EQ(table().horizontalScrollBar()->maximum(), 0);
  for (const JobColumn column : {JobColumn::kState, JobColumn::kDone, JobColumn::kFiles, JobColumn::kLabels,
                                 JobColumn::kNote, JobColumn::kAge, JobColumn::kEnded})
    EXPECT_FALSE(table().isColumnHidden(int(column))) << title_of(column).toStdString();
  window_.resize(1600, 900);
  EXPECT_EQ(table().horizontalHeader()->length(), table().viewport()->width()) << "the rest is shared";
  table().setColumnWidth(int(JobColumn::kFiles), 300);
  window_.resize(1500, 900);
  EXPECT_EQ(table().columnWidth(int(JobColumn::kFiles)), 300) << "a person chose that width";
}

TEST_F(JobsViewTest, TheSortIsMarkedFromTheStart) {
  const QHeaderView& header = *table().horizontalHeader();
  EXPECT_TRUE(header.isSortIndicatorShown());
  EXPECT_EQ(header.sortIndicatorSection(), int(JobColumn::kAge));
  EXPECT_FALSE(table().isColumnHidden(int(JobColumn::kAge)));
  EXPECT_LT(table().columnViewportPosition(int(JobColumn::kAge)), table().viewport()->width());
}

TEST_F(JobsViewTest, StateAndDoneStayInViewWhileScrolledSideways) {
  auto* pinned = table().findChild<PinnedColumns*>();
  EXPECT_FALSE(pinned->isVisible());
  window_.resize(900, 600);
  table().horizontalScrollBar()->setValue(table().horizontalScrollBar()->maximum());
  ASSERT_GT(table().horizontalScrollBar()->value(), 0);
  ASSERT_TRUE(pinned->isVisible());
  EXPECT_EQ(pinned->viewport()->width(),
            table().columnWidth(int(JobColumn::kState)) + table().columnWidth(int(JobColumn::kDone)));
  EXPECT_FALSE(pinned->isColumnHidden(int(JobColumn::kDone)));
  EXPECT_TRUE(pinned->isColumnHidden(int(JobColumn::kFiles)));
  const auto top_of = [](QTableView& view, int row) {
    return view.viewport()->mapToGlobal(QPoint(0, view.rowViewportPosition(row))).y();
  };
  table().verticalScrollBar()->setValue(7);
  EXPECT_EQ(top_of(*pinned, 9), top_of(table(), 9)) << "rows stand next to themselves";
  QTest::mouseClick(pinned->viewport(), Qt::LeftButton, {}, {10, pinned->rowViewportPosition(9) + 5});
  EXPECT_TRUE(table().selectionModel()->isRowSelected(9));
  EXPECT_EQ(table().horizontalScrollBar()->value(), table().horizontalScrollBar()->maximum())
      << "it is in view";
  EXPECT_TRUE(table().hasFocus());
  const int x = pinned->horizontalHeader()->sectionViewportPosition(int(JobColumn::kState)) + 10;
  QTest::mouseClick(pinned->horizontalHeader()->viewport(), Qt::LeftButton, {}, {x, 5});
  EXPECT_EQ(table().horizontalHeader()->sortIndicatorSection(), int(JobColumn::kState));
  table().setCurrentIndex(fleet_.jobs().index(9, int(JobColumn::kFiles)));
  EXPECT_GE(table().columnViewportPosition(int(JobColumn::kFiles)), pinned->isVisible() ? pinned->width() : 0)
      << "the current cell is not covered";
  table().horizontalScrollBar()->setValue(0);
  EXPECT_FALSE(pinned->isVisible());
}

TEST_F(JobsViewTest, OfLongNamesTheEndIsShown) {
  v1::Job job = numbered_job(50);
  job.mutable_spec()->mutable_video()->set_input(
      "/media/programme-evening-news-of-the-second-channel-0017.ts");
  const std::string long_id = daemon_.add(job);
  ASSERT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 41; }));
  // Names that differ only at their ends have cells with different texts.
  const auto cell = [&] {
    const int at = fleet_.jobs().row_of(server_, QString::fromStdString(long_id));
    const QRect place = table().visualRect(fleet_.jobs().index(at, int(JobColumn::kFiles)));
    return table().viewport()->grab(place).toImage();
  };
  const QImage before = cell();
  daemon_.change(long_id, [](v1::Job& each) {
    each.mutable_spec()->mutable_video()->set_input(
        "/media/programme-evening-news-of-the-second-channel-0018.ts");
  });
  ASSERT_TRUE(wait_until([&] {
    return fleet_.jobs()
        .job_at(fleet_.jobs().row_of(server_, QString::fromStdString(long_id)))
        .job.files.contains("0018");
  }));
  EXPECT_NE(cell(), before);
}

TEST_F(JobsViewTest, TheServerIsAColumnWhereThereAreSeveral) {
  EXPECT_TRUE(table().isColumnHidden(int(JobColumn::kServer)));
  test::FakeServer second;
  const int number = fleet_.add(QString::fromStdString(second.address())).value();
  EXPECT_FALSE(table().isColumnHidden(int(JobColumn::kServer)));
  fleet_.remove(number);
  EXPECT_TRUE(table().isColumnHidden(int(JobColumn::kServer)));
}

}  // namespace
}  // namespace weft::gui
