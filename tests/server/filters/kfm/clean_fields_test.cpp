// SPDX-License-Identifier: Apache-2.0
// Tests the rules for fields with noise: known decisions, and the frames that follow from them.
#include "server/filters/kfm/clean_fields.h"

#include <gmock/gmock.h>

namespace weft::filters::kfm {
namespace {

using By = Replacement::By;

FieldNoise noise_of(double comb, double luma, double chroma, double luma_change = 0,
                    double chroma_change = 0) {
  return {.luma = luma,
          .chroma = chroma,
          .luma_change = luma_change,
          .chroma_change = chroma_change,
          .comb = comb};
}

TEST(CleanFields, ThresholdsAreThoseOfTheTable) {
  EXPECT_EQ(noise_threshold(0, 0), 15);
  EXPECT_EQ(noise_threshold(0, 20), 15);
  EXPECT_EQ(noise_threshold(0, 24), 17.5);
  EXPECT_EQ(noise_threshold(0, 36), 23);
  EXPECT_EQ(noise_threshold(0, 60), 63);
  EXPECT_EQ(noise_threshold(1, 0), 13);
  EXPECT_EQ(noise_threshold(10, 100), 66);
  EXPECT_EQ(noise_threshold(8, 24), 21);
  for (int mode = 1; mode <= 10; mode++)
    for (double noise = 0; noise < 80; noise += 0.5)
      EXPECT_LE(noise_threshold(mode, noise), noise_threshold(mode, noise + 0.5)) << mode;
}

// Decisions with the numbers of the rules.
TEST(CleanFields, PairsAreDecided) {
  const CleanOptions chroma, luma{.chroma = 0};
  const auto kind = [](double comb, const FieldNoise& first, const FieldNoise& second,
                       const CleanOptions& options) {
    FieldNoise measured = first;
    measured.comb = comb;
    return kind_of(measured, second, options);
  };
  const FieldNoise none = noise_of(0, 0, 0);
  EXPECT_EQ(kind(10, none, none, chroma), PairKind::kClean) << "not combed";
  EXPECT_EQ(kind(200, none, none, chroma), PairKind::kClean) << "without noise";
  EXPECT_EQ(kind(200, noise_of(0, 0, 2, 0, 30), noise_of(0, 0, 30), chroma), PairKind::kFirstClean);
  EXPECT_EQ(kind(200, noise_of(0, 0, 30, 0, 30), noise_of(0, 0, 2), chroma), PairKind::kSecondClean);
  EXPECT_EQ(kind(200, noise_of(0, 90, 0, 20), noise_of(0, 110, 0), luma), PairKind::kSecondClean)
      << "very noisy: reversed";
  EXPECT_EQ(kind(200, noise_of(0, 20, 0, 40), noise_of(0, 60, 0), luma), PairKind::kFirstClean);
  EXPECT_EQ(kind(200, noise_of(0, 0, 60, 0, 80), noise_of(0, 0, 60), chroma), PairKind::kNoisy);
}

class CleanFramesTest : public testing::Test {
 protected:
  // A clip of one cycle with the pattern 0: film frames of the fields 0 1, 2 3 4, 5 6, 7 8 9.
  CleanFramesTest() : noise_(10, noise_of(200, 0, 0)) {}
  static Cadence cadence() {
    return Cadence({FrameRun{.first_frame = 0, .frames = 5, .cycles = {{.pattern = 0}}}});
  }
  void make_dirty(size_t field) {
    noise_[field].chroma = 40;
    noise_[field].chroma_change = 40;
    if (field > 0) noise_[field - 1].chroma_change = 40;
  }
  CleanFields found() const { return find_clean_fields(noise_, cadence(), {}); }

  std::vector<FieldNoise> noise_;
};

TEST_F(CleanFramesTest, CleanClipsKeepTheirFrames) {
  EXPECT_TRUE(found().film.empty());
  EXPECT_TRUE(found().frames.empty());
  EXPECT_TRUE(found().fields.empty());
}

TEST_F(CleanFramesTest, AFilmFrameOfThreeFieldsIsWovenFromCleanOnes) {
  make_dirty(2);
  EXPECT_EQ(found().film.at(1), (Replacement{.by = By::kWeave, .field = 3}));
}

TEST_F(CleanFramesTest, AFilmFrameOfTwoFieldsIsMadeFromTheCleanOne) {
  make_dirty(1);
  EXPECT_EQ(found().film.at(0), (Replacement{.by = By::kBefore, .field = 0}));
  EXPECT_EQ(found().frames.at(0), (Replacement{.by = By::kBefore, .field = 0}));
  noise_.assign(10, noise_of(200, 0, 0));
  make_dirty(5);
  EXPECT_EQ(found().film.at(2), (Replacement{.by = By::kAfter, .field = 6}));
  EXPECT_EQ(found().frames.at(2), (Replacement{.by = By::kBefore, .field = 4}));
}

TEST_F(CleanFramesTest, A60pFrameThatRepeatsIsReplaced) {
  noise_.assign(10, noise_of(300, 0, 0));
  make_dirty(4);  // the pair 3, 4 has a clean first field
  noise_[4].comb = 2000;
  const CleanFields clean = found();
  EXPECT_EQ(clean.fields.at(4), (Replacement{.by = By::kBefore, .field = 3, .is_masked = true}));
  EXPECT_EQ(clean.fields.at(3), (Replacement{.by = By::kBefore, .field = 3}));
}

TEST_F(CleanFramesTest, TextIsReadAgain) {
  make_dirty(1);
  make_dirty(2);
  noise_[2].comb = 5000;
  const CleanFields clean = found();
  const auto read = CleanFields::parse(cadence().to_text() + clean.to_text(), cadence());
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(read->to_text(), clean.to_text());
  EXPECT_EQ(read->film, clean.film);
  EXPECT_EQ(read->fields, clean.fields);
  for (const char* line :
       {"film 9 before 0", "film 0 weave 10", "film 0 under 1", "frame 0 weave 0", "field 10 before 0",
        "field 0 before 0 unmasked", "film 0 before 0 masked", "field 0"})
    EXPECT_THAT(CleanFields::parse(line, cadence()),
                StatusIs(StatusCode::kInvalidArgument, "decision of kfm"))
        << line;
}

}  // namespace
}  // namespace weft::filters::kfm
