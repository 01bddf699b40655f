// SPDX-License-Identifier: Apache-2.0
// Tests decisions on clips without a known end: with a long delay they are those of the whole clip,
// and entries keep the bounds that plans assume.
#include "server/filters/kfm/live.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include <gmock/gmock.h>

#include "kernels/telecine/cells.h"
#include "kernels/telecine/film.h"
#include "server/filters/kfm/run_times.h"

namespace weft::filters::kfm {
namespace {

constexpr VideoFormat kLiveFormat{720, 480, Chroma::kGray, 8};
constexpr int64_t kSamples = 720 * 480;

// Counts of fields with a cadence that changes at random: film of several phases, and video.
std::vector<FieldCounts> random_counts(int frames, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<FieldCounts> counts;
  int kind = 0, phase = 0;
  for (int k = 0; k < 2 * frames; k++) {
    if (random() % 120 == 0) {
      kind = int(random() % 3);
      phase = int(random() % 5);
    }
    const int motion = 800 + int(random() % 700), position = (k + phase) % 5;
    const bool is_last = kind == 0 && (position == 1 || position == 4);
    const int combs = kind == 2 || is_last ? motion / 2 : int(random() % 20);
    counts.push_back({kind == 0 && position == 2 ? 0 : motion, combs, combs * 6 / 10});
  }
  return counts;
}

std::vector<CycleMatch> bounded_matches(const std::vector<FieldCounts>& counts, const MatchOptions& options,
                                        int delay) {
  CycleMatcher matcher(kSamples, options, delay);
  std::vector<CycleMatch> matches;
  for (size_t k = 0; k < counts.size(); k += 2) {
    matcher.push(counts[k], counts[k + 1]);
    while (const auto match = matcher.next()) matches.push_back(*match);
    // A cycle is final with the frame that matches the cycle `delay` cycles later.
    const int64_t due = (int64_t(k) / 2 - kLastMatchedFrame) / kCycleFrames - delay + 1;
    const bool is_due = int64_t(k) / 2 >= kLastMatchedFrame;
    EXPECT_EQ(int64_t(matches.size()), is_due ? std::max<int64_t>(due, 0) : 0) << "frame " << k / 2;
  }
  matcher.finish();
  while (const auto match = matcher.next()) matches.push_back(*match);
  return matches;
}

// The delay bounds the reach of a change of the pattern as the option `past` does. Sections of 60p
// follow from the patterns: they differ only where one begins more than `delay` cycles back.
TEST(LiveMatcher, PatternsAreThoseOfAWholeClipWithThatPast) {
  int changes = 0, marks = 0, differ = 0;
  for (uint32_t seed = 0; seed < 40; seed++) {
    const auto counts = random_counts(100 + int(seed) * 7, seed);
    for (const int delay : {0, 1, 3, 6, 1000}) {
      MatchOptions options{.range = 1 + int(seed % 5), .thresh = 0.3};
      const auto bounded = bounded_matches(counts, options, delay);
      options.past = std::min(options.past, delay);
      const auto whole = match_cycles(counts, kSamples, options);
      ASSERT_EQ(bounded.size(), whole.size());
      for (size_t c = 0; c < whole.size(); c++) {
        ASSERT_EQ(bounded[c].pattern, whole[c].pattern) << "delay " << delay << ", cycle " << c;
        ASSERT_EQ(bounded[c].score, whole[c].score);
        changes += c > 0 && whole[c].pattern != whole[c - 1].pattern ? 1 : 0;
        marks += whole[c].is_60p ? 1 : 0;
        if (bounded[c].is_60p == whole[c].is_60p) continue;
        ASSERT_LT(delay, 1000);
        ASSERT_TRUE(whole[c].is_60p) << "a section that begins earlier in the whole clip";
        differ++;
      }
    }
  }
  EXPECT_GT(changes, 100);
  EXPECT_GT(marks, 100);
  EXPECT_GT(differ, 0) << "some sections begin far back";
}

struct ClipRecords {
  std::vector<int32_t> fields, combs;  // numbers of each record
  std::vector<bool> begins_run;        // by frame
};

ClipRecords random_records(int frames, uint32_t seed) {
  std::mt19937 random(seed);
  const auto counts = random_counts(frames, seed);
  ClipRecords records;
  for (int n = 0; n < frames; n++) {
    const bool begins_run = n == 0 || random() % 200 == 0;
    records.begins_run.push_back(begins_run);
    for (int k = 2 * n; k < 2 * n + 2; k++) {
      const FieldCounts& count = counts[size_t(k)];
      std::vector<int32_t> numbers(COUNTS_INTS);
      numbers[0] = count.move;
      numbers[1] = count.combs;
      numbers[2] = count.large_combs;
      numbers[COUNTS_FLAGS] = begins_run ? COUNTS_FIRST : 0;
      records.fields.insert(records.fields.end(), numbers.begin(), numbers.end());
    }
    records.combs.insert(records.combs.end(), {int32_t(random() % 8 == 0), int32_t(random() % 8 == 0)});
  }
  return records;
}

// Pushes records number `begin` to `end` - 1.
void push(graph::LiveDecision& decision, const std::vector<int32_t>& numbers, size_t each, int64_t begin,
          int64_t end, int64_t period) {
  std::vector<std::byte> bytes;
  for (int64_t n = begin; n < end; n++) {
    const RecordTimes times{n * period, period};
    const auto add = [&](std::span<const std::byte> part) {
      bytes.insert(bytes.end(), part.begin(), part.end());
    };
    add(std::as_bytes(std::span(&times, 1)));
    add(std::as_bytes(std::span(numbers).subspan(size_t(n) * each, each)));
  }
  decision.push({each * sizeof(int32_t), bytes});
}

bool operator==(const FrameMap::Entry& a, const FrameMap::Entry& b) {
  return a.unit == b.unit && a.pts == b.pts && a.duration == b.duration && a.word == b.word;
}

// Reads the entries of maps that grow, before they are discarded.
struct Taken {
  std::vector<FrameMap::Entry> entries;
  std::vector<int64_t> film, fields;
  std::vector<bool> reads_film, reads_fields;

  void take(const FrameMap& map, const OutputUnits& units) {
    for (size_t i = entries.size(); i < map.entries.size(); i++) {
      entries.push_back(map.entries[i]);
      film.push_back(units.film->units[i]);
      reads_film.push_back(units.film->is_read[i]);
      fields.push_back(units.fields->units[i]);
      reads_fields.push_back(units.fields->is_read[i]);
    }
  }
};

TEST(LiveDecisions, TablesAreThoseOfAWholeClip) {
  constexpr int kFrames = 6000, kDelay = 2000;
  const ClipRecords records = random_records(kFrames, 3);
  std::vector<FrameRun> runs;
  TimesOfFrames times;
  for (int n = 0; n < kFrames; n++) {
    if (records.begins_run[size_t(n)]) runs.push_back({.first_frame = n});
    runs.back().frames++;
    times.push_back({2 * n, 2});
  }
  const auto counts = random_counts(kFrames, 3);
  for (FrameRun& run : runs)
    run.cycles = match_cycles(std::span(counts).subspan(size_t(2 * run.first_frame), size_t(2 * run.frames)),
                              kSamples, {});
  const Cadence cadence(runs);
  CombedFrames combed;
  for (const FrameRun& run : runs)
    for (int64_t n = 0; n < run.frames; n++) {
      const auto at = size_t(2 * (run.first_frame + n));
      combed.frames.push_back(records.combs[at] > 0);
      if (n % kCycleFrames < kFilmFrames) combed.film.push_back(records.combs[at + 1] > 0);
    }
  for (const auto mode : {v1::KFM_MODE_VFR, v1::KFM_MODE_VFR30, v1::KFM_MODE_24P, v1::KFM_MODE_30P}) {
    const OutputOptions options{.mode = mode,
                                .timing = mode == v1::KFM_MODE_VFR ? v1::KFM_TIMING_120 : v1::KFM_TIMING_60};
    OutputTables whole(options);
    for (size_t run = 0; run < runs.size(); run++)
      whole.add({cadence, run, 0, int64_t(cadence.runs()[run].cycles.size()), times}, combed);

    const auto film = make_live_cadence(kLiveFormat, {.delay_cycles = kDelay});
    const auto clip = std::static_pointer_cast<const FilmClip>(film->decision()->tables);
    const auto outputs = make_live_outputs(clip, options);
    const auto tables = std::static_pointer_cast<const OutputTables>(outputs->decision()->tables);
    const OutputUnits units = tables->units();
    Taken taken;
    std::mt19937 random(7);
    int64_t pushed = 0;
    const auto follow = [&](int64_t end) {
      for (int64_t next = 0; pushed < end; pushed = next) {
        next = std::min(pushed + 1 + int64_t(random() % 7), end);
        push(*outputs, records.combs, 2, pushed, next, 2);
        taken.take(*outputs->decision()->map, units);
        // An entry of a later frame may follow, but none of a frame that is decided on.
        ASSERT_TRUE(taken.entries.empty() || outputs->decided() > taken.entries.back().unit);
      }
    };
    for (int64_t n = 0; n < 2 * kFrames;) {
      const int64_t next = std::min<int64_t>(n + 1 + int64_t(random() % 5), 2 * kFrames);
      push(*film, records.fields, COUNTS_INTS, n, next, 2);
      n = next;
      const int64_t waits = n - film->decided();
      ASSERT_LE(waits, film->delay()) << "records that are not decided on";
      ASSERT_NO_FATAL_FAILURE(follow(film->decided() / 2));
    }
    film->finish();
    EXPECT_EQ(film->decided(), 2 * kFrames);
    ASSERT_NO_FATAL_FAILURE(follow(kFrames));
    outputs->finish();
    taken.take(*outputs->decision()->map, units);
    EXPECT_EQ(outputs->decided(), kFrames);

    const auto& right = whole.map()->entries;
    ASSERT_EQ(taken.entries.size(), right.size()) << "mode " << mode;
    for (size_t i = 0; i < right.size(); i++) {
      ASSERT_TRUE(taken.entries[i] == right[i]) << "mode " << mode << ", output " << i;
      ASSERT_EQ(taken.reads_film[i], whole.units().film->is_read[i]) << "mode " << mode << ", output " << i;
      if (taken.reads_film[i]) {
        ASSERT_EQ(taken.film[i], whole.units().film->units[i]);
      }
      ASSERT_EQ(taken.reads_fields[i], whole.units().fields->is_read[i]);
      if (taken.reads_fields[i]) {
        ASSERT_EQ(taken.fields[i], whole.units().fields->units[i]);
      }
    }
    EXPECT_TRUE(std::ranges::is_sorted(taken.film)) << "mode " << mode;
    EXPECT_TRUE(std::ranges::is_sorted(taken.fields)) << "mode " << mode;
    EXPECT_LT(tables->map()->entries.end() - tables->map()->entries.begin(), 5000)
        << "old ones are discarded";
  }
}

// Every sequence of patterns, in one clip.
TEST(LiveDecisions, EntriesKeepTheBoundsOfPlans) {
  std::mt19937 random(11);
  FrameRun run{.first_frame = 0};
  for (int i = 0; i < 20000; i++)
    run.cycles.push_back(
        {.pattern = i > 0 && random() % 3 == 0 ? run.cycles.back().pattern : int(random() % kPatterns),
         .is_60p = random() % 6 == 0});
  run.frames = int64_t(run.cycles.size()) * kCycleFrames;
  TimesOfFrames times;
  for (int64_t n = 0; n < run.frames; n++) times.push_back({n, 1});
  const Cadence cadence({run});
  CombedFrames combed;
  for (int64_t i = 0; i < cadence.film_frames(); i++) combed.film.push_back(random() % 30 == 0);
  for (int64_t i = 0; i < cadence.frames(); i++) combed.frames.push_back(random() % 30 == 0);
  const NextCycles all{cadence, 0, 0, int64_t(run.cycles.size()), times};

  const auto expect_bounds = [](const FrameMap& map, const std::string& what) {
    const auto& entries = map.entries;
    for (int count = 1; count <= 30; count++)
      for (size_t i = 0, end = 0; i < entries.size(); i++) {
        while (end < entries.size() && entries[end].unit < entries[i].unit + count) end++;
        ASSERT_LE(int(end - i), graph::scaled_up(count, map.rate) + map.growth->more_entries) << what;
        if (i + size_t(count) >= entries.size()) continue;
        ASSERT_LE(entries[i + size_t(count)].unit - entries[i].unit,
                  graph::scaled_up(count, map.growth->units_each) + map.growth->more_units)
            << what;
      }
  };
  FilmTables film(kReach, true);
  film.add(all);
  ASSERT_NO_FATAL_FAILURE(expect_bounds(*film.film(), "film"));
  const auto expect_reach = [&](const UnitMap& map, auto from, auto to, const std::string& what) {
    for (size_t i = 0; i < map.units.size(); i++) {
      ASSERT_LE(to(map.units[i]) - from(i), map.after) << what;
      ASSERT_GE(to(map.units[i]) - from(i), -map.before) << what;
    }
  };
  const auto same = [](size_t frame) { return int64_t(frame); };
  const auto of_film = [&](size_t number) { return film.film()->entries[number].unit; };
  const auto of_field = [](int64_t field) { return field / 2; };
  const auto to_film = [&](int64_t number) { return of_film(size_t(number)); };
  ASSERT_NO_FATAL_FAILURE(expect_reach(*film.film_fields(), of_film, of_field, "fields"));
  ASSERT_NO_FATAL_FAILURE(expect_reach(*film.woven_fields(), of_film, of_field, "woven fields"));
  ASSERT_NO_FATAL_FAILURE(expect_reach(*film.film_of_frames(), same, to_film, "records"));
  for (const auto mode : {v1::KFM_MODE_VFR, v1::KFM_MODE_VFR30, v1::KFM_MODE_24P, v1::KFM_MODE_30P}) {
    OutputTables outputs({.mode = mode}, true);
    outputs.add(all, combed);
    const std::string what = fmt::format("mode {}", int(mode));
    ASSERT_NO_FATAL_FAILURE(expect_bounds(*outputs.map(), what));
    const auto of_output = [&](size_t i) { return outputs.map()->entries[i].unit; };
    const OutputUnits units = outputs.units();
    ASSERT_NO_FATAL_FAILURE(expect_reach(*units.film, of_output, to_film, what));
    ASSERT_NO_FATAL_FAILURE(expect_reach(*units.fields, of_output, of_field, what));
    for (const UnitMapPtr& read : {units.fields, units.film, units.film_masks, units.frame_masks})
      EXPECT_TRUE(std::ranges::is_sorted(read->units)) << what;
  }
}

// Replacements of random noise, added cycle by cycle: those of the whole clip, and units in order.
TEST(LiveDecisions, ReplacementsAreThoseOfAWholeClip) {
  std::mt19937 random(13);
  const CleanOptions options{.chroma = 0, .fd_thresh = 20, .sc_thresh = 20, .dup_factor = 0.8};
  FrameRun run{.first_frame = 0};
  for (int i = 0; i < 3000; i++)
    run.cycles.push_back(
        {.pattern = i > 0 && random() % 3 == 0 ? run.cycles.back().pattern : int(random() % kPatterns),
         .is_60p = random() % 3 == 0});
  run.frames = int64_t(run.cycles.size()) * kCycleFrames - 2;
  TimesOfFrames times;
  graph::Numbered<FieldNoise> noise;
  for (int64_t n = 0; n < run.frames; n++) {
    times.push_back({n, 1});
    for (int field = 0; field < 2; field++)
      noise.push_back({.luma = double(random() % 60),
                       .luma_change = double(random() % 8),
                       .comb = double(random() % 200)});
  }
  const Cadence whole({run});
  const CleanFields right = find_clean_fields(noise, whole, options);
  EXPECT_GT(right.film.size(), 100u);
  EXPECT_GT(right.frames.size(), 100u);
  EXPECT_GT(right.fields.size(), 100u);

  Cadence cadence;
  CleanFields clean;
  FilmTables film(kReach, true);
  ReplacedTables replaced_film(kReplacedReach, true), replaced_frames(kReplacedReach, true);
  OutputTables outputs({.mode = v1::KFM_MODE_60P}, true);
  CombedFrames combed;
  graph::Numbered<FieldNoise> known;
  cadence.begin_run(false);
  for (int64_t cycle = 0; cycle < int64_t(run.cycles.size()); cycle++) {
    const int64_t frames = std::min<int64_t>(kCycleFrames, run.frames - cadence.frames());
    const int64_t measured = 2 * std::min(kCycleFrames * cycle + kLastMatchedFrame + 1, run.frames);
    while (int64_t(known.size()) < measured) known.push_back(noise[known.size()]);
    cadence.add_cycle(run.cycles[size_t(cycle)], frames);
    if (cadence.frames() == run.frames) cadence.end_run();
    add_clean_fields(known, cadence, 0, cycle, cycle + 1, options, clean);
    const size_t first = film.film()->entries.size();
    film.add({cadence, 0, cycle, cycle + 1, times}, clean);
    for (size_t i = first; i < film.film()->entries.size(); i++)
      replaced_film.add(clean.film, 2 * film.film()->entries[i].unit);
    for (int64_t n = kCycleFrames * cycle; n < cadence.frames(); n++)
      replaced_frames.add(clean.frames, 2 * n);
  }
  EXPECT_EQ(clean.to_text(), right.to_text());
  for (int64_t i = 0; i < cadence.film_frames(); i++) combed.film.push_back(false);
  for (int64_t i = 0; i < cadence.frames(); i++) combed.frames.push_back(false);
  outputs.add({cadence, 0, 0, int64_t(run.cycles.size()), times}, combed, clean);
  const auto expect_order = [](const UnitMap& map, auto unit_of) {
    EXPECT_TRUE(std::ranges::is_sorted(map.units));
    for (size_t i = 0; i < map.units.size(); i++) {
      ASSERT_LE(std::abs(map.units[i] / 2 - unit_of(i)), map.before);
    }
  };
  const auto of_film = [&](size_t i) { return film.film()->entries[i].unit; };
  const auto of_frame = [](size_t i) { return int64_t(i); };
  const auto of_output = [&](size_t i) { return outputs.map()->entries[i].unit; };
  const ReplacedUnits of_films = replaced_film.units(), of_frames = replaced_frames.units();
  const OutputUnits units = outputs.units();
  for (const UnitMapPtr& map : {of_films.before, of_films.after}) expect_order(*map, of_film);
  for (const UnitMapPtr& map : {of_frames.before, of_frames.after}) expect_order(*map, of_frame);
  for (const UnitMapPtr& map : {units.before, units.after}) expect_order(*map, of_output);
}

}  // namespace
}  // namespace weft::filters::kfm
