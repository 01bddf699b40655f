// SPDX-License-Identifier: Apache-2.0
// Computes the frames of KFM's outputs and their times from a cadence. Pure.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "server/filters/kfm/clean_fields.h"
#include "server/graph/analysis.h"
#include "weft/v1/kfm.pb.h"

namespace weft::filters::kfm {

using graph::FrameMap;
using graph::RecordTimes;
using graph::UnitMap;
using graph::UnitMapPtr;

// Divisor of the source's time unit in maps of film frames and in the timing 120.
inline constexpr int kTimeDivisor = 4;

// The film frames of a clip. An entry's unit is the frame with its first field, and its word the
// fields to weave (kernels/telecine/film.h). Times divide each cycle evenly. `times` has the times
// of all frames, in the source's time unit. Film frames with a replacement by weaving have its
// fields.
std::shared_ptr<const FrameMap> film_map(const Cadence& cadence, std::span<const RecordTimes> times,
                                         const CleanFields& clean = {});
// Returns the film frames of a cadence with the times of `timed`, the map of another cadence of the
// same runs.
std::shared_ptr<const FrameMap> film_map(const Cadence& cadence, const FrameMap& timed,
                                         const CleanFields& clean);

// For each film frame, the first field with a comb measure that belongs to it.
UnitMapPtr film_fields(const Cadence& cadence);
// For each film frame of film_map(), the first field with a comb measure among its woven fields.
UnitMapPtr woven_fields(const FrameMap& film);
// For each source frame, the film frame of the same cycle and index; the last frame of a cycle
// repeats the one before.
UnitMapPtr film_of_frames(const Cadence& cadence);

// The frames with combed parts, by number.
struct CombedFrames {
  std::vector<bool> film;    // film frames
  std::vector<bool> frames;  // source frames
};

// The outputs of a mode. An entry's unit is a source frame; its word states the treatment
// (kernels/telecine/film.h).
std::shared_ptr<const FrameMap> output_map(const Cadence& cadence, std::span<const RecordTimes> times,
                                           const CombedFrames& combed, const CleanFields& clean,
                                           v1::KfmMode mode, v1::KfmTiming timing);

// The units that each output reads.
struct OutputUnits {
  UnitMapPtr fields;                   // at field rate, where a 60p frame is read
  UnitMapPtr stills;                   // at frame rate, as `fields`
  UnitMapPtr film;                     // film frames, where one is read
  UnitMapPtr frames;                   // frames, where a 30p frame is read
  UnitMapPtr film_masks, frame_masks;  // where combed parts are replaced
  UnitMapPtr before, after;            // at field rate, where such a 60p frame is read
};
OutputUnits output_units(const Cadence& cadence, const FrameMap& map, const CleanFields& clean,
                         v1::KfmMode mode);

// The units that replaced pictures read. The word of an entry of `choices` is 0 for the picture
// itself, 1 and 2 for 60p frames that are made from earlier and from later fields.
struct ReplacedUnits {
  std::shared_ptr<const FrameMap> choices;  // an entry for each picture
  UnitMapPtr before, after;
};
// `fields_of` has a field near each picture, for the pictures that are not replaced.
ReplacedUnits replaced_units(const std::map<int64_t, Replacement>& replacements,
                             std::span<const int64_t> fields_of);

}  // namespace weft::filters::kfm
