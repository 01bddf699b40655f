// SPDX-License-Identifier: Apache-2.0
// Who wants time on a device: a job's filter stage, a stream, a benchmark. Plain values of the schedule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.h"

namespace weft::schedule {

// Never reused within a device's life; given by whoever opens the source.
using SourceId = uint64_t;

enum class SourceClass {
  kRealtime,  // frames with a period and a deadline; start at once; opened only if they fit (admission.h)
  kNormal,    // as fast as is fair
  kSpare,     // when no NORMAL source has anything to run, or it waited past the aging limit
};
inline constexpr int kWorkClasses = 3;

// Background: everything that is not REALTIME.
inline bool is_background(SourceClass c) { return c != SourceClass::kRealtime; }
const char* name_of(SourceClass c);  // "realtime", "normal", "spare"

// What is said once, when a source is opened.
struct SourceSpec {
  SourceId id = 0;
  SourceClass work_class = SourceClass::kNormal;
  int priority = 0;         // background: higher goes first, within its class
  std::string job;          // whose it is, for reports; may be empty
  std::string owner;        // device time is shared among owners first, then among an owner's sources
  double owner_weight = 1;  // the owner's part against other owners; above 0; the newest source's word counts
  double weight = 1;        // the source's part against its owner's other sources; above 0
  // Filter and format: sources with the same key share what is learnt of the cost. Empty: nobody else is told of it.
  std::string cost_key;
  int max_units = 1;  // of a batch, that memory was planned for; at least 1
  int portions = 1;   // of a unit of the source's work, each a unit of the schedule; at least 1
  size_t device_bytes_per_unit = 0;  // taken while a batch runs, from MemoryChanged's bytes; 0: planned for
  Duration declared_cost{0};         // of a unit; believed while nothing was measured; zero: not declared
  // A probe in the background: its units do no work, their time on the device shows whether another program uses it (phase_lock.h).
  // One runs when that has to be measured and no other source has a unit ready that would show it. It is not reported as a decision.
  bool looks_only = false;

  // REALTIME only.
  Duration period{0};        // between frames, as the stream states it; above zero
  int units_per_period = 1;  // at least 1
  Duration deadline{0};      // from a frame's being ready for work to its end on the device; zero: the period
  // The stream's frame clock: frame k comes at first_frame + k * period. Learnt from the arrivals if absent.
  std::optional<TimePoint> first_frame;
};

// A stream's deadline as its frames are held to it.
inline Duration deadline_of(const SourceSpec& stream) {
  return stream.deadline > Duration(0) ? stream.deadline : stream.period;
}

}  // namespace weft::schedule
