// SPDX-License-Identifier: Apache-2.0
// Whether one more REALTIME stream fits on a device, and the numbers that say so.
//
// A stream fits when two sums keep below their limits:
//   load: the sum of cost / period over all streams, plus other programs' part, is at most kAdmissionLimit;
//   delay: the sum of one frame of each stream is at most the shortest deadline.
// The second is the bound of a device that serves frames in the order they come, without taking turns: below full load
// what a frame finds waiting is at most one frame of each other stream (the backlog after time t is at most
// sum(cost) - t * (1 - load)).
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace weft::schedule {

inline constexpr double kAdmissionLimit = 0.85;  // of the device's time, REALTIME and other programs together

// A stream as the sums see it.
struct StreamLoad {
  Duration period{0};
  Duration frame_cost{0};  // of all units of one period; zero: not known
  Duration deadline{0};    // zero: the period
};

struct AdmissionRefusal {
  enum class Kind {
    kLoad,         // the load is past the limit
    kDelay,        // a frame of each stream does not fit into the shortest deadline
    kCostUnknown,  // no estimate was declared and nothing was measured: run a probe as a SPARE source first
    kBadPeriod,    // the period is not above zero
  };
  Kind kind = Kind::kLoad;
  double load = 0;  // with the new stream
  double limit = kAdmissionLimit;
  double free = 0;             // of the limit, without the new stream
  Duration frame_cost{0};      // of the new stream
  Duration delay{0};           // one frame of each stream, the new one included
  Duration deadline{0};        // the shortest, the new stream's included
  Duration fitting_period{0};  // the shortest period that would fit at this cost; zero: none

  // FAILED_PRECONDITION for kCostUnknown, INVALID_ARGUMENT for kBadPeriod, else RESOURCE_EXHAUSTED; the numbers are in
  // the sentence.
  Status to_status() const;
  bool operator==(const AdmissionRefusal&) const = default;
};

struct AdmissionDecision {
  bool admitted = false;
  double load = 0;           // with the new stream
  AdmissionRefusal refusal;  // when not admitted
};

// `foreign_load`: the part of the device's time that other programs use, 0 to 1.
AdmissionDecision admit(std::span<const StreamLoad> streams, const StreamLoad& candidate, double foreign_load,
                        double limit = kAdmissionLimit);

}  // namespace weft::schedule
