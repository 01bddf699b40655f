// SPDX-License-Identifier: Apache-2.0
// What the schedule knows of programs that use the device and know nothing of us: until when it is free of their work.
#pragma once

#include "base/clock.h"

namespace weft::schedule {

enum class ForeignPolicy {
  kIgnore,  // nobody is there, or whoever is there is not protected
  kLock,    // background only from free_from until free_until; then nothing until the next ForeignGap
  kShort,   // no period is known: short batches (ScheduleLimits::foreign_slice), one in flight, at any time
  kYield,   // no background at all
};

// An event of the device's schedule; holds until the next one comes. Whoever measures the foreign program posts one
// for each of its gaps, at the latest at the WakeAt that the schedule gives for free_until.
struct ForeignGap {
  ForeignPolicy policy = ForeignPolicy::kIgnore;
  TimePoint free_from{};  // kLock
  TimePoint free_until{};
  // Of the lock, from 0 to 1: the time a batch may end before free_until shrinks with it (see background.cpp).
  double confidence = 1;
  double load =
      0;  // the part of the device's time that the program uses, 0 to 1: for admission and the measures
};

}  // namespace weft::schedule
