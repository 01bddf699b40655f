// SPDX-License-Identifier: Apache-2.0
// Computes the frames of KFM's outputs and their times from a cadence, cycle by cycle. Pure.
#pragma once

#include <map>
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

// The largest distance, in frames, from an output or a frame to a film frame that it reads, and
// from a film frame to its fields. Tables take it in source units of the network (`reach`).
inline constexpr int kReach = 2;

// Times of the frames of a clip, in the source's time unit.
using TimesOfFrames = graph::Numbered<RecordTimes>;

class UnitsRead;

// Cycles of a run, from `begin` to `end` - 1, that follow those added before.
struct NextCycles {
  const Cadence& cadence;
  size_t run = 0;
  int64_t begin = 0, end = 0;
  // Times of the frames of the cycles and of the next frame of the run.
  const TimesOfFrames& times;
};

// The film frames of a clip, and the units that their nodes read. Those of a clip without a known
// end grow.
class FilmTables {
 public:
  explicit FilmTables(int reach = kReach, bool grows = false);  // without frames
  // Creates the tables of a whole clip. `timed` has the times of the film frames. Its cadence may
  // differ, but not its runs.
  FilmTables(const Cadence& cadence, const FrameMap& timed, const CleanFields& clean, int reach);
  ~FilmTables();
  FilmTables(FilmTables&&) noexcept;
  FilmTables& operator=(FilmTables&&) noexcept;

  // Adds the film frames of cycles. Film frames with a replacement by weaving have its fields.
  void add(const NextCycles& cycles, const CleanFields& clean = {});
  // Permits the discarding of the entries of earlier frames.
  void discard(int64_t frame);

  // An entry's unit is the frame with the first field of the film frame, and its word the fields to
  // weave (kernels/telecine/film.h). Times divide each cycle evenly.
  std::shared_ptr<const FrameMap> film() const { return film_; }
  UnitMapPtr film_fields() const;   // by film frame: its first field with a comb measure
  UnitMapPtr woven_fields() const;  // the same among its woven fields
  UnitMapPtr first_fields() const;  // by source frame: its first field
  // By source frame: the film frame of the same cycle and index; the last frame of a cycle repeats
  // the one before.
  UnitMapPtr film_of_frames() const;

 private:
  void add_units(const Cadence& cadence, size_t run, int64_t begin, int64_t end);

  std::shared_ptr<FrameMap> film_;
  std::unique_ptr<UnitsRead> film_fields_, woven_fields_, first_fields_, film_of_frames_;
};

// The frames with combed parts, by number.
struct CombedFrames {
  graph::Numbered<bool> film;    // film frames
  graph::Numbered<bool> frames;  // source frames
};

// The units that each output reads.
struct OutputUnits {
  UnitMapPtr fields;                   // at field rate, where a 60p frame is read
  UnitMapPtr stills;                   // at frame rate, as `fields`
  UnitMapPtr film;                     // film frames, where one is read
  UnitMapPtr frames;                   // frames, where a 30p frame is read
  UnitMapPtr film_masks, frame_masks;  // where combed parts are replaced
  UnitMapPtr before, after;            // at field rate, where such a 60p frame is read
};

struct OutputOptions {
  v1::KfmMode mode = v1::KFM_MODE_VFR;
  v1::KfmTiming timing = v1::KFM_TIMING_60;
  int reach = kReach;  // see kReach
};

// The outputs of a mode, and the units that they read. Those of a clip without a known end grow.
class OutputTables {
 public:
  explicit OutputTables(const OutputOptions& options, bool grows = false);  // without outputs
  // Creates the tables of a whole clip with given outputs.
  OutputTables(const OutputOptions& options, const Cadence& cadence, std::shared_ptr<const FrameMap> map,
               const CleanFields& clean);
  ~OutputTables();

  // Adds the outputs that begin in cycles. The next cycle of the run, if there is one, and its
  // frames with combed parts must be known.
  void add(const NextCycles& cycles, const CombedFrames& combed, const CleanFields& clean = {});
  // Permits the discarding of the entries of earlier frames.
  void discard(int64_t frame);

  // An entry's unit is a source frame; its word states the treatment (kernels/telecine/film.h).
  std::shared_ptr<const FrameMap> map() const { return map_; }
  OutputUnits units() const;

 private:
  struct Units;
  // The place of the next output of a variable rate in its run.
  struct Place {
    int64_t field = 0;
    int shift = 0;           // shift of the start, in quarters of a frame's period
    bool is_second = false;  // it shares a duration with the output before
  };

  void add_film(const NextCycles& cycles, const CombedFrames& combed);
  void add_frames(const NextCycles& cycles, const CombedFrames& combed);
  void add_variable(const NextCycles& cycles, const CombedFrames& combed, const CleanFields& clean);
  void add_units(const Cadence& cadence, size_t output, const CleanFields& clean);

  const OutputOptions options_;
  std::shared_ptr<FrameMap> own_;  // null: the outputs were given
  std::shared_ptr<const FrameMap> map_;
  std::unique_ptr<Units> units_;
  Place place_;
};

// A 60p frame that replaces a picture is at most this number of frames away.
inline constexpr int kReplacedReach = kCycleFrames;

// The units that replaced pictures read. The word of an entry of `choices` is 0 for the picture
// itself, 1 and 2 for 60p frames that are made from earlier and from later fields.
struct ReplacedUnits {
  std::shared_ptr<const FrameMap> choices;  // an entry for each picture
  UnitMapPtr before, after;
};

// The replacements of pictures. Those of a clip without a known end grow.
class ReplacedTables {
 public:
  // `reach`: source units of kReplacedReach frames.
  explicit ReplacedTables(int reach = kReplacedReach, bool grows = false);
  ~ReplacedTables();
  ReplacedTables(ReplacedTables&&) noexcept;
  ReplacedTables& operator=(ReplacedTables&&) noexcept;

  // Adds the next picture. `field` is a field near it, which stands in for one that is not read.
  void add(const std::map<int64_t, Replacement>& replacements, int64_t field);
  // Completes the tables of a whole clip.
  void finish();
  // Permits the discarding of the entries of earlier pictures.
  void discard(int64_t picture);
  ReplacedUnits units() const;

 private:
  std::shared_ptr<FrameMap> choices_;
  std::unique_ptr<UnitsRead> before_, after_;
};

}  // namespace weft::filters::kfm
