// SPDX-License-Identifier: Apache-2.0
#include "server/filters/kfm/timeline.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "kernels/telecine/film.h"
#include "server/filters/kfm/run_times.h"

namespace weft::filters::kfm {
namespace {

// A frame of the variable frame rate, in fields from the start of its run.
struct Shown {
  int64_t field = 0;
  int duration = 1;
  int source = SOURCE_60P;
  bool is_masked = false;
  bool masks_film = false;  // the mask is that of the film frame
  bool is_film = false;     // a film frame that ends when the next one begins
};

int word_source(FrameKind kind) {
  return kind == FrameKind::k24p ? SOURCE_24P : kind == FrameKind::k30p ? SOURCE_30P : SOURCE_60P;
}

// Returns the frame that begins at a field of a run.
Shown shown_at(int64_t field, const Cadence& cadence, const FrameRun& run, const CombedFrames& combed,
               v1::KfmMode mode) {
  const bool allows_60p = mode != v1::KFM_MODE_VFR30;
  const int64_t begin = 2 * run.first_frame, fields = 2 * run.frames;
  const auto displayed_at = [&](int64_t at) {
    return mode == v1::KFM_MODE_60P ? Displayed{FrameKind::k60p, begin + at}
                                    : cadence.displayed(begin + at, allows_60p);
  };
  const Displayed displayed = displayed_at(field);
  Shown shown{.field = field, .source = word_source(displayed.kind)};
  shown.masks_film = displayed.kind == FrameKind::k24p;
  if (displayed.kind == FrameKind::k24p) shown.is_masked = combed.film[size_t(displayed.number)];
  if (displayed.kind == FrameKind::k30p) shown.is_masked = combed.frames[size_t(displayed.number)];
  const bool is_single = shown.is_masked && allows_60p;
  const int most = is_single || displayed.kind == FrameKind::k60p ? 1
                   : displayed.kind == FrameKind::k30p            ? 2
                                                                  : 4;
  while (shown.duration < most && field + shown.duration < fields &&
         displayed_at(field + shown.duration) == displayed)
    shown.duration++;
  shown.is_film = displayed.kind == FrameKind::k24p && !is_single && shown.duration < 4;
  return shown;
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

}  // namespace

struct OutputTables::Units {
  Units(int reach, bool grows)
      : fields(0, grows),
        stills(0, grows),
        film(reach, grows),
        frames(0, grows),
        film_masks(reach, grows),
        frame_masks(0, grows),
        before(reach, grows),
        after(reach, grows) {}

  std::array<UnitsRead*, 8> all() {
    return {&fields, &stills, &film, &frames, &film_masks, &frame_masks, &before, &after};
  }

  UnitsRead fields, stills, film, frames, film_masks, frame_masks, before, after;
};

OutputTables::OutputTables(const OutputOptions& options, bool grows)
    : options_(options),
      own_(std::make_shared<FrameMap>()),
      map_(own_),
      units_(std::make_unique<Units>(options.reach, grows)) {
  own_->time_divisor = kTimeDivisor;
  own_->rate = options.mode == v1::KFM_MODE_24P   ? graph::Rate{kFilmFrames, kCycleFrames}
               : options.mode == v1::KFM_MODE_30P ? graph::Rate{1, 1}
                                                  : graph::Rate{2, 1};
  if (grows) own_->growth = kGrowth;
}

OutputTables::OutputTables(const OutputOptions& options, const Cadence& cadence,
                           std::shared_ptr<const FrameMap> map, const CleanFields& clean)
    : OutputTables(options) {
  own_.reset();
  map_ = std::move(map);
  for (size_t i = 0; i < map_->entries.size(); i++) add_units(cadence, i, clean);
  for (UnitsRead* read : units_->all()) read->finish();
}

OutputTables::~OutputTables() = default;

void OutputTables::add(const NextCycles& cycles, const CombedFrames& combed, const CleanFields& clean) {
  const size_t first = own_->entries.size();
  if (options_.mode == v1::KFM_MODE_24P)
    add_film(cycles, combed);
  else if (options_.mode == v1::KFM_MODE_30P)
    add_frames(cycles, combed);
  else
    add_variable(cycles, combed, clean);
  for (size_t i = first; i < own_->entries.size(); i++) add_units(cycles.cadence, i, clean);
}

void OutputTables::add_film(const NextCycles& cycles, const CombedFrames& combed) {
  const FrameRun& run = cycles.cadence.runs()[cycles.run];
  const RunTimes clock(cycles.times);
  const int64_t end = std::min(kFilmFrames * cycles.end, run.film_frames());
  for (int64_t film = kFilmFrames * cycles.begin; film < end; film++) {
    const int64_t number = cycles.cadence.first_film(cycles.run) + film;
    const int64_t field = field_for(cycles.cadence, number), begin = clock.of_film(run, film);
    own_->entries.push_back(
        {field / 2, begin, clock.of_film(run, film + 1) - begin,
         OUTPUT_WORD(SOURCE_24P, combed.film[size_t(number)] ? 1 : 0, int32_t(field % 2), 1)});
  }
}

void OutputTables::add_frames(const NextCycles& cycles, const CombedFrames& combed) {
  const FrameRun& run = cycles.cadence.runs()[cycles.run];
  const RunTimes clock(cycles.times);
  for (int64_t n = kCycleFrames * cycles.begin; n < std::min(kCycleFrames * cycles.end, run.frames); n++)
    own_->entries.push_back(
        {run.first_frame + n, clock.at(run, 4 * n), clock.at(run, 4 * n + 4) - clock.at(run, 4 * n),
         OUTPUT_WORD(SOURCE_30P, combed.frames[size_t(run.first_frame + n)] ? 1 : 0, 0, 0)});
}

void OutputTables::add_variable(const NextCycles& cycles, const CombedFrames& combed,
                                const CleanFields& clean) {
  const Cadence& cadence = cycles.cadence;
  const FrameRun& run = cadence.runs()[cycles.run];
  const RunTimes clock(cycles.times);
  const int64_t fields = 2 * run.frames, end = std::min(kCycleFields * cycles.end, fields);
  if (cycles.begin == 0) place_ = {};
  while (place_.field < end) {
    Shown shown = shown_at(place_.field, cadence, run, combed, options_.mode);
    Place next{.field = shown.field + shown.duration};
    // Two adjacent film frames with 5 fields together get equal durations.
    if (options_.timing == v1::KFM_TIMING_120 && shown.is_film && !place_.is_second && next.field < fields) {
      const Shown second = shown_at(next.field, cadence, run, combed, options_.mode);
      next.is_second = second.is_film && shown.duration + second.duration == 5;
      if (next.is_second) next.shift = 5 - 2 * shown.duration;
    }
    if (shown.source == SOURCE_60P) replace(shown, cadence, run, combed, clean, options_.mode);
    const int64_t begins = clock.at(run, 2 * place_.field + place_.shift);
    own_->entries.push_back({run.first_frame + shown.field / 2, begins,
                             clock.at(run, 2 * next.field + next.shift) - begins,
                             OUTPUT_WORD(shown.source, shown.is_masked ? 1 : 0, int32_t(shown.field % 2),
                                         shown.masks_film ? 1 : 0)});
    place_ = next;
  }
}

void OutputTables::add_units(const Cadence& cadence, size_t output, const CleanFields& clean) {
  const FrameMap::Entry& entry = map_->entries[output];
  const int source = OUTPUT_SOURCE(entry.word);
  const bool is_masked = OUTPUT_IS_MASKED(entry.word) != 0;
  const int64_t field = 2 * entry.unit + OUTPUT_IS_SECOND(entry.word);
  auto number = int64_t(output);
  if (options_.mode != v1::KFM_MODE_24P) {
    const Displayed displayed = cadence.displayed(field, false);
    const size_t run = cadence.run_of_frame(entry.unit);
    const int64_t in_run = entry.unit - cadence.runs()[run].first_frame;
    number = displayed.kind == FrameKind::k24p
                 ? displayed.number
                 : cadence.first_film(run) + in_run * kFilmFrames / kCycleFrames;
  }
  const bool reads_60p = source == SOURCE_60P || is_masked;
  units_->fields.add(field, reads_60p);
  units_->stills.add(entry.unit, reads_60p);
  units_->film.add(number, source == SOURCE_24P);
  units_->film_masks.add(number, is_masked && OUTPUT_MASKS_FILM(entry.word) != 0);
  units_->frames.add(entry.unit, source == SOURCE_30P);
  units_->frame_masks.add(entry.unit, is_masked && OUTPUT_MASKS_FILM(entry.word) == 0);
  const auto replaced = clean.fields.find(field);
  const bool is_replaced = source == SOURCE_BEFORE || source == SOURCE_AFTER;
  const int64_t from = is_replaced && replaced != clean.fields.end() ? replaced->second.field : field;
  units_->before.add(from, source == SOURCE_BEFORE);
  units_->after.add(from, source == SOURCE_AFTER);
}

void OutputTables::discard(int64_t frame) {
  const auto& entries = own_->entries;
  const auto oldest = std::ranges::lower_bound(entries, frame, {}, &FrameMap::Entry::unit);
  const size_t output = entries.first() + size_t(oldest - entries.begin());
  own_->entries.discard(output);
  for (UnitsRead* read : units_->all()) read->discard(output);
}

OutputUnits OutputTables::units() const {
  return {.fields = units_->fields.map(),
          .stills = units_->stills.map(),
          .film = units_->film.map(),
          .frames = units_->frames.map(),
          .film_masks = units_->film_masks.map(),
          .frame_masks = units_->frame_masks.map(),
          .before = units_->before.map(),
          .after = units_->after.map()};
}

ReplacedTables::ReplacedTables(int reach, bool grows)
    : choices_(std::make_shared<FrameMap>()),
      before_(std::make_unique<UnitsRead>(reach, grows)),
      after_(std::make_unique<UnitsRead>(reach, grows)) {
  if (grows) choices_->growth.emplace();
}

ReplacedTables::~ReplacedTables() = default;
ReplacedTables::ReplacedTables(ReplacedTables&&) noexcept = default;
ReplacedTables& ReplacedTables::operator=(ReplacedTables&&) noexcept = default;

void ReplacedTables::add(const std::map<int64_t, Replacement>& replacements, int64_t field) {
  constexpr int kBefore = 1, kAfter = 2;
  const auto number = int64_t(choices_->entries.size());
  const auto found = replacements.find(number);
  const bool is_found = found != replacements.end() && found->second.by != Replacement::By::kWeave;
  const int word = !is_found ? 0 : found->second.by == Replacement::By::kBefore ? kBefore : kAfter;
  choices_->entries.push_back({number, number, 1, word});
  before_->add(is_found ? found->second.field : field, word == kBefore);
  after_->add(is_found ? found->second.field : field, word == kAfter);
}

void ReplacedTables::finish() {
  before_->finish();
  after_->finish();
}

void ReplacedTables::discard(int64_t picture) {
  choices_->entries.discard(size_t(picture));
  before_->discard(size_t(picture));
  after_->discard(size_t(picture));
}

ReplacedUnits ReplacedTables::units() const { return {choices_, before_->map(), after_->map()}; }

}  // namespace weft::filters::kfm
