// SPDX-License-Identifier: Apache-2.0
// Decides on the admission of REALTIME streams to a device.
//
// A stream is admitted if two sums stay within their limits:
//   load: the sum of cost / period over all streams, plus external load; at most kAdmissionLimit
//   delay: the sum of the costs of one frame of each stream; at most the shortest deadline
// The delay is the longest wait on a device that serves frames in order of arrival. Below full
// load, a frame waits for at most one frame of each other stream (the backlog after time t is at
// most sum(cost) - t * (1 - load)).
#pragma once

#include <span>
#include <string>

#include "base/clock.h"
#include "base/status.h"

namespace weft::schedule {

// Largest share of the device's time that REALTIME streams and other programs together may use.
inline constexpr double kAdmissionLimit = 0.85;

// The properties of a stream that its admission depends on.
struct StreamLoad {
  Duration period{0};
  Duration frame_cost{0};  // cost of all units of one period; zero: unknown
  Duration deadline{0};    // latest end of a frame after its arrival; zero: the period
};

struct AdmissionRefusal {
  enum class Kind {
    kLoad,   // the load exceeds the limit
    kDelay,  // one frame of each stream takes longer than the shortest deadline
    // The cost is neither declared nor measured: measure it with a SPARE source first.
    kCostUnknown,
    kBadPeriod,  // the period is not positive
  };
  Kind kind = Kind::kLoad;
  double load = 0;  // load with the new stream
  double limit = kAdmissionLimit;
  double free = 0;             // limit minus the load without the new stream
  Duration frame_cost{0};      // cost of a frame of the new stream
  Duration delay{0};           // cost of one frame of each stream, with the new one
  Duration deadline{0};        // shortest deadline of all streams, with the new one
  Duration fitting_period{0};  // shortest period that the limit allows at this cost; zero: none

  // Returns FAILED_PRECONDITION for kCostUnknown, INVALID_ARGUMENT for kBadPeriod, otherwise
  // RESOURCE_EXHAUSTED. The message contains the values and the limits.
  Status to_status() const;
  bool operator==(const AdmissionRefusal&) const = default;
};

struct AdmissionDecision {
  bool admitted = false;
  double load = 0;           // load with the new stream
  AdmissionRefusal refusal;  // the reason, if not admitted
};

// Decides whether `candidate` fits next to `streams`. `external_load` is the share of the device's
// time that other programs use, 0 to 1.
AdmissionDecision admit(std::span<const StreamLoad> streams, const StreamLoad& candidate,
                        double external_load, double limit = kAdmissionLimit);

}  // namespace weft::schedule
