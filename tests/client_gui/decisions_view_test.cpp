// SPDX-License-Identifier: Apache-2.0
// Tests the charts of a job's decisions: their sections and texts, zooming, and the picture.
#include "client_gui/views/decisions_view.h"

#include <QApplication>
#include <QFileDialog>
#include <QLabel>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>
#include <QWheelEvent>

#include <gmock/gmock.h>

#include "client_gui/models/decision_text.h"
#include "client_gui/views/decision_chart.h"
#include "client_gui/views/job_detail_view.h"
#include "client_gui/views/jobs_table.h"
#include "client_gui/views/jobs_view.h"
#include "client_gui/views/main_window.h"
#include "client_gui/views/theme.h"
#include "tests/client/fake_server.h"
#include "tests/client_gui/events.h"

namespace weft::gui {
namespace {

// Returns a decision with a section of a second for each kind.
DecisionRow decision_of(const std::vector<int>& kinds) {
  DecisionRow row{QStringLiteral("filters[0].any"),
                  QStringLiteral("Half of it."),
                  {"slow", "even", "quick"},
                  {{QStringLiteral("number"), true}, {QStringLiteral("cost"), false}},
                  {}};
  for (size_t i = 0; i < kinds.size(); i++)
    row.sections.push_back(
        {int64_t(i) * 30, 30, double(i), double(i + 1), kinds[i], {double(i), double(kinds[i])}});
  return row;
}

QColor pixel(DecisionChart& chart, const QPoint& at) { return chart.grab().toImage().pixelColor(at); }

TEST(DecisionChart, TheStripShowsTheKindOfEachSection) {
  DecisionChart chart(decision_of({0, 0, 1, 2}));
  chart.resize(chart.sizeHint());
  const QRect strip = chart.strip();
  for (int quarter = 0; quarter < 4; quarter++) {
    const QPoint middle(strip.left() + strip.width() * (2 * quarter + 1) / 8, strip.center().y());
    EXPECT_EQ(pixel(chart, middle), colour_of_kind(quarter < 2 ? 0 : size_t(quarter) - 1)) << quarter;
    EXPECT_EQ(chart.section_at(middle), quarter);
  }
  EXPECT_EQ(chart.section_at({strip.left() - 2, strip.center().y()}), -1);
  EXPECT_EQ(chart.words_of(2).toStdString(),
            "0:00:02.00 to 0:00:03.00, frames 60 to 89, even, number 2, cost 1");
}

// With more sections than columns, each column shows the shares of the kinds.
TEST(DecisionChart, AColumnShowsTheSharesOfItsSections) {
  std::vector<int> kinds;
  for (int i = 0; i < 100'000; i++) kinds.push_back(i % 4 == 0 ? 2 : 0);
  DecisionChart chart(decision_of(kinds));
  chart.resize(chart.sizeHint());
  const QRect strip = chart.strip();
  const auto at = [&](double height) {
    return pixel(chart, {strip.center().x(), strip.top() + int(height * strip.height())});
  };
  EXPECT_EQ(at(0.1), colour_of_kind(0));
  EXPECT_EQ(at(0.6), colour_of_kind(0));
  EXPECT_EQ(at(0.9), colour_of_kind(2));
  EXPECT_THAT(shares_of(chart.decision()), testing::ElementsAre(0.75, 0, 0.25));
}

TEST(DecisionChart, ZoomingStaysWithinTheDecision) {
  DecisionChart chart(decision_of({0, 1, 2, 0, 1, 2, 0, 1}));
  chart.resize(chart.sizeHint());
  const DecisionChart::Span whole{0, 8};
  EXPECT_EQ(chart.span(), whole);
  QTest::keyClick(&chart, Qt::Key_Minus);
  EXPECT_EQ(chart.span(), whole);
  const QPoint right(chart.strip().right(), chart.strip().center().y());
  QWheelEvent wheel(right, chart.mapToGlobal(right), {}, {0, 1200}, Qt::NoButton, Qt::ControlModifier,
                    Qt::NoScrollPhase, false);
  QApplication::sendEvent(&chart, &wheel);
  EXPECT_LT(chart.span().length(), 1);
  EXPECT_NEAR(chart.span().end, 8, 0.02) << "the time below the pointer stays there";
  EXPECT_EQ(pixel(chart, chart.strip().center()), colour_of_kind(1));
  chart.set_span({-5, -3});
  EXPECT_EQ(chart.span(), (DecisionChart::Span{0, 2}));
  QTest::mouseDClick(&chart, Qt::LeftButton, {}, chart.strip().center());
  EXPECT_EQ(chart.span(), whole);
}

TEST(DecisionChart, KeysSelectSections) {
  DecisionChart chart(decision_of({0, 1, 2, 0}));
  chart.resize(chart.sizeHint());
  QTest::keyClick(&chart, Qt::Key_Right);
  EXPECT_EQ(chart.selected(), 0);
  for (int i = 0; i < 5; i++) QTest::keyClick(&chart, Qt::Key_Right);
  EXPECT_EQ(chart.selected(), 3);
  chart.set_span({0, 1});
  QTest::keyClick(&chart, Qt::Key_Left);
  EXPECT_EQ(chart.selected(), 2);
  EXPECT_EQ(chart.span(), (DecisionChart::Span{2, 3})) << "the selected section is visible";
  EXPECT_EQ(chart.accessibleDescription(), chart.words_of(2));
}

TEST(DecisionText, AxesHaveUsualSteps) {
  EXPECT_EQ(axis_step(0.3), 0.5);
  EXPECT_EQ(axis_step(7), 10);
  EXPECT_EQ(axis_step(400), 600);
  EXPECT_EQ(axis_step(10000), 14400);
  EXPECT_EQ(axis_text(2.9999999, 0.5).toStdString(), "0:00:03.0");
  EXPECT_EQ(axis_text(3723, 60).toStdString(), "1:02:03");
}

constexpr const char* kFile = R"({"version": 1, "decisions": [
  {"analysis": "filters[0].any/first", "report": "All is well.", "unheard_of": 3,
   "timeline": {"kinds": ["a", "b"], "series": [{"name": "n", "is_identifier": true}, {"name": "cost"}],
     "sections": [{"frames": "5", "end": 0.5, "kind": "a", "values": [3, 0.25]},
                  {"first_frame": "5", "frames": "5", "begin": 0.5, "end": 1, "kind": "b", "values": [4, 2]},
                  {"first_frame": "10", "frames": "5", "begin": 1, "end": 2, "kind": "c", "values": [4, 2]},
                  {"first_frame": "10", "frames": "5", "begin": 1, "end": 2, "kind": "b", "values": [4]}]}},
  {"analysis": "filters[0].any/second", "map": {"frames": ["0 0 1"]}}]})";

class DecisionsViewTest : public ::testing::Test {
 protected:
  DecisionsViewTest() {
    v1::Job job;
    job.mutable_spec()->mutable_video()->set_input("/in.ts");
    job.mutable_spec()->mutable_video()->set_output("/out.mkv");
    job.set_state(v1::JOB_STATE_RUNNING);
    id_ = daemon_.add(job);
    server_ = fleet_.add(QString::fromStdString(daemon_.address())).value();
    window_.show();
    EXPECT_TRUE(wait_until([&] { return fleet_.jobs().rowCount() == 1; }));
    window_.jobs().table().selectRow(0);
  }
  JobDetailView& detail() { return window_.jobs().detail(); }
  DecisionsView& view() { return detail().decisions(); }
  QString message() { return view().findChild<QLabel*>()->text(); }
  void end_job() {
    daemon_.change(id_, [](v1::Job& job) {
      job.set_state(v1::JOB_STATE_SUCCEEDED);
      job.mutable_end_time()->set_seconds(1790000100);
    });
  }

  test::FakeServer daemon_;
  Fleet fleet_;
  MainWindow window_{fleet_};
  int server_ = 0;
  std::string id_;
};

TEST_F(DecisionsViewTest, ShowsTheDecisionsOfAJob) {
  detail().setCurrentWidget(&view());
  ASSERT_TRUE(wait_until([&] { return message().contains("no decisions yet"); })) << qPrintable(message());
  daemon_.set_decisions(id_, kFile);
  end_job();
  ASSERT_TRUE(wait_until([&] { return view().charts().size() == 1; }));
  const DecisionChart& chart = *view().charts()[0];
  EXPECT_EQ(chart.decision().analysis, "filters[0].any/first");
  EXPECT_EQ(chart.decision().sections.size(), 2u) << "the others do not match the kinds and series";
  EXPECT_EQ(chart.words_of(1).toStdString(), "0:00:00.50 to 0:00:01.00, frames 5 to 9, b, n 4, cost 2");
  EXPECT_TRUE(message().startsWith("Ctrl+wheel")) << qPrintable(message());
  QTest::mouseMove(view().charts()[0], chart.strip().center() + QPoint(2, 0));
  EXPECT_TRUE(wait_until([&] { return message() == chart.words_of(1); })) << qPrintable(message());
  detail().select_job(0, {});
  EXPECT_TRUE(view().charts().empty());
}

TEST_F(DecisionsViewTest, AJobWithoutDecisionsSaysSo) {
  end_job();
  detail().setCurrentWidget(&view());
  EXPECT_TRUE(wait_until([&] { return message().contains("or they were removed"); }))
      << qPrintable(message());
  EXPECT_FALSE(view().findChild<QPushButton*>()->isEnabled());
}

TEST_F(DecisionsViewTest, TextThatIsNoDecisionIsAnError) {
  daemon_.set_decisions(id_, "{");
  detail().setCurrentWidget(&view());
  EXPECT_TRUE(wait_until([&] { return message().contains("not valid JSON"); })) << qPrintable(message());
}

TEST_F(DecisionsViewTest, ThePictureIsSaved) {
  daemon_.set_decisions(id_, kFile);
  detail().setCurrentWidget(&view());
  ASSERT_TRUE(wait_until([&] { return !view().charts().empty(); }));
  view().findChild<QPushButton*>()->click();
  auto* dialog = view().findChild<QFileDialog*>();
  ASSERT_NE(dialog, nullptr);
  const QTemporaryDir folder;
  const QString file = folder.filePath("decisions.png");
  emit dialog->fileSelected(file);
  const QImage saved(file);
  ASSERT_FALSE(saved.isNull());
  // The colours of both kinds fill the strip.
  for (const size_t kind : {0u, 1u}) {
    int pixels = 0;
    for (int x = 0; x < saved.width(); x++)
      for (int y = 0; y < saved.height() / 2; y++)
        pixels += saved.pixelColor(x, y) == colour_of_kind(kind) ? 1 : 0;
    EXPECT_GT(pixels, saved.width() * 10) << kind;
  }
}

}  // namespace
}  // namespace weft::gui
