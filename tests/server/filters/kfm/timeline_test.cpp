// SPDX-License-Identifier: Apache-2.0
// Tests the output frames of a cadence and their times: durations of film, 30p and 60p, an exact
// sum over hours, and the units that each output reads.
#include "server/filters/kfm/timeline.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "kernels/telecine/film.h"

namespace weft::filters::kfm {
namespace {

TimesOfFrames steady_times(int64_t frames, int64_t period = 1001) {
  TimesOfFrames times;
  for (int64_t n = 0; n < frames; n++) times.push_back({n * period, period});
  return times;
}

CombedFrames no_combs(const Cadence& cadence) {
  return {std::vector<bool>(size_t(cadence.film_frames())), std::vector<bool>(size_t(cadence.frames()))};
}

Cadence of_cycles(std::vector<CycleMatch> cycles) {
  const int64_t frames = int64_t(cycles.size()) * kCycleFrames;
  return Cadence({FrameRun{.first_frame = 0, .frames = frames, .cycles = std::move(cycles)}});
}

// Calls `add` with the cycles of each run of a clip.
template <class Add>
void for_each_run(const Cadence& cadence, const TimesOfFrames& times, Add add) {
  for (size_t run = 0; run < cadence.runs().size(); run++)
    add(NextCycles{cadence, run, 0, int64_t(cadence.runs()[run].cycles.size()), times});
}

std::shared_ptr<const FrameMap> film_map(const Cadence& cadence, const TimesOfFrames& times) {
  FilmTables film;
  for_each_run(cadence, times, [&](const NextCycles& cycles) { film.add(cycles); });
  return film.film();
}

std::shared_ptr<const FrameMap> output_map(const Cadence& cadence, const TimesOfFrames& times,
                                           const CombedFrames& combed, v1::KfmMode mode, v1::KfmTiming timing,
                                           const CleanFields& clean = {}) {
  OutputTables outputs({.mode = mode, .timing = timing});
  for_each_run(cadence, times, [&](const NextCycles& cycles) { outputs.add(cycles, combed, clean); });
  return outputs.map();
}

// Durations in quarters of a frame's period.
std::vector<int64_t> durations(const FrameMap& map, int64_t period = 1001) {
  std::vector<int64_t> result;
  for (const auto& entry : map.entries) result.push_back(entry.duration / period);
  return result;
}

TEST(Timeline, FilmAlternatesAndIsEvenAt120) {
  const Cadence cadence = of_cycles({{.pattern = 0}, {.pattern = 0}});
  const auto times = steady_times(10);
  const auto by_60 = output_map(cadence, times, no_combs(cadence), v1::KFM_MODE_VFR, v1::KFM_TIMING_60);
  EXPECT_THAT(durations(*by_60), testing::ElementsAre(4, 6, 4, 6, 4, 6, 4, 6));
  const auto by_120 = output_map(cadence, times, no_combs(cadence), v1::KFM_MODE_VFR, v1::KFM_TIMING_120);
  EXPECT_THAT(durations(*by_120), testing::Each(5));
}

TEST(Timeline, CyclesHaveTheFramesOfTheirKind) {
  const Cadence cadence =
      of_cycles({{.pattern = 0}, {.pattern = 0, .is_60p = true}, {.pattern = kPattern30p}});
  const auto times = steady_times(15);
  const auto map = output_map(cadence, times, no_combs(cadence), v1::KFM_MODE_VFR, v1::KFM_TIMING_60);
  EXPECT_THAT(durations(*map), testing::ElementsAre(4, 6, 4, 6, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4));
  const auto slow = output_map(cadence, times, no_combs(cadence), v1::KFM_MODE_VFR30, v1::KFM_TIMING_60);
  EXPECT_THAT(durations(*slow), testing::ElementsAre(4, 6, 4, 6, 4, 6, 4, 6, 4, 4, 4, 4, 4));
  CombedFrames combed = no_combs(cadence);
  combed.film[1] = true;
  const auto masked = output_map(cadence, times, combed, v1::KFM_MODE_VFR, v1::KFM_TIMING_60);
  EXPECT_THAT(durations(*masked),
              testing::ElementsAre(4, 2, 2, 2, 4, 6, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 4, 4, 4, 4, 4));
  EXPECT_EQ(OUTPUT_IS_MASKED(masked->entries[1].word), 1);
}

// Two hours of random cycles in several runs with gaps: each run is covered without a gap or an
// overlap, film and 30p have constant rates.
TEST(Timeline, TwoHoursAddUpExactly) {
  std::mt19937 random(5);
  std::vector<FrameRun> runs;
  TimesOfFrames times;
  std::vector<int64_t> ends;
  int64_t time = 12345;
  while (times.size() < 2 * 3600 * 30) {
    FrameRun run{.first_frame = int64_t(times.size()), .frames = 1 + int64_t(random() % 20000)};
    for (int i = 0; i < cycles_of(int(run.frames)); i++)
      run.cycles.push_back(
          {.pattern = i > 0 && random() % 8 > 0 ? run.cycles.back().pattern : int(random() % kPatterns),
           .is_60p = random() % 10 == 0});
    for (int64_t n = 0; n < run.frames; n++, time += times.back().duration)
      times.push_back({time, 1001 + int64_t(random() % 2)});
    ends.push_back(time);
    time += int64_t(random() % 5000);
    runs.push_back(std::move(run));
  }
  const Cadence cadence(std::move(runs));
  const auto film = film_map(cadence, times);
  CombedFrames combed = no_combs(cadence);
  for (size_t i = 0; i < combed.film.size(); i++) combed.film[i] = random() % 20 == 0;
  for (size_t i = 0; i < combed.frames.size(); i++) combed.frames[i] = random() % 20 == 0;
  CleanFields clean;
  for (int64_t field = 1; field + 1 < 2 * cadence.frames(); field += 1 + int64_t(random() % 20)) {
    const bool is_before = random() % 2 == 0;
    clean.fields[field] = {.by = is_before ? Replacement::By::kBefore : Replacement::By::kAfter,
                           .field = is_before ? field - 1 : field + 1,
                           .is_masked = random() % 2 == 0};
  }
  for (const auto mode :
       {v1::KFM_MODE_VFR, v1::KFM_MODE_VFR30, v1::KFM_MODE_24P, v1::KFM_MODE_30P, v1::KFM_MODE_60P})
    for (const auto timing : {v1::KFM_TIMING_60, v1::KFM_TIMING_120}) {
      const auto map = output_map(cadence, times, combed, mode, timing, clean);
      size_t entry = 0;
      for (size_t r = 0; r < cadence.runs().size(); r++) {
        int64_t at = kTimeDivisor * times[size_t(cadence.runs()[r].first_frame)].pts;
        const int64_t frames_end = cadence.runs()[r].first_frame + cadence.runs()[r].frames;
        for (; entry < map->entries.size() && map->entries[entry].unit < frames_end; entry++) {
          ASSERT_EQ(map->entries[entry].pts, at) << "mode " << mode << ", frame " << entry;
          ASSERT_GT(map->entries[entry].duration, 0);
          at += map->entries[entry].duration;
        }
        ASSERT_EQ(at, kTimeDivisor * ends[r]) << "mode " << mode << ", run " << r;
      }
      EXPECT_EQ(entry, map->entries.size());
      const OutputUnits units = OutputTables({.mode = mode, .timing = timing}, cadence, map, clean).units();
      for (const UnitMapPtr& read : {units.fields, units.stills, units.film, units.frames, units.film_masks,
                                     units.frame_masks, units.before, units.after}) {
        ASSERT_EQ(read->units.size(), map->entries.size());
        ASSERT_TRUE(std::ranges::is_sorted(read->units));
      }
      for (size_t i = 0; i < map->entries.size(); i++) {
        if (!units.film->is_read[i]) continue;
        const int64_t away = film->entries[size_t(units.film->units[i])].unit - map->entries[i].unit;
        ASSERT_LE(away, units.film->after) << "mode " << mode << ", frame " << i;
        ASSERT_GE(away, -units.film->before) << "mode " << mode << ", frame " << i;
      }
    }
  EXPECT_EQ(int64_t(film->entries.size()), cadence.film_frames());
  EXPECT_TRUE(std::ranges::is_sorted(film->entries, {}, &FrameMap::Entry::unit));
}

}  // namespace
}  // namespace weft::filters::kfm
