// SPDX-License-Identifier: Apache-2.0
// Records the newest bursts of work of another program, detected from delayed slices while the
// frames of that program are learnt.
#pragma once

#include <deque>

#include "server/schedule/external_load_advice.h"

namespace weft::schedule {

inline constexpr double kSamePause = 300e-6;  // s; longest pause that still belongs to one burst
// Seconds between the end of a slice and a burst for which the slice still determines the burst's
// start.
inline constexpr double kSeenBefore = 500e-6;

// A burst of work of another program; times in seconds.
struct Burst {
  double start = 0, end = 0;
  bool start_known = false;  // an undisturbed slice ended less than kSeenBefore earlier
};

class BurstLog {
 public:
  explicit BurstLog(int kept) : kept_(kept) {}

  void clear();
  // Adds a slice. `slow`: the slice met work of the other program. `quiet_until`: end of the last
  // slice that did not. `overhead`: measured duration of an undisturbed slice minus its prediction.
  // Returns true when a burst with a known start has ended.
  bool add(const TimedSlice& slice, bool slow, double quiet_until, double overhead);

  const std::deque<Burst>& bursts() const { return bursts_; }
  bool is_full() const { return int(bursts_.size()) >= kept_; }
  int seen() const { return seen_; }  // number of bursts since clear()
  bool is_in_burst() const { return in_burst_; }
  double burst_start() const { return burst_.start; }  // start of the current burst

 private:
  int kept_;
  std::deque<Burst> bursts_;
  bool in_burst_ = false;
  Burst burst_;
  int seen_ = 0;
};

}  // namespace weft::schedule
