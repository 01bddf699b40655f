// SPDX-License-Identifier: Apache-2.0
// Tests the cadence of a clip: its text form, and frames of several runs.
#include "server/filters/kfm/cadence.h"

#include <gmock/gmock.h>

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
