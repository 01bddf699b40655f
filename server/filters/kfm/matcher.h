// SPDX-License-Identifier: Apache-2.0
// Determines the telecine pattern of each cycle of a clip, and the cycles of video at field rate,
// from statistics of its fields. Pure: no device, no samples.
//
// The current pattern changes only after several cycles have fitted another one better; the change
// then extends to the earlier cycles that the new pattern fits best. A cycle with a high cost, the
// measure of motion where no film frame ends, begins a section of 60p.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "server/filters/kfm/patterns.h"

namespace weft::filters::kfm {

// Statistics of a field: numbers of blocks of 8x8 samples at distances of 4. Combs are those of the
// field woven with the next one in time.
struct FieldCounts {
  int move = 0;         // blocks that differ from the field of the same parity one frame later
  int combs = 0;        // combed blocks
  int large_combs = 0;  // strongly combed blocks
};

// The options of KFM's analysis under their original names (v1::Kfm).
struct MatchOptions {
  double lscale = 5, costth = 1.5, adj2224 = 0.5, adj30 = 1.5;
  int range = 5;
  double thresh = 1;
  int past = 180;
  double th60 = 4, th24 = 1.5, rel24 = 0.2;
};

// The match of a pattern with a cycle.
struct CycleMatch {
  int pattern = 0;
  bool is_60p = false;
  double score = 0;        // higher: a better match
  double cost = 0;         // motion at boundaries of film frames that are no clear boundaries
  double reliability = 0;  // the same without the amount of motion; 0: all boundaries are clear
};

// Returns the number of cycles of a clip; the last one may be incomplete.
constexpr int cycles_of(int frames) { return (frames + kCycleFrames - 1) / kCycleFrames; }

// Returns the matches of all patterns with the cycle number `cycle`. `fields` has two entries per
// frame in order of time. Fields at the ends of the clip, without all neighbours, count for no
// pattern.
std::vector<CycleMatch> match_all(std::span<const FieldCounts> fields, int cycle, int64_t pixels,
                                  const MatchOptions& options);

// Matches the cycles of a clip while its fields arrive. The match of a cycle is final when `delay`
// further cycles have been matched; changes of the pattern and sections of 60p then extend to
// cycles that are not final only. Not thread-safe.
class CycleMatcher {
 public:
  static constexpr int kUnbounded = std::numeric_limits<int>::max();

  // `pixels` is the number of luma samples of a picture. `delay` is at least 0.
  CycleMatcher(int64_t pixels, const MatchOptions& options, int delay);
  ~CycleMatcher();
  CycleMatcher(CycleMatcher&&) noexcept;
  CycleMatcher& operator=(CycleMatcher&&) noexcept;

  // Adds the two fields of the next frame, in order of time.
  void push(const FieldCounts& first, const FieldCounts& second);
  void finish();  // ends the clip; all matches become final
  // Returns the next final match, or nullopt if there is none yet.
  std::optional<CycleMatch> next();

 private:
  class State;
  std::unique_ptr<State> state_;
};

// Number of the frame, counted from the first one of a cycle, with which the cycle can be matched.
inline constexpr int kLastMatchedFrame = (kWindowFields - kWindowBefore + 3) / 2;

// Returns the match of each cycle of a whole clip. `pixels` is the number of luma samples of a
// picture.
std::vector<CycleMatch> match_cycles(std::span<const FieldCounts> fields, int64_t pixels,
                                     const MatchOptions& options);

// Marks the cycles of 60p. The clip begins in a section of 60p.
void mark_60p(std::span<CycleMatch> cycles, const MatchOptions& options);

}  // namespace weft::filters::kfm
