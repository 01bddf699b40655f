// SPDX-License-Identifier: Apache-2.0
// The result of KFM's analysis of a clip: the telecine pattern of each cycle, and the frames that
// follow from the patterns. Pure; has a text form that users may edit.
//
// A clip consists of runs, sequences of frames without a discontinuity. Each run has its own
// cycles. Frames, fields and film frames are numbered through the whole clip: frame n has the
// fields 2n and 2n + 1 in order of time.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/filters/kfm/matcher.h"
#include "server/graph/analysis.h"
#include "server/graph/numbered.h"

namespace weft::filters::kfm {

struct FrameRun {
  int64_t first_frame = 0;
  int64_t frames = 0;
  bool bottom_first = false;  // the bottom field of each frame is its first one
  graph::Numbered<CycleMatch> cycles{};
  bool is_open = false;  // further frames may follow in whole cycles (Cadence::add_cycle)

  // Number of film frames: 4 per cycle; an incomplete cycle at the end has one per frame.
  int64_t film_frames() const { return frames / kCycleFrames * kFilmFrames + frames % kCycleFrames; }
};

// A film frame of the clip.
struct FilmFields {
  int64_t first_field = 0;  // may be one before the first field of the run
  int fields = 2;
};

// A frame that is displayed at a field's time.
enum class FrameKind { k60p, k30p, k24p };
struct Displayed {
  FrameKind kind = FrameKind::k60p;
  int64_t number = 0;  // number of the field, the frame or the film frame
  bool operator==(const Displayed&) const = default;
};

// Grows while a clip is analysed that has no known end. Not thread-safe while it grows.
class Cadence {
 public:
  Cadence() : starts_(1) {}  // a clip without frames
  // Runs follow each other without gaps from frame 0 on. Each has cycles_of(frames) cycles.
  explicit Cadence(std::vector<FrameRun> runs);

  // Begins an open run.
  void begin_run(bool bottom_first);
  // Adds a cycle of `frames` frames to the open run. A cycle of fewer than kCycleFrames frames is
  // the last one.
  void add_cycle(const CycleMatch& cycle, int64_t frames);
  void end_run() { runs_.back().is_open = false; }
  // Permits the discarding of the cycles of a run before the one with the frame `frame`.
  void discard(size_t run, int64_t frame);

  const std::vector<FrameRun>& runs() const { return runs_; }
  int64_t frames() const { return starts_.back().frame; }
  int64_t film_frames() const { return starts_.back().film; }

  // Return the index of the run of a frame or of a film frame.
  size_t run_of_frame(int64_t frame) const;
  size_t run_of_film(int64_t film) const;
  // Returns the number of the first film frame of a run.
  int64_t first_film(size_t run) const { return starts_[run].film; }

  FilmFields film(int64_t number) const;
  // Returns the frame to display at a field. `allows_60p`: cycles of 60p have one frame per field.
  Displayed displayed(int64_t field, bool allows_60p) const;

  // Returns the sections of the clip, one per cycle, and a report of the share of each kind in
  // source frames. `film` has the film frames (film_map()), and `time_divisor` is that of the
  // clip's clock.
  graph::DecisionSummary summary(const graph::FrameMap& film, double time_divisor) const;

  // Returns a line for each run, "run FIRST FRAMES top|bottom", followed by one for each of its
  // cycles, "FRAME PATTERN 60p|film SCORE COST RELIABILITY", with the number of its first frame.
  std::string to_text() const;
  // INVALID_ARGUMENT: a line is no such line, or runs and cycles do not follow each other.
  static StatusOr<Cadence> parse(std::string_view text);

 private:
  struct Start {
    int64_t frame = 0, film = 0;
  };
  std::vector<FrameRun> runs_;
  std::vector<Start> starts_;  // begin of each run, and the end
};

}  // namespace weft::filters::kfm
