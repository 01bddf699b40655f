// SPDX-License-Identifier: Apache-2.0
// Tests the decision about presence and strength of a logo, from scores of a known course.
#include "server/filters/logo/logo_presence.h"

#include <cmath>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>

namespace weft::filters::logo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// Scores of a frame with this strength, by their definition: 1 if the whole logo is left, 0 after
// exact removal, and negative after too much.
FadeScores scores_of(double strength, double noise, std::mt19937& random) {
  FadeScores scores;
  const double error = noise * (double(random() % 2001) / 1000 - 1);
  for (int f = 0; f < LOGO_FADES; f++) scores[size_t(f)] = strength - f / 10.0 + error;
  return scores;
}

std::vector<FrameScores> frames_of(const std::vector<std::pair<double, double>>& fields, double noise) {
  std::mt19937 random(1);
  std::vector<FrameScores> frames;
  for (const auto& [top, bottom] : fields)
    frames.push_back({scores_of((top + bottom) / 2, noise, random), scores_of(top, noise, random),
                      scores_of(bottom, noise, random)});
  return frames;
}

// A course with the logo from `on` to `off`, which fades over `fade` frames around both.
std::vector<double> course(size_t count, size_t on, size_t off, int fade) {
  std::vector<double> strengths(count, 0);
  for (size_t i = 0; i < count; i++) {
    const double from = fade == 0 ? (i >= on ? 1 : 0) : 0.5 + (double(i) - double(on)) / fade;
    const double to = fade == 0 ? (i >= off ? 1 : 0) : 0.5 + (double(i) - double(off)) / fade;
    strengths[i] = std::clamp(from, 0.0, 1.0) - std::clamp(to, 0.0, 1.0);
  }
  return strengths;
}

std::vector<FrameScores> frames_of(const std::vector<double>& strengths, double noise) {
  std::vector<std::pair<double, double>> fields;
  for (const double strength : strengths) fields.emplace_back(strength, strength);
  return frames_of(fields, noise);
}

TEST(LogoPresences, ALogoIsFoundWithinTwoFrames) {
  for (const int fade : {0, 16})
    for (const double noise : {0.0, 0.05}) {
      SCOPED_TRACE(fmt::format("fade {}, noise {}", fade, noise));
      const std::vector<double> strengths = course(400, 103, 290, fade);
      const std::vector<FrameScores> frames = frames_of(strengths, noise);
      const std::vector<LogoPresence> found = find_presences(frames, 30);
      ASSERT_THAT(found, SizeIs(1));
      const auto fades = find_fades(frames, found, 16);
      for (size_t i = 0; i < fades.size(); i++) {
        EXPECT_NEAR(fades[i].top / 10.0, strengths[i], 0.051 + noise) << i;
        EXPECT_NEAR(fades[i].bottom / 10.0, strengths[i], 0.051 + noise) << i;
        if (i < 93 || (i > 114 && i < 280) || i > 301) {
          EXPECT_EQ(fades[i].top, int(10 * strengths[i])) << i;
        }
      }
      // The frames between which the logo appears and disappears.
      EXPECT_NEAR(double(found[0].begin), 103, 2);
      EXPECT_NEAR(double(found[0].whole), 103, 2);
      const double last = fade == 0 ? 289 : 290;
      EXPECT_NEAR(double(found[0].fading), last, 2);
      EXPECT_NEAR(double(found[0].end), last, 2);
    }
}

TEST(LogoPresences, ALogoFromTheFirstToTheLastFrameHasItsFullStrength) {
  const std::vector<FrameScores> frames = frames_of(std::vector<double>(100, 0.96), 0.05);
  const std::vector<LogoPresence> found = find_presences(frames, 30);
  EXPECT_THAT(found, ElementsAre(LogoPresence{0, 0, 99, 99}));
  EXPECT_THAT(find_fades(frames, found, 16), testing::Each(Fades{10, 10}));
}

TEST(LogoPresences, FramesWithoutALogoStay) {
  const std::vector<FrameScores> frames = frames_of(std::vector<double>(100, 0.04), 0.05);
  EXPECT_THAT(find_presences(frames, 30), IsEmpty());
  EXPECT_THAT(find_fades(frames, {}, 16), testing::Each(Fades{0, 0}));
  EXPECT_THAT(find_presences({}, 30), IsEmpty());
  EXPECT_THAT(find_fades({}, {}, 16), IsEmpty());
}

// At a cut between the fields of a frame each field has its own strength.
TEST(LogoPresences, AFrameWithACutBetweenItsFieldsHasTwoStrengths) {
  std::vector<std::pair<double, double>> fields(200, {0, 0});
  for (size_t i = 80; i < 200; i++) fields[i] = {1, 1};
  fields[79] = {0, 1};
  const std::vector<FrameScores> frames = frames_of(fields, 0);
  const auto fades = find_fades(frames, find_presences(frames, 30), 16);
  EXPECT_EQ(fades[78], (Fades{0, 0}));
  EXPECT_EQ(fades[79], (Fades{0, 10}));
  EXPECT_EQ(fades[80], (Fades{10, 10}));
}

// Half a second of noise does not end a presence.
TEST(LogoPresences, AShortDisturbanceIsBridged) {
  std::vector<double> strengths = course(300, 50, 250, 0);
  for (size_t i = 140; i < 147; i++) strengths[i] = 0.4;
  const std::vector<FrameScores> frames = frames_of(strengths, 0.05);
  const std::vector<LogoPresence> found = find_presences(frames, 30);
  ASSERT_THAT(found, SizeIs(1));
  EXPECT_NEAR(double(found[0].whole), 50, 2);
  EXPECT_NEAR(double(found[0].fading), 249, 2);
  EXPECT_EQ(find_fades(frames, found, 16)[143], (Fades{10, 10}));
}

// Each frame twice at twice the frame rate: the same presences.
TEST(LogoPresences, WindowsLastTheSameTimeAtEveryFrameRate) {
  size_t sum = 0;
  for (size_t length = 2; length < 40; length++) {
    const std::vector<double> strengths = course(200, 80, 80 + length, 0);
    std::vector<double> doubled;
    for (const double strength : strengths) doubled.insert(doubled.end(), 2, strength);
    const size_t presences = find_presences(frames_of(strengths, 0), 30).size();
    EXPECT_EQ(find_presences(frames_of(doubled, 0), 60).size(), presences) << length << " frames";
    sum += presences;
  }
  EXPECT_GT(sum, 10u);
  EXPECT_LT(sum, 38u) << "the shortest are none";
}

TEST(LogoPresences, TwoProgrammesHaveTwoPresences) {
  std::vector<double> strengths = course(600, 60, 200, 16);
  const std::vector<double> second = course(600, 330, 700, 0);
  for (size_t i = 0; i < strengths.size(); i++) strengths[i] += second[i];
  EXPECT_THAT(find_presences(frames_of(strengths, 0.1), 30), SizeIs(2));
}

TEST(LogoFades, TextIsReadAsItWasWritten) {
  std::vector<Fades> fades(50);
  for (size_t i = 10; i < 30; i++) fades[i] = {10, 10};
  fades[9] = {0, 7};
  fades[30] = {10, 0};
  EXPECT_EQ(text_of(fades), "9 9 0.0 0.7\n10 29 1.0 1.0\n30 30 1.0 0.0\n");
  const auto read = parse_fades(text_of(fades), 50);
  ASSERT_THAT(read, IsOk());
  EXPECT_EQ(*read, fades);
  EXPECT_THAT(*parse_fades("", 3), testing::Each(Fades{}));
  EXPECT_THAT(*parse_fades("1 99 0.3 0.4", 3), ElementsAre(Fades{}, Fades{3, 4}, Fades{3, 4}));
  EXPECT_THAT(*parse_fades("0 9 1.0 1.0\n", 0), IsEmpty());
}

TEST(LogoFades, LinesOfAnotherFormAreRefused) {
  for (const char* text :
       {"1", "1 2", "1 2 1.0", "1 2 1.0 1.1", "1 2 1.0 2.0", "3 2 1.0 1.0", "a 2 1.0 1.0", "1 2 1.0 1.0 1.0",
        "-1 2 1.0 1.0", "1 2 1 1", " 1 2 1.0 1.0", "1 2 .10 1.0", "99999999999999999999 2 1.0 1.0"})
    EXPECT_THAT(parse_fades(text, 10).status(),
                StatusIs(StatusCode::kInvalidArgument, "FIRST LAST TOP BOTTOM"))
        << text;
}

}  // namespace
}  // namespace weft::filters::logo
