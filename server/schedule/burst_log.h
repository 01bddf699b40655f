// SPDX-License-Identifier: Apache-2.0
// The newest times in which another program was at work, as slices of ours show them while its frames are learnt.
#pragma once

#include <deque>

#include "server/schedule/foreign_advice.h"

namespace weft::schedule {

inline constexpr double kSamePause = 300e-6;   // s: a pause this short is within a frame
inline constexpr double kSeenBefore = 500e-6;  // s: a slice that ended this long before a burst saw its start

// Seconds throughout.
struct Burst {
  double start = 0, end = 0;
  bool start_known = false;  // we were on the device just before
};

class BurstLog {
 public:
  explicit BurstLog(int kept) : kept_(kept) {}

  void clear();
  // Takes in a slice. `slow`: it met the other program. `quiet_until`: the end of the last one that did not. `overhead`: of a slice
  // alone, beyond its prediction. True: a burst has ended whose start was seen.
  bool add(const TimedSlice& slice, bool slow, double quiet_until, double overhead);

  const std::deque<Burst>& bursts() const { return bursts_; }
  bool is_full() const { return int(bursts_.size()) >= kept_; }
  int seen() const { return seen_; }  // bursts since clear()
  bool is_in_burst() const { return in_burst_; }
  double burst_start() const { return burst_.start; }  // of the one that goes on

 private:
  int kept_;
  std::deque<Burst> bursts_;
  bool in_burst_ = false;
  Burst burst_;
  int seen_ = 0;
};

}  // namespace weft::schedule
