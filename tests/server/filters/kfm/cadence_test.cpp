// SPDX-License-Identifier: Apache-2.0
// Tests the cadence of a clip: its text form, and frames of several runs.
#include "server/filters/kfm/cadence.h"

#include <iterator>

#include <gmock/gmock.h>

#include "server/filters/kfm/timeline.h"
#include "weft/v1/options.pb.h"

namespace weft::filters::kfm {
namespace {

Cadence two_runs() {
  FrameRun first{.first_frame = 0, .frames = 12};
  first.cycles = {{.pattern = 0, .score = 9.5}, {.pattern = 7, .is_60p = true}, {.pattern = 20}};
  FrameRun second{.first_frame = 12, .frames = 5, .bottom_first = true};
  second.cycles = {{.pattern = 3, .cost = 0.25, .reliability = 0.125}};
  return Cadence({first, second});
}

TEST(Cadence, ItsTextIsReadAgain) {
  const std::string text = two_runs().to_text();
  EXPECT_EQ(text,
            "run 0 12 top\n"
            "0 0 film 9.500 0.000 0.000\n"
            "5 7 60p 0.000 0.000 0.000\n"
            "10 20 film 0.000 0.000 0.000\n"
            "run 12 5 bottom\n"
            "12 3 film 0.000 0.250 0.125\n");
  const auto read = Cadence::parse(text);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->to_text(), text);
  EXPECT_EQ(read->frames(), 17);
  EXPECT_EQ(read->film_frames(), 8 + 2 + 4);
}

TEST(Cadence, TextWithErrorsIsRefusedWithTheLine) {
  for (const char* text :
       {"", "run 0 5 top\n", "run 1 5 top\n1 0 film 0 0 0\n", "run 0 5 left\n0 0 film 0 0 0\n",
        "0 0 film 0 0 0\n", "run 0 5 top\n0 21 film 0 0 0\n", "run 0 5 top\n0 -1 film 0 0 0\n",
        "run 0 5 top\n0 0 video 0 0 0\n", "run 0 5 top\n0 0 film 0 0\n", "run 0 5 top\n0 0 film 0 0 0 0\n",
        "run 0 5 top\n0 0 film 0 0 0\n5 0 film 0 0 0\n",
        "run 0 10 top\n0 0 film 0 0 0\nrun 10 5 top\n10 0 film 0 0 0\n", "run 0 99999999999999999999 top\n"})
    EXPECT_THAT(Cadence::parse(text), StatusIs(StatusCode::kInvalidArgument, "decision of kfm")) << text;
}

TEST(Cadence, SectionsAreTheCyclesOfTheClip) {
  const Cadence cadence = two_runs();
  TimesOfFrames times;
  for (int64_t n = 0; n < cadence.frames(); n++) times.push_back({1000 + 60 * n, 60});
  FilmTables film;
  for (size_t run = 0; run < cadence.runs().size(); run++)
    film.add({cadence, run, 0, int64_t(cadence.runs()[run].cycles.size()), times});
  // the times of the clip count in halves of the source's unit
  const graph::DecisionSummary summary = cadence.summary(*film.film(), 2);
  struct Expected {
    int64_t first_frame, frames;
    const char* kind;
    std::vector<double> values;
  };
  const Expected expected[] = {{0, 5, "24p film", {0, 9.5, 0, 0}},
                               {5, 5, "60p", {7, 0, 0, 0}},
                               {10, 2, "30p", {20, 0, 0, 0}},
                               {12, 5, "24p film", {3, 0, 0.25, 0.125}}};
  ASSERT_EQ(summary.sections.size(), std::size(expected));
  for (size_t i = 0; i < std::size(expected); i++) {
    const graph::SummarySection& section = summary.sections[i];
    SCOPED_TRACE(i);
    EXPECT_EQ(section.first_frame, expected[i].first_frame);
    EXPECT_EQ(section.frames, expected[i].frames);
    EXPECT_EQ(summary.kinds[size_t(section.kind)], expected[i].kind);
    EXPECT_EQ(section.values, expected[i].values);
    EXPECT_EQ(section.begin, 500 + 30.0 * double(section.first_frame));
    EXPECT_EQ(section.end, section.begin + 30.0 * double(section.frames));
  }
  // 10, 2 and 5 of 17
  EXPECT_EQ(summary.report, "kfm treats 58.8% of 17 source frames as film, 11.8% as 30p and 29.4% as 60p.");
  std::vector<std::string> names = summary.kinds;
  for (const graph::SummarySeries& series : summary.series) names.push_back(series.name);
  const v1::FilterDeclaration& declared = v1::Kfm::descriptor()->options().GetExtension(v1::filter);
  EXPECT_THAT(declared.terms(), testing::ElementsAreArray(names));
}

TEST(Cadence, FieldsShowTheFramesOfTheirCycle) {
  const Cadence cadence = two_runs();
  EXPECT_EQ(cadence.displayed(0, true), (Displayed{FrameKind::k24p, 0}));
  EXPECT_EQ(cadence.displayed(9, true), (Displayed{FrameKind::k24p, 3}));
  EXPECT_EQ(cadence.displayed(13, true), (Displayed{FrameKind::k60p, 13}));
  EXPECT_EQ(cadence.displayed(13, false).kind, FrameKind::k24p);
  EXPECT_EQ(cadence.displayed(21, true), (Displayed{FrameKind::k30p, 10}));
  // the second run has its own cycles
  EXPECT_EQ(cadence.displayed(24, true), (Displayed{FrameKind::k24p, 10}));
  EXPECT_EQ(cadence.film(10).first_field, 23);
  EXPECT_EQ(cadence.film(10).fields, 3);
}

}  // namespace
}  // namespace weft::filters::kfm
