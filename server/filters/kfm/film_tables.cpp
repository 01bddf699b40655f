// SPDX-License-Identifier: Apache-2.0
// Computes the film frames of a cadence and the units that their nodes read.
#include <algorithm>
#include <utility>

#include "kernels/telecine/film.h"
#include "server/filters/kfm/run_times.h"

namespace weft::filters::kfm {
namespace {

// The fields of a film frame begin at most this number of fields after its first frame.
constexpr int64_t kMostWeaveOffset = 4;

// Returns the entry of a film frame, which is counted from the first one of its run, without times.
FrameMap::Entry film_entry(const Cadence& cadence, size_t number_of_run, int64_t film,
                           const CleanFields& clean) {
  const FrameRun& run = cadence.runs()[number_of_run];
  const int64_t number = cadence.first_film(number_of_run) + film;
  const FilmFields fields = cadence.film(number);
  const int64_t last = run.first_frame + run.frames - 1;
  const int64_t frame = std::clamp(fields.first_field >> 1, run.first_frame, last);
  FilmFields woven{2 * frame + std::clamp<int64_t>(fields.first_field - 2 * frame, -1, 1), fields.fields};
  const auto replaced = clean.film.find(number);
  if (replaced != clean.film.end() && replaced->second.by == Replacement::By::kWeave)
    woven = {std::clamp(replaced->second.field, 2 * frame, 2 * frame + kMostWeaveOffset), 2};
  return {.unit = frame,
          .word = FILM_WORD(int32_t(woven.first_field - 2 * frame), woven.fields, run.bottom_first ? 1 : 0,
                            fields.fields)};
}

std::unique_ptr<UnitsRead> units_read(int reach, bool grows) {
  return std::make_unique<UnitsRead>(reach, grows);
}

}  // namespace

FilmTables::FilmTables(int reach, bool grows)
    : film_(std::make_shared<FrameMap>()),
      film_fields_(units_read(0, grows)),
      woven_fields_(units_read(reach, grows)),
      first_fields_(units_read(0, grows)),
      film_of_frames_(units_read(reach, grows)) {
  film_->time_divisor = kTimeDivisor;
  film_->rate = {kFilmFrames, kCycleFrames};
  if (grows) film_->growth = kGrowth;
}

FilmTables::FilmTables(const Cadence& cadence, const FrameMap& timed, const CleanFields& clean, int reach)
    : FilmTables(reach) {
  for (size_t run = 0; run < cadence.runs().size(); run++) {
    for (int64_t film = 0; film < cadence.runs()[run].film_frames(); film++) {
      FrameMap::Entry entry = film_entry(cadence, run, film, clean);
      const FrameMap::Entry& times = timed.entries[film_->entries.size()];
      entry.pts = times.pts;
      entry.duration = times.duration;
      film_->entries.push_back(entry);
    }
    add_units(cadence, run, 0, int64_t(cadence.runs()[run].cycles.size()));
  }
}

FilmTables::~FilmTables() = default;
FilmTables::FilmTables(FilmTables&&) noexcept = default;
FilmTables& FilmTables::operator=(FilmTables&&) noexcept = default;

UnitMapPtr FilmTables::film_fields() const { return film_fields_->map(); }
UnitMapPtr FilmTables::woven_fields() const { return woven_fields_->map(); }
UnitMapPtr FilmTables::first_fields() const { return first_fields_->map(); }
UnitMapPtr FilmTables::film_of_frames() const { return film_of_frames_->map(); }

void FilmTables::add(const NextCycles& cycles, const CleanFields& clean) {
  const FrameRun& run = cycles.cadence.runs()[cycles.run];
  const int64_t end = std::min(kFilmFrames * cycles.end, run.film_frames());
  const RunTimes clock(cycles.times);
  for (int64_t film = kFilmFrames * cycles.begin; film < end; film++) {
    FrameMap::Entry entry = film_entry(cycles.cadence, cycles.run, film, clean);
    entry.pts = clock.of_film(run, film);
    entry.duration = clock.of_film(run, film + 1) - entry.pts;
    film_->entries.push_back(entry);
  }
  add_units(cycles.cadence, cycles.run, cycles.begin, cycles.end);
}

void FilmTables::add_units(const Cadence& cadence, size_t number, int64_t begin, int64_t end) {
  const FrameRun& run = cadence.runs()[number];
  const int64_t first_film = cadence.first_film(number);
  const int64_t begin_field = 2 * run.first_frame, last_field = begin_field + 2 * run.frames - 1;
  for (int64_t film = kFilmFrames * begin; film < std::min(kFilmFrames * end, run.film_frames()); film++) {
    const FilmFields fields = cadence.film(first_film + film);
    // The first frame stands in for the one before it.
    const bool is_before = fields.first_field < begin_field && fields.fields == 2;
    film_fields_->add(std::clamp(is_before ? begin_field + 1 : fields.first_field, begin_field, last_field));
    const FrameMap::Entry& entry = film_->entries[size_t(first_film + film)];
    const int first = FILM_FIRST(entry.word);
    woven_fields_->add(2 * entry.unit + (first < 0 ? (FILM_FIELDS(entry.word) == 2 ? 1 : 0) : first));
  }
  for (int64_t n = kCycleFrames * begin; n < std::min(kCycleFrames * end, run.frames); n++) {
    first_fields_->add(2 * (run.first_frame + n));
    const int64_t index = std::min<int64_t>(n % kCycleFrames, kFilmFrames - 1);
    film_of_frames_->add(first_film + n / kCycleFrames * kFilmFrames + index);
  }
}

void FilmTables::discard(int64_t frame) {
  const auto& entries = film_->entries;
  const auto oldest = std::ranges::lower_bound(entries, frame, {}, &FrameMap::Entry::unit);
  const size_t film = entries.first() + size_t(oldest - entries.begin());
  film_->entries.discard(film);
  film_fields_->discard(film);
  woven_fields_->discard(film);
  first_fields_->discard(size_t(std::max<int64_t>(frame, 0)));
  film_of_frames_->discard(size_t(std::max<int64_t>(frame, 0)));
}

}  // namespace weft::filters::kfm
