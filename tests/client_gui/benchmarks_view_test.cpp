// SPDX-License-Identifier: Apache-2.0
// Tests the benchmarks view with a fake daemon: runs, cases, plot, comparison, files.
#include "client_gui/views/benchmarks_view.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QTest>

#include <gmock/gmock.h>

#include "client/benchmark_results.h"
#include "client_gui/forms/job_form.h"
#include "client_gui/views/benchmark_plot_view.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/submit_view.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

using ::testing::HasSubstr;

void add_case(v1::BenchmarkResult& result, v1::BenchmarkName benchmark, const std::string& variant,
              double units, double seconds) {
  v1::Measurement& each = *result.add_measurements();
  each.set_benchmark(benchmark);
  each.set_variant(variant);
  each.set_size(fmt::format("{:.0f}", units));
  each.set_units(units);
  each.set_unit("element");
  each.set_runs(11);
  each.set_median_seconds(seconds);
  each.set_quartile_seconds(seconds / 50);
  each.set_bytes(8 * units);
  each.set_limit("memory");
  each.set_limit_seconds(seconds / 4);
}

// Returns a benchmark job. `second` is the time of its measurement, `slow` a factor on the times of
// copies.
v1::Job measured(int64_t second, double slow) {
  v1::Job job;
  job.mutable_spec()->mutable_benchmark();
  job.set_state(v1::JOB_STATE_SUCCEEDED);
  v1::BenchmarkResult& result = *job.mutable_result()->mutable_benchmark();
  result.mutable_conditions()->set_device("cuda:0");
  result.mutable_conditions()->set_device_name("A device of a test");
  result.mutable_conditions()->mutable_time()->set_seconds(1790000000 + second);
  add_case(result, v1::BENCHMARK_NAME_VECTOR, "copy", 1 << 20, 1e-3 * slow);
  add_case(result, v1::BENCHMARK_NAME_VECTOR, "copy", 1 << 10, 1e-6 * slow);
  add_case(result, v1::BENCHMARK_NAME_VECTOR, "add", 1 << 20, 2e-3);
  add_case(result, v1::BENCHMARK_NAME_GEMM, "tiles", 512, 3e-3);
  v1::Measurement& wrong = *result.add_measurements();
  wrong.set_benchmark(v1::BENCHMARK_NAME_FFT);
  wrong.set_variant("4x4");
  wrong.set_fault("The line 3 is wrong.");
  return job;
}

class BenchmarksViewTest : public ::testing::Test {
 protected:
  BenchmarksViewTest() {
    v1::Job other;
    other.mutable_spec()->mutable_video()->set_input("/media/in.ts");
    other.set_state(v1::JOB_STATE_SUCCEEDED);
    daemon_.add(other);
    old_ = daemon_.add(measured(0, 2));
    new_ = daemon_.add(measured(100, 1));
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show_view("benchmarks");
    window_.show();
    window_.activateWindow();
  }
  BenchmarksView& view() { return window_.benchmarks(); }
  QAbstractItemModel& runs() { return *view().runs().model(); }
  QAbstractItemModel& cases() { return *view().cases().model(); }
  bool wait_for_runs(int count) {
    return wait_until([&] { return runs().rowCount() == count && view().is_settled(); });
  }
  std::string text(int row, CaseColumn column) {
    return cases().index(row, int(column)).data().toString().toStdString();
  }
  QComboBox& box(const QString& name) {
    for (QComboBox* each : view().findChildren<QComboBox*>())
      if (each->accessibleName() == name) return *each;
    throw std::runtime_error("there is no such box");
  }
  // Selects an entry by a click, as a user does.
  void choose(const QString& name, int index) {
    QComboBox& chosen = box(name);
    while (chosen.currentIndex() > index) QTest::keyClick(&chosen, Qt::Key_Up);
    while (chosen.currentIndex() < index) QTest::keyClick(&chosen, Qt::Key_Down);
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
  std::string old_, new_;
};

TEST_F(BenchmarksViewTest, TheNewestRunIsShownFirst) {
  ASSERT_TRUE(wait_for_runs(2)) << "a job of another kind is left out";
  EXPECT_EQ(runs().index(0, int(RunColumn::kDevice)).data().toString(), "cuda:0");
  EXPECT_EQ(runs().index(0, int(RunColumn::kName)).data().toString(), "A device of a test");
  EXPECT_EQ(runs().index(0, int(RunColumn::kCases)).data().toString(), "5, 1 not timed");
  EXPECT_EQ(runs().index(0, int(RunColumn::kBenchmarks)).data().toString(), "vector, gemm, fft");
  EXPECT_EQ(view().runs().currentIndex().row(), 0);
  ASSERT_EQ(cases().rowCount(), 5);
  EXPECT_EQ(text(0, CaseColumn::kBenchmark), "vector");
  EXPECT_EQ(text(0, CaseColumn::kVariant), "copy");
  EXPECT_EQ(text(0, CaseColumn::kSize), "1048576");
  EXPECT_EQ(text(0, CaseColumn::kTime), "1.000 ms");
  EXPECT_EQ(text(0, CaseColumn::kSpread), "2.0%");
  EXPECT_EQ(text(0, CaseColumn::kRate), "8.39 GB/s");
  EXPECT_EQ(text(0, CaseColumn::kLimit), "memory");
  EXPECT_EQ(text(0, CaseColumn::kShare), "25%");
  EXPECT_EQ(text(4, CaseColumn::kTime), "-");
  EXPECT_EQ(text(4, CaseColumn::kNote), "The line 3 is wrong.");
  EXPECT_TRUE(view().cases().isColumnHidden(int(CaseColumn::kFactor))) << "nothing is compared";
  EXPECT_TRUE(view().cases().isColumnHidden(int(CaseColumn::kInput))) << "no case has one";
}

TEST_F(BenchmarksViewTest, ThePlotIsOfTheBenchmarkThatIsLookedAt) {
  ASSERT_TRUE(wait_for_runs(2));
  EXPECT_EQ(view().plot().plot().lines.size(), 2u) << "copy and add";
  view().cases().selectRow(3);
  EXPECT_EQ(view().plot().plot().lines.size(), 1u) << "of gemm";
  EXPECT_FALSE(view().cases().isColumnHidden(int(CaseColumn::kBenchmark)));
  choose("Benchmark", 1);
  EXPECT_EQ(cases().rowCount(), 3);
  EXPECT_TRUE(view().cases().isColumnHidden(int(CaseColumn::kBenchmark))) << "it is said above";
  EXPECT_EQ(view().plot().plot().lines.size(), 2u);
  EXPECT_EQ(view().plot().plot().value_marks.back().text, "10 ms");
  choose("Plotted value", 1);
  EXPECT_EQ(view().plot().plot().value_marks.back().text, "100%");
  choose("Benchmark", 3);
  EXPECT_TRUE(view().plot().plot().lines.empty()) << "nothing of fft was timed";
  EXPECT_FALSE(view().plot().grab().isNull());
}

TEST_F(BenchmarksViewTest, CasesAreSortedByNumbersAndAgainAsMeasured) {
  ASSERT_TRUE(wait_for_runs(2));
  view().cases().sortByColumn(int(CaseColumn::kTime), Qt::DescendingOrder);
  EXPECT_EQ(text(0, CaseColumn::kTime), "3.000 ms");
  EXPECT_EQ(text(3, CaseColumn::kTime), "1.00 us");
  view().cases().selectRow(0);
  EXPECT_EQ(view().plot().plot().lines[0].name, "tiles") << "the row as it is shown";
  view().cases().sortByColumn(-1, Qt::AscendingOrder);
  EXPECT_EQ(text(0, CaseColumn::kTime), "1.000 ms");
}

TEST_F(BenchmarksViewTest, ARunIsComparedWithAnotherOne) {
  ASSERT_TRUE(wait_for_runs(2));
  choose("Compare with", 1);
  EXPECT_FALSE(view().cases().isColumnHidden(int(CaseColumn::kFactor)));
  EXPECT_EQ(text(0, CaseColumn::kFactor), "2.00x") << "the other took twice as long";
  EXPECT_EQ(text(0, CaseColumn::kNote), "");
  EXPECT_EQ(text(2, CaseColumn::kFactor), "1.00x");
  EXPECT_EQ(text(2, CaseColumn::kNote), "within the spread");
  EXPECT_EQ(text(4, CaseColumn::kFactor), "") << "it was not timed";
  EXPECT_EQ(view().plot().plot().others.size(), 2u);
  view().runs().selectRow(1);
  EXPECT_EQ(box("Compare with").count(), 2);
  EXPECT_EQ(box("Compare with").currentIndex(), 0) << "no run is compared with itself";
  choose("Compare with", 1);
  EXPECT_EQ(text(0, CaseColumn::kFactor), "0.50x");
}

TEST_F(BenchmarksViewTest, ARunThatEndsComesOnTop) {
  ASSERT_TRUE(wait_for_runs(2));
  v1::Job job = measured(200, 1);
  job.set_state(v1::JOB_STATE_RUNNING);
  const std::string id = daemon_.add(job);
  daemon_.change(id, [](v1::Job& each) { each.set_state(v1::JOB_STATE_SUCCEEDED); });
  ASSERT_TRUE(wait_for_runs(3));
  EXPECT_EQ(view().runs().currentIndex().row(), 0) << "who looks at the newest goes on to it";
  view().runs().selectRow(2);
  daemon_.forget(id);
  ASSERT_TRUE(wait_for_runs(2));
  EXPECT_EQ(view().runs().currentIndex().row(), 1) << "the same run";
}

TEST_F(BenchmarksViewTest, ARunIsWrittenForOtherPrograms) {
  ASSERT_TRUE(wait_for_runs(2));
  const v1::BenchmarkResult result = daemon_.job(new_).result().benchmark();
  EXPECT_EQ(view().file(BenchmarkFile::kCsv).toStdString(), client::to_csv(result));
  const auto read = client::parse_result(view().file(BenchmarkFile::kJson).toStdString());
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->SerializeAsString(), result.SerializeAsString());
  EXPECT_THAT(view().file(BenchmarkFile::kHtml).toStdString(), HasSubstr("The line 3 is wrong."));
  QMenu* menu = view().findChild<QMenu*>();
  ASSERT_NE(menu, nullptr);
  ASSERT_EQ(menu->actions().size(), 3);
  menu->actions()[1]->trigger();
  QFileDialog* dialog = nullptr;
  ASSERT_TRUE(wait_until([&] { return (dialog = view().findChild<QFileDialog*>()) != nullptr; }));
  const QString path = QString::fromStdString(daemon_.folder() + "/result.json");
  emit dialog->fileSelected(path);
  dialog->close();
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::ReadOnly));
  EXPECT_EQ(file.readAll(), view().file(BenchmarkFile::kJson));
}

TEST_F(BenchmarksViewTest, TheFormOpensWithTheKindChosen) {
  ASSERT_TRUE(wait_for_runs(2));
  QTest::mouseClick(view().findChild<QPushButton*>("run"), Qt::LeftButton);
  EXPECT_TRUE(window_.submit().isVisible());
  EXPECT_EQ(window_.submit().form().kind().name, "bench");
}

TEST_F(BenchmarksViewTest, WhatWasKnownStaysWhenTheServerGoes) {
  ASSERT_TRUE(wait_for_runs(2));
  daemon_.stop();
  ASSERT_TRUE(wait_until([&] { return fleet_.link(server_).state == LinkState::kOffline; }));
  EXPECT_EQ(runs().rowCount(), 2);
  EXPECT_TRUE(view().is_settled());
  fleet_.remove(server_);
  EXPECT_EQ(runs().rowCount(), 0);
  EXPECT_EQ(cases().rowCount(), 0);
  EXPECT_TRUE(view().file(BenchmarkFile::kCsv).isEmpty());
}

TEST(BenchmarksView, SaysThatNothingWasMeasured) {
  test::FakeServer daemon;
  Fleet fleet;
  MainWindow window(fleet);
  ASSERT_TRUE(fleet.add(QString::fromStdString(daemon.address())).ok());
  window.show_view("benchmarks");
  window.show();
  EXPECT_TRUE(wait_until([&] {
    const auto labels = window.benchmarks().findChildren<QLabel*>();
    return std::any_of(labels.begin(), labels.end(), [](const QLabel* label) {
      return label->isVisible() && label->text().startsWith("No benchmark runs yet");
    });
  }));
}

TEST(BenchmarkModels, KeepWhatModelsPromise) {
  BenchmarkRunsModel runs;
  BenchmarkCasesModel cases;
  const auto mode = QAbstractItemModelTester::FailureReportingMode::Warning;
  const QAbstractItemModelTester runs_tester(&runs, mode), cases_tester(&cases, mode);
  const v1::BenchmarkResult slow = measured(0, 2).result().benchmark(),
                            fast = measured(1, 1).result().benchmark();
  auto both = std::make_shared<BenchmarkRuns>();
  both->runs = {{"b", fast}, {"a", slow}};
  runs.set_runs(both);
  EXPECT_EQ(runs.row_of("a"), 1);
  const QPersistentModelIndex row = runs.index(1, 0);
  runs.set_runs(std::make_shared<BenchmarkRuns>(*both));
  EXPECT_TRUE(row.isValid()) << "the same jobs";
  cases.show(fast, v1::BENCHMARK_NAME_GEMM, &slow);
  EXPECT_EQ(cases.rowCount(), 1);
  runs.set_runs(nullptr);
  EXPECT_EQ(runs.run(0), nullptr);
}

}  // namespace
}  // namespace weft::gui
