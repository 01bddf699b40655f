// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/timeline.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/telecine/film.h"

namespace weft::filters::kfm {
namespace {

// A film frame that an output reads begins at most this number of source frames away.
constexpr int kReach = kCycleFrames;
// The fields of a film frame begin at most this number of fields after its first frame.
constexpr int64_t kMostWeaveOffset = 4;

// Times of a clip, in the source's time unit divided by kTimeDivisor.
class RunTimes {
 public:
  explicit RunTimes(std::span<const RecordTimes> times) : times_(times) {}

  // Returns the time at `quarters` quarters of a frame's period after the start of a run.
  int64_t at(const FrameRun& run, int64_t quarters) const {
    const int64_t frame = run.first_frame + std::min(quarters / 4, run.frames - 1);
    const int64_t part = quarters - 4 * (frame - run.first_frame);
    const RecordTimes& time = times_[size_t(frame)];
    const bool is_last = frame + 1 == run.first_frame + run.frames;
    const int64_t period = is_last ? time.duration : times_[size_t(frame) + 1].pts - time.pts;
    return kTimeDivisor * time.pts + part * period;
  }

 private:
  std::span<const RecordTimes> times_;
};

// A frame of the variable frame rate, in fields from the start of its run.
struct Shown {
  int64_t field = 0;
  int duration = 1;
  int source = SOURCE_60P;
  bool is_masked = false;
  bool masks_film = false;  // the mask is that of the film frame
  bool is_film = false;     // a film frame that ends when the next one begins
  int shift = 0;            // shift of the start, in quarters of a frame's period
};

int word_source(FrameKind kind) {
  return kind == FrameKind::k24p ? SOURCE_24P : kind == FrameKind::k30p ? SOURCE_30P : SOURCE_60P;
}

std::vector<Shown> shown_frames(const Cadence& cadence, const FrameRun& run, const CombedFrames& combed,
                                v1::KfmMode mode) {
  const bool allows_60p = mode != v1::KFM_MODE_VFR30;
  const auto displayed_at = [&](int64_t field) {
    return mode == v1::KFM_MODE_60P ? Displayed{FrameKind::k60p, field}
                                    : cadence.displayed(field, allows_60p);
  };
  const int64_t begin = 2 * run.first_frame, end = begin + 2 * run.frames;
  std::vector<Shown> frames;
  for (int64_t field = begin; field < end; field += frames.back().duration) {
    const Displayed displayed = displayed_at(field);
    Shown shown{.field = field - begin, .source = word_source(displayed.kind)};
    shown.masks_film = displayed.kind == FrameKind::k24p;
    if (displayed.kind == FrameKind::k24p) shown.is_masked = combed.film[size_t(displayed.number)];
    if (displayed.kind == FrameKind::k30p) shown.is_masked = combed.frames[size_t(displayed.number)];
    const bool is_single = shown.is_masked && allows_60p;
    const int most = is_single || displayed.kind == FrameKind::k60p ? 1
                     : displayed.kind == FrameKind::k30p            ? 2
                                                                    : 4;
    while (shown.duration < most && field + shown.duration < end &&
           displayed_at(field + shown.duration) == displayed)
      shown.duration++;
    shown.is_film = displayed.kind == FrameKind::k24p && !is_single && shown.duration < 4;
    frames.push_back(shown);
  }
  return frames;
}

// Gives two adjacent film frames with 5 fields together equal durations.
void pace_film(std::vector<Shown>& frames) {
  for (size_t i = 0; i + 1 < frames.size(); i++) {
    if (!frames[i].is_film || !frames[i + 1].is_film || frames[i].duration + frames[i + 1].duration != 5)
      continue;
    frames[i + 1].shift = 5 - 2 * frames[i].duration;
    i++;
  }
}

// Replaces a 60p frame by one that is made from one side.
void replace(Shown& shown, const Cadence& cadence, const FrameRun& run, const CombedFrames& combed,
             const CleanFields& clean, v1::KfmMode mode) {
  const int64_t field = 2 * run.first_frame + shown.field;
  const auto found = clean.fields.find(field);
  if (found == clean.fields.end()) return;
  shown.source = found->second.by == Replacement::By::kBefore ? SOURCE_BEFORE : SOURCE_AFTER;
  if (!found->second.is_masked || mode != v1::KFM_MODE_VFR) return;
  const Displayed displayed = cadence.displayed(field, false);
  shown.masks_film = displayed.kind == FrameKind::k24p;
  shown.is_masked = (shown.masks_film ? combed.film : combed.frames)[size_t(displayed.number)];
}

void add_variable(const Cadence& cadence, const FrameRun& run, const RunTimes& clock,
                  const CombedFrames& combed, const CleanFields& clean, v1::KfmMode mode, bool is_paced,
                  FrameMap& map) {
  std::vector<Shown> frames = shown_frames(cadence, run, combed, mode);
  if (is_paced) pace_film(frames);
  for (Shown& shown : frames)
    if (shown.source == SOURCE_60P) replace(shown, cadence, run, combed, clean, mode);
  const auto start = [&](const Shown& shown) { return clock.at(run, 2 * shown.field + shown.shift); };
  for (size_t i = 0; i < frames.size(); i++) {
    const Shown& shown = frames[i];
    const int64_t end = i + 1 < frames.size() ? start(frames[i + 1]) : clock.at(run, 4 * run.frames);
    map.entries.push_back({run.first_frame + shown.field / 2, start(shown), end - start(shown),
                           OUTPUT_WORD(shown.source, shown.is_masked ? 1 : 0, int32_t(shown.field % 2),
                                       shown.masks_film ? 1 : 0)});
  }
}

// Returns the field with the 60p frame that replaces combed parts of a film frame.
int64_t field_for(const Cadence& cadence, int64_t film) {
  constexpr int kMiddles[kFilmFrames] = {1, 3, 6, 8};
  const size_t number = cadence.run_of_film(film);
  const FrameRun& run = cadence.runs()[number];
  const int64_t in_run = film - cadence.first_film(number);
  const int64_t cycle = std::min(in_run / kFilmFrames, int64_t(run.cycles.size()) - 1);
  const FilmFields fields = cadence.film(film);
  const int64_t first = 2 * run.first_frame;
  const int64_t middle =
      first + cycle * kCycleFields + kMiddles[std::min<int64_t>(in_run - cycle * kFilmFrames, 3)];
  const int64_t field = std::clamp(middle, fields.first_field, fields.first_field + fields.fields - 1);
  return std::clamp(field, first, first + 2 * run.frames - 1);
}

// Collects the units that outputs read. An output that reads none gets a unit between those of its
// neighbours, so that the units do not decrease.
class UnitsRead {
 public:
  void add(int64_t unit, bool is_read) {
    map_->units.push_back(unit);
    map_->is_read.push_back(is_read);
  }
  UnitMapPtr finish(int reach) {
    int64_t bound = std::numeric_limits<int64_t>::max();
    for (size_t i = map_->units.size(); i-- > 0;) {
      if (!map_->is_read[i]) map_->units[i] = std::min(map_->units[i], bound);
      bound = std::min(bound, map_->units[i]);
    }
    for (size_t i = 1; i < map_->units.size(); i++)
      if (!map_->is_read[i]) map_->units[i] = std::max(map_->units[i], map_->units[i - 1]);
    map_->before = map_->after = reach;
    return map_;
  }

 private:
  std::shared_ptr<UnitMap> map_ = std::make_shared<UnitMap>();
};

}  // namespace

std::shared_ptr<const FrameMap> film_map(const Cadence& cadence, std::span<const RecordTimes> times,
                                         const CleanFields& clean) {
  FrameMap timed;
  timed.time_divisor = kTimeDivisor;
  timed.rate = {kFilmFrames, kCycleFrames};
  const RunTimes clock(times);
  for (const FrameRun& run : cadence.runs()) {
    // An incomplete cycle has a film frame for each of its frames.
    const int64_t whole = run.frames / kCycleFrames * kFilmFrames;
    const auto start = [&](int64_t film) {
      return clock.at(run, film <= whole ? 5 * film : 5 * whole + 4 * (film - whole));
    };
    for (int64_t film = 0; film < run.film_frames(); film++)
      timed.entries.push_back({.pts = start(film), .duration = start(film + 1) - start(film)});
  }
  return film_map(cadence, timed, clean);
}

std::shared_ptr<const FrameMap> film_map(const Cadence& cadence, const FrameMap& timed,
                                         const CleanFields& clean) {
  auto map = std::make_shared<FrameMap>(timed);
  for (size_t i = 0; i < map->entries.size(); i++) {
    const auto number = int64_t(i);
    const FilmFields fields = cadence.film(number);
    const FrameRun& run = cadence.runs()[cadence.run_of_film(number)];
    const int64_t last = run.first_frame + run.frames - 1;
    const int64_t frame = std::clamp(fields.first_field >> 1, run.first_frame, last);
    FilmFields woven{2 * frame + std::clamp<int64_t>(fields.first_field - 2 * frame, -1, 1), fields.fields};
    const auto replaced = clean.film.find(number);
    if (replaced != clean.film.end() && replaced->second.by == Replacement::By::kWeave)
      woven = {std::clamp(replaced->second.field, 2 * frame, 2 * frame + kMostWeaveOffset), 2};
    map->entries[i].unit = frame;
    map->entries[i].word = FILM_WORD(int32_t(woven.first_field - 2 * frame), woven.fields,
                                     run.bottom_first ? 1 : 0, fields.fields);
  }
  return map;
}

UnitMapPtr film_fields(const Cadence& cadence) {
  UnitsRead read;
  for (int64_t film = 0; film < cadence.film_frames(); film++) {
    const FrameRun& run = cadence.runs()[cadence.run_of_film(film)];
    const FilmFields fields = cadence.film(film);
    const int64_t begin = 2 * run.first_frame, last = begin + 2 * run.frames - 1;
    // The first frame stands in for the one before it.
    const int64_t first = fields.first_field < begin && fields.fields == 2 ? begin + 1 : fields.first_field;
    read.add(std::clamp(first, begin, last), true);
  }
  return read.finish(kReach);
}

UnitMapPtr woven_fields(const FrameMap& film) {
  UnitsRead read;
  for (const FrameMap::Entry& entry : film.entries) {
    const int first = FILM_FIRST(entry.word);
    // The first frame stands in for the one before it.
    read.add(2 * entry.unit + (first < 0 ? (FILM_FIELDS(entry.word) == 2 ? 1 : 0) : first), true);
  }
  return read.finish(kReach);
}

UnitMapPtr film_of_frames(const Cadence& cadence) {
  UnitsRead read;
  for (size_t r = 0; r < cadence.runs().size(); r++)
    for (int64_t frame = 0; frame < cadence.runs()[r].frames; frame++) {
      const int64_t index = std::min<int64_t>(frame % kCycleFrames, kFilmFrames - 1);
      read.add(cadence.first_film(r) + frame / kCycleFrames * kFilmFrames + index, true);
    }
  return read.finish(kReach);
}

std::shared_ptr<const FrameMap> output_map(const Cadence& cadence, std::span<const RecordTimes> times,
                                           const CombedFrames& combed, const CleanFields& clean,
                                           v1::KfmMode mode, v1::KfmTiming timing) {
  auto map = std::make_shared<FrameMap>();
  map->time_divisor = kTimeDivisor;
  map->rate = {2, 1};
  const RunTimes clock(times);
  if (mode == v1::KFM_MODE_24P) {
    const auto film = film_map(cadence, times);
    map->rate = film->rate;
    for (size_t i = 0; i < film->entries.size(); i++) {
      const int64_t field = field_for(cadence, int64_t(i));
      map->entries.push_back({field / 2, film->entries[i].pts, film->entries[i].duration,
                              OUTPUT_WORD(SOURCE_24P, combed.film[i] ? 1 : 0, int32_t(field % 2), 1)});
    }
    return map;
  }
  for (const FrameRun& run : cadence.runs()) {
    if (mode != v1::KFM_MODE_30P) {
      add_variable(cadence, run, clock, combed, clean, mode, timing == v1::KFM_TIMING_120, *map);
      continue;
    }
    map->rate = {1, 1};
    for (int64_t n = 0; n < run.frames; n++)
      map->entries.push_back(
          {run.first_frame + n, clock.at(run, 4 * n), clock.at(run, 4 * n + 4) - clock.at(run, 4 * n),
           OUTPUT_WORD(SOURCE_30P, combed.frames[size_t(run.first_frame + n)] ? 1 : 0, 0, 0)});
  }
  return map;
}

OutputUnits output_units(const Cadence& cadence, const FrameMap& map, const CleanFields& clean,
                         v1::KfmMode mode) {
  UnitsRead fields, stills, film, frames, film_masks, frame_masks, before, after;
  for (size_t i = 0; i < map.entries.size(); i++) {
    const FrameMap::Entry& entry = map.entries[i];
    const int source = OUTPUT_SOURCE(entry.word);
    const bool is_masked = OUTPUT_IS_MASKED(entry.word) != 0;
    const int64_t field = 2 * entry.unit + OUTPUT_IS_SECOND(entry.word);
    const Displayed displayed = cadence.displayed(field, false);
    const FrameRun& run = cadence.runs()[cadence.run_of_frame(entry.unit)];
    const size_t r = cadence.run_of_frame(entry.unit);
    int64_t number = mode == v1::KFM_MODE_24P ? int64_t(i) : displayed.number;
    if (mode != v1::KFM_MODE_24P && displayed.kind != FrameKind::k24p)
      number = cadence.first_film(r) + (entry.unit - run.first_frame) * kFilmFrames / kCycleFrames;
    const bool reads_60p = source == SOURCE_60P || is_masked;
    fields.add(field, reads_60p);
    stills.add(entry.unit, reads_60p);
    film.add(number, source == SOURCE_24P);
    film_masks.add(number, is_masked && OUTPUT_MASKS_FILM(entry.word) != 0);
    frames.add(entry.unit, source == SOURCE_30P);
    frame_masks.add(entry.unit, is_masked && OUTPUT_MASKS_FILM(entry.word) == 0);
    const auto replaced = clean.fields.find(field);
    const bool is_replaced = source == SOURCE_BEFORE || source == SOURCE_AFTER;
    const int64_t from = is_replaced && replaced != clean.fields.end() ? replaced->second.field : field;
    before.add(from, source == SOURCE_BEFORE);
    after.add(from, source == SOURCE_AFTER);
  }
  return {.fields = fields.finish(0),
          .stills = stills.finish(0),
          .film = film.finish(kReach),
          .frames = frames.finish(0),
          .film_masks = film_masks.finish(kReach),
          .frame_masks = frame_masks.finish(0),
          .before = before.finish(1),
          .after = after.finish(1)};
}

ReplacedUnits replaced_units(const std::map<int64_t, Replacement>& replacements,
                             std::span<const int64_t> fields_of) {
  constexpr int kBefore = 1, kAfter = 2;
  auto choices = std::make_shared<FrameMap>();
  UnitsRead before, after;
  for (size_t n = 0; n < fields_of.size(); n++) {
    const auto found = replacements.find(int64_t(n));
    const bool is_found = found != replacements.end() && found->second.by != Replacement::By::kWeave;
    const int word = !is_found ? 0 : found->second.by == Replacement::By::kBefore ? kBefore : kAfter;
    choices->entries.push_back({int64_t(n), int64_t(n), 1, word});
    before.add(is_found ? found->second.field : fields_of[n], word == kBefore);
    after.add(is_found ? found->second.field : fields_of[n], word == kAfter);
  }
  return {std::move(choices), before.finish(kReach), after.finish(kReach)};
}

}  // namespace weft::filters::kfm
