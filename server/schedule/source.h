// SPDX-License-Identifier: Apache-2.0
// Describes the consumers of device time: a job's filter stage, a stream, a benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"

namespace weft::schedule {

// Number of a source, unique for the lifetime of a device. The code that opens the source assigns
// it.
using SourceId = uint64_t;

enum class SourceClass {
  // Frames with a period and a deadline. They start at once; admission limits the streams
  // (admission.h).
  kRealtime,
  kNormal,  // background work that receives a fair share of device time
  kSpare,   // background work that runs if no NORMAL source can run, or after the aging limit
};
inline constexpr int kWorkClasses = 3;

// Returns whether a class is background work: every class except REALTIME.
inline bool is_background(SourceClass c) { return c != SourceClass::kRealtime; }
const char* name_of(SourceClass c);  // returns "realtime", "normal" or "spare"

// Properties of a source at its opening.
struct SourceSpec {
  SourceId id = 0;
  SourceClass work_class = SourceClass::kNormal;
  int priority = 0;   // background: a higher one is served first within its class
  std::string job;    // job of the source, for reports; may be empty
  std::string owner;  // owners share the device time, then the sources of an owner
  // Share relative to other owners, above 0. The value of the owner's newest source applies.
  double owner_weight = 1;
  double weight = 1;  // share relative to the owner's other sources; above 0
  // Filter and format. Sources with the same key share the measured cost. Empty: not shared.
  std::string cost_key;
  int max_units = 1;  // largest batch that the planned memory holds; at least 1
  int portions = 1;   // portions of a source unit, each one unit of the schedule; at least 1
  // Cost of a unit until a cost is measured; zero: not declared.
  Duration declared_cost{0};
  // True for a background source of probes. Its units contain no work; their duration on the device
  // shows work of other programs (phase_lock.h). A probe runs when a measurement is due and no
  // other source has a ready unit for it. Probes are not reported as decisions.
  bool probes_only = false;

  // The following fields apply to REALTIME sources.
  Duration period{0};        // stated frame period; above zero
  int units_per_period = 1;  // at least 1
  // Time from a frame's arrival to its end on the device; zero: the period.
  Duration deadline{0};
  // Time of frame 0 in the stream's own clock: frame k arrives at first_frame + k * period. Empty:
  // the clock is estimated from the arrivals.
  std::optional<TimePoint> first_frame;
};

// Returns the effective deadline of a stream.
inline Duration deadline_of(const SourceSpec& stream) {
  return stream.deadline > Duration(0) ? stream.deadline : stream.period;
}

}  // namespace weft::schedule
