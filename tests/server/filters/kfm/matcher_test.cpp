// SPDX-License-Identifier: Apache-2.0
// Tests the matcher on counts of simulated telecine: all phases of all cadences, changes of the
// pattern, and sections of 60p.
#include "server/filters/kfm/matcher.h"

#include <algorithm>
#include <random>
#include <set>

#include <gmock/gmock.h>

namespace weft::filters::kfm {
namespace {

constexpr int64_t kPixels = 720 * 480;

// The film frame of each field of a clip.
using Film = std::vector<int>;

Film telecined(const std::vector<int>& lengths, int shift, int fields) {
  Film film;
  for (int number = 0; int(film.size()) < fields + shift; number++)
    film.insert(film.end(), size_t(lengths[size_t(number) % lengths.size()]), number);
  return {film.begin() + shift, film.begin() + shift + fields};
}

// Counts of the fields of a film with random motion: equal fields have none, and a weave of two
// film frames is combed.
std::vector<FieldCounts> counts_of(const Film& film, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int> motion;
  for (int i = 0; i <= *std::ranges::max_element(film) + 1; i++) motion.push_back(800 + int(random() % 700));
  const auto at = [&](size_t k) { return film[std::min(k, film.size() - 1)]; };
  std::vector<FieldCounts> counts;
  for (size_t k = 0; k < film.size(); k++) {
    const int here = motion[size_t(film[k])];
    const int combs = at(k) == at(k + 1) ? 0 : here / 2;
    counts.push_back({at(k) == at(k + 2) ? 0 : here, combs, combs * 6 / 10});
  }
  return counts;
}

// Expects that the film frames of all cycles but the outermost are woven from fields of one film
// frame each, and that each film frame occurs once.
void expect_film(const Film& film, const std::vector<CycleMatch>& cycles, bool is_30p,
                 const std::string& what) {
  int before = -1;
  for (int c = 2; c + 2 < int(cycles.size()); c++)
    for (int i = 0; i < kFilmFrames; i++) {
      const FilmFrame frame = film_frame(cycles[size_t(c)].pattern, i);
      std::set<int> numbers;
      for (int k = 0; k < frame.fields; k++)
        numbers.insert(film[size_t(kCycleFields * c + frame.first_field + k)]);
      ASSERT_EQ(numbers.size(), 1u) << what << ", cycle " << c << ", film frame " << i;
      const int number = *numbers.begin();
      if (before >= 0) {
        ASSERT_GE(number, before + 1) << what << ", cycle " << c;
        ASSERT_LE(number, before + (is_30p ? 2 : 1)) << what << ", cycle " << c;
      }
      before = number;
    }
}

TEST(Matcher, EachPhaseOfEachCadenceIsFound) {
  const std::vector<int> cadences[] = {{2, 3, 2, 3}, {3, 2, 3, 2}, {2, 2, 3, 3}, {4, 2, 2, 2}, {2, 2, 2, 2}};
  int phases = 0;
  for (uint32_t seed = 1; seed <= 4; seed++)
    for (const auto& lengths : cadences) {
      const bool is_30p = lengths[1] == 2 && lengths[0] == 2 && lengths[2] == 2;
      int period = 0;
      for (const int length : lengths) period += length;
      for (int shift = 0; shift < period; shift++) {
        // These begin at first fields only.
        if ((lengths[0] == 4 || is_30p) && shift % 2 != 0) continue;
        const Film film = telecined(lengths, shift, 140);
        const auto cycles = match_cycles(counts_of(film, seed), kPixels, {});
        const std::string what = fmt::format("{}:{}:.. shift {}", lengths[0], lengths[1], shift);
        std::vector<CycleMatch> best;
        for (int c = 0; c < int(cycles.size()); c++)
          best.push_back(
              std::ranges::max(match_all(counts_of(film, seed), c, kPixels, {}), {}, &CycleMatch::score));
        ASSERT_NO_FATAL_FAILURE(expect_film(film, best, is_30p, what + ", best"));
        // Once in 30p, the sequence of cycles stays there for 4:2:2:2: the scores differ by the
        // deductions alone, which is not above the threshold.
        if (lengths[0] != 4) {
          ASSERT_NO_FATAL_FAILURE(expect_film(film, cycles, is_30p, what));
        }
        for (const CycleMatch& cycle : cycles) EXPECT_FALSE(cycle.is_60p && cycle.pattern == kPattern30p);
        phases++;
      }
    }
  EXPECT_EQ(phases, 4 * 39);
}

// The best pattern is that with the largest score by the definition, in one loop per pattern.
TEST(Matcher, TheBestPatternIsThatOfTheExhaustiveSearch) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; round++) {
    std::vector<FieldCounts> counts;
    for (int k = 0; k < 60; k++)
      counts.push_back({int(random() % 2000), int(random() % 900), int(random() % 300)});
    const int cycle = 1 + int(random() % 3);
    const auto matches = match_all(counts, cycle, kPixels, {});
    ASSERT_EQ(matches.size(), size_t(kPatterns));
    const double base = int(kPixels * 0.001) / 16;
    const auto measure = [&](int k, bool has_motion) {
      const FieldCounts &before = counts[size_t(k - 1)], &here = counts[size_t(k)];
      return (has_motion ? std::min(before.move, here.move) : 0) + here.combs + 5.0 * here.large_combs;
    };
    const auto ratio_of = [&](int k, bool has_motion) {
      const double around = measure(k - 1, has_motion) + measure(k + 1, has_motion);
      return 2 * (measure(k, has_motion) + base) / (around + 2 * base) - 1;
    };
    for (int pattern = 0; pattern < kPatterns; pattern++) {
      double score = pattern == kPattern30p ? -1.5 : pattern >= kPattern4222 ? -0.5 : 0;
      for (int i = 0; i < kWindowFields; i++) {
        const int k = kCycleFields * cycle + i - 2;
        const double ratio = std::max(ratio_of(k, true), ratio_of(k, false) / 8,
                                      [](double a, double b) { return std::abs(a) < std::abs(b); });
        score += ends_film_frame(pattern, i) ? ratio : -ratio;
      }
      EXPECT_NEAR(matches[size_t(pattern)].score, score, 1e-9);
    }
  }
}

TEST(Matcher, AChangeOfThePhaseIsFoundAtItsCycle) {
  for (int shift = 1; shift < 5; shift++) {
    Film film = telecined({2, 3, 2, 3}, 0, 150);
    const Film second = telecined({2, 3, 2, 3}, shift, 150);
    for (const int number : second) film.push_back(number + 1000);
    std::vector<FieldCounts> counts = counts_of(telecined({2, 3, 2, 3}, 0, 150), 1);
    const std::vector<FieldCounts> later = counts_of(second, 2);
    counts.insert(counts.end(), later.begin(), later.end());
    const auto cycles = match_cycles(counts, kPixels, {});
    for (int c = 2; c < 28; c++) {
      if (c == 14 || c == 15) continue;  // around the change
      const FilmFrame frame = film_frame(cycles[size_t(c)].pattern, 1);
      for (int k = 1; k < frame.fields; k++)
        EXPECT_EQ(film[size_t(10 * c + frame.first_field)], film[size_t(10 * c + frame.first_field + k)])
            << "shift " << shift << ", cycle " << c;
    }
  }
}

// Fast motion: nearly all blocks move, and few of them are combed. Frames of two fields each, 30p
// and a part of 2:2:3:3, then differ from video by their combs alone.
TEST(Matcher, FewCombsInFastMotionAreEnough) {
  for (const auto& lengths : {std::vector<int>{2, 2}, {2, 2, 3, 3}, {2, 3}}) {
    const Film film = telecined(lengths, 0, 200);
    std::vector<FieldCounts> counts;
    for (size_t k = 0; k < film.size(); k++) {
      const bool is_woven = k + 1 < film.size() && film[k] != film[k + 1];
      const bool moves = k + 2 < film.size() && film[k] != film[k + 2];
      counts.push_back({moves ? 20000 : 0, 80 + (is_woven ? 900 : 0), is_woven ? 90 : 2});
    }
    const auto cycles = match_cycles(counts, kPixels, {});
    ASSERT_NO_FATAL_FAILURE(expect_film(film, cycles, lengths.size() == 2 && lengths[1] == 2, "fast"));
    for (const CycleMatch& cycle : cycles) EXPECT_FALSE(cycle.is_60p);
  }
  // Video: each weave is combed.
  std::mt19937 random(3);
  std::vector<FieldCounts> video;
  for (int k = 0; k < 200; k++) video.push_back({20000, 900 + int(random() % 200), 90 + int(random() % 20)});
  for (const CycleMatch& cycle : match_cycles(video, kPixels, {})) EXPECT_TRUE(cycle.is_60p);
}

// Marks of cycles by cost and reliability.
TEST(Matcher, SectionsOf60pBeginAndEndByCost) {
  const CycleMatch film{.cost = 0, .reliability = 0}, video{.cost = 5, .reliability = 1};
  const CycleMatch some{.cost = 1, .reliability = 1}, unsure{.cost = 0.05, .reliability = 0.5};
  std::vector<CycleMatch> cycles{video, unsure, video, film, some, some, video, unsure, some, film, video};
  const MatchOptions options{.th60 = 3, .th24 = 0.1};
  mark_60p(cycles, options);
  std::vector<bool> marks;
  for (const CycleMatch& cycle : cycles) marks.push_back(cycle.is_60p);
  EXPECT_THAT(marks,
              testing::ElementsAre(true, false, true, false, true, true, true, false, true, false, true));
  std::vector<CycleMatch> quiet{film, some, some};
  mark_60p(quiet, options);
  EXPECT_FALSE(quiet[1].is_60p || quiet[2].is_60p);
}

}  // namespace
}  // namespace weft::filters::kfm
