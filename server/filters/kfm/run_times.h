// SPDX-License-Identifier: Apache-2.0
// The times of the frames of a clip, and the units that the nodes of its outputs read.
#pragma once

#include <algorithm>
#include <memory>

#include "server/filters/kfm/cadence.h"
#include "server/filters/kfm/timeline.h"

namespace weft::filters::kfm {

// Bounds of film frames and outputs. A cycle has at least four. Where the pattern changes, two more
// may begin in as many frames, or two frames more may pass from one to another.
inline constexpr graph::MapGrowth kGrowth{
    .more_entries = 2, .units_each = {kCycleFrames, kFilmFrames}, .more_units = 2};

// Times of a clip, in the source's time unit divided by kTimeDivisor.
class RunTimes {
 public:
  explicit RunTimes(const TimesOfFrames& times) : times_(times) {}

  // Returns the time at `quarters` quarters of a frame's period after the start of a run.
  int64_t at(const FrameRun& run, int64_t quarters) const {
    const int64_t frame = run.first_frame + std::min(quarters / 4, run.frames - 1);
    const int64_t part = quarters - 4 * (frame - run.first_frame);
    const RecordTimes& time = times_[size_t(frame)];
    const bool is_last = !run.is_open && frame + 1 == run.first_frame + run.frames;
    const int64_t period = is_last ? time.duration : times_[size_t(frame) + 1].pts - time.pts;
    return kTimeDivisor * time.pts + part * period;
  }

  // Returns the time of a film frame of a run, counted from the first one. An incomplete cycle has
  // a film frame for each of its frames.
  int64_t of_film(const FrameRun& run, int64_t film) const {
    const int64_t whole = run.frames / kCycleFrames * kFilmFrames;
    return at(run, film <= whole ? 5 * film : 5 * whole + 4 * (film - whole));
  }

 private:
  const TimesOfFrames& times_;
};

// Collects the units that a node reads. A unit of the node that reads none gets one between those
// of its neighbours, so that the units do not decrease.
class UnitsRead {
 public:
  UnitsRead(int reach, bool grows) {
    map_->before = map_->after = reach;
    map_->grows = grows;
  }
  void add(int64_t unit, bool is_read = true) {
    if (!is_read && !map_->units.empty()) unit = std::max(unit, map_->units.back());
    map_->units.push_back(unit);
    map_->is_read.push_back(is_read);
  }
  // Corrects the units after the last one was added. Units that grow need no correction if a unit
  // that is read is never before one that was stated for an earlier unit that reads none.
  void finish() {
    for (size_t i = map_->units.size(); i-- > 1;)
      if (!map_->is_read[i - 1]) map_->units[i - 1] = std::min(map_->units[i - 1], map_->units[i]);
  }
  void discard(size_t number) {
    map_->units.discard(number);
    map_->is_read.discard(number);
  }
  UnitMapPtr map() const { return map_; }

 private:
  std::shared_ptr<UnitMap> map_ = std::make_shared<UnitMap>();
};

}  // namespace weft::filters::kfm
