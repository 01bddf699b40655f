// SPDX-License-Identifier: Apache-2.0
// Tests the statistics view with a fake daemon: table, charts, file.
#include "client_gui/views/statistics_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QLabel>
#include <QTableView>
#include <QTest>

#include <QtCharts/QAbstractBarSeries>
#include <QtCharts/QBarSet>
#include <gmock/gmock.h>

#include "client_gui/models/export.h"
#include "client_gui/views/bar_chart.h"
#include "client_gui/views/main_window.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;

v1::JobTotals totals(int64_t succeeded, int64_t failed, int64_t gpu_seconds) {
  v1::JobTotals result;
  result.set_succeeded(succeeded);
  result.set_failed(failed);
  result.set_units(succeeded * 100);
  result.mutable_gpu_time()->set_seconds(gpu_seconds);
  return result;
}

v1::GetStatisticsResponse two_days() {
  v1::GetStatisticsResponse response;
  for (const char* day : {"2026-11-20", "2026-11-21", "2026-11-22"}) response.add_days()->set_day(day);
  *response.mutable_days(1)->mutable_totals() = totals(4, 0, 40);
  *response.mutable_days(2)->mutable_totals() = totals(8, 3, 90);
  for (const auto& [name, seconds] : {std::pair("ann", 100), {"bob", 30}}) {
    v1::NamedTotals& owner = *response.add_owners();
    owner.set_name(name);
    *owner.mutable_totals() = totals(6, 1, seconds);
  }
  v1::FailureTotals& failure = *response.add_failures();
  failure.set_reason("data-loss");
  failure.set_jobs(3);
  failure.set_newest_message("The file (a, b) is damaged.");
  return response;
}

class StatisticsViewTest : public ::testing::Test {
 protected:
  StatisticsViewTest() {
    daemon_.set_statistics(two_days());
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show_view("statistics");
    window_.show();
    window_.activateWindow();
  }
  StatisticsView& view() { return window_.statistics(); }
  QAbstractItemModel& table() { return *view().table().model(); }
  bool wait_for_rows(int rows) {
    return wait_until([&] { return table().rowCount() == rows; });
  }
  std::string text(int row, StatisticsColumn column) {
    return table().index(row, int(column)).data().toString().toStdString();
  }
  QList<QBarSet*> bars(const QString& chart) {
    for (BarChart* each : view().findChildren<BarChart*>())
      if (each->accessibleName() == chart)
        return qobject_cast<QAbstractBarSeries*>(each->chart()->series().value(0))->barSets();
    return {};
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
};

TEST_F(StatisticsViewTest, TheTableHasARowADayOwnerAndReason) {
  ASSERT_TRUE(wait_for_rows(5)) << "a day without jobs is left out";
  EXPECT_EQ(text(0, StatisticsColumn::kName), "2026-11-22") << "the newest first";
  EXPECT_EQ(text(0, StatisticsColumn::kFailed), "3");
  EXPECT_EQ(text(0, StatisticsColumn::kUnits), "800");
  EXPECT_EQ(text(2, StatisticsColumn::kBy), "owner");
  EXPECT_EQ(text(2, StatisticsColumn::kGpuSeconds), "100.0");
  EXPECT_EQ(text(4, StatisticsColumn::kName), "data-loss");
  EXPECT_EQ(text(4, StatisticsColumn::kSucceeded), "");
  EXPECT_EQ(text(4, StatisticsColumn::kNote), "The file (a, b) is damaged.");
  const QByteArray csv = to_csv(table(), {0, 4});
  EXPECT_THAT(csv.toStdString(), HasSubstr("day,2026-11-22,8,3,0,800,90.0,\r\n"));
  EXPECT_THAT(csv.toStdString(), HasSubstr("failure,data-loss,,3,,,,\"The file (a, b) is damaged.\"\r\n"));
}

TEST_F(StatisticsViewTest, BarsStandForWhatWasChosen) {
  ASSERT_TRUE(wait_for_rows(5));
  ASSERT_EQ(bars("Per day").size(), 3) << "succeeded, failed, cancelled";
  EXPECT_EQ(bars("Per day")[0]->at(2), 8);
  EXPECT_EQ(bars("Per day")[1]->at(2), 3);
  view().findChildren<QComboBox*>()[1]->setCurrentIndex(2);
  ASSERT_EQ(bars("Per day").size(), 1);
  EXPECT_EQ(bars("Per day")[0]->at(1), 40);
  ASSERT_EQ(bars("GPU seconds by owner").size(), 1);
  EXPECT_EQ(bars("GPU seconds by owner")[0]->at(0), 100);
  EXPECT_EQ(bars("Failed jobs by reason")[0]->at(0), 3);
}

TEST_F(StatisticsViewTest, AnotherRangeIsAskedFor) {
  ASSERT_TRUE(wait_for_rows(5));
  EXPECT_EQ(daemon_.statistics_request().days(), 30);
  view().findChildren<QComboBox*>()[0]->setCurrentIndex(2);
  EXPECT_TRUE(wait_until([&] { return daemon_.statistics_request().days() == 90; }));
}

TEST_F(StatisticsViewTest, WhatWasKnownStaysWhenTheServerGoes) {
  ASSERT_TRUE(wait_for_rows(5));
  daemon_.stop();
  ASSERT_TRUE(wait_until([&] { return fleet_.link(server_).state == LinkState::kOffline; }));
  view().ask();
  EXPECT_EQ(table().rowCount(), 5);
  EXPECT_TRUE(view().is_settled());
}

TEST(StatisticsModel, TheSameRowsStay) {
  StatisticsModel model;
  const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Warning);
  Statistics statistics;
  statistics.days = {{"2026-11-22", 1, 0, 0, 10, 1.5}};
  model.set_statistics(statistics);
  const QPersistentModelIndex row = model.index(0, 0);
  statistics.days[0].succeeded = 2;
  model.set_statistics(statistics);
  EXPECT_TRUE(row.isValid());
  EXPECT_EQ(model.index(0, int(StatisticsColumn::kSucceeded)).data().toString(), "2");
  statistics.owners = {{"ann", 2, 0, 0, 20, 3}};
  model.set_statistics(statistics);
  EXPECT_EQ(model.rowCount(), 2);
}

}  // namespace
}  // namespace weft::gui
