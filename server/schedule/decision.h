// SPDX-License-Identifier: Apache-2.0
// Records the newest decisions of a schedule, and the use of each period's time.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "server/schedule/source.h"

namespace weft::schedule {

enum class Reason {
  // A batch started:
  kFrame,       // a REALTIME frame, which starts at once
  kQuantum,     // no stream or other program to protect: the batch lasts up to the quantum
  kGap,         // a batch that fits into the rest of the gap
  kShortSlice,  // a short batch: the next frame's time is unknown, or the frame is late
  kProbe,       // one unit of unknown cost
  kSeldom,      // a single unit that may make frames wait, which happens rarely
  kAged,        // a batch of a source that waited beyond the aging limit
  // Nothing started although a source waits:
  kFrameInWork,   // a REALTIME frame is ready or running
  kArrivalNear,   // the next frame arrives too soon
  kExternalWork,  // another program uses the device
  kBudgetSpent,   // the budget of background work is used up
  kDeviceFilled,  // the maximum number of batches is in flight
  kTooLong,       // no unit of a waiting source fits now
  // A source has waited twice the aging limit because each of its units would make frames late.
  kStarves,
};
bool is_start(Reason reason);
// Returns the name of a reason: "frame", "quantum", ... "starves".
const char* name_of(Reason reason);

struct Decision {
  uint64_t serial = 0;  // number of the decision, from 1
  TimePoint time{};
  Reason reason = Reason::kQuantum;
  SourceId source = 0;  // started or starving source; 0: nothing started
  SourceClass work_class = SourceClass::kNormal;
  Duration spare{0};   // spare time of the last period
  Duration budget{0};  // remaining budget; zero: unlimited, or none left
  // Time until background work must have ended; zero: unlimited, or none left.
  Duration gap{0};
  int units = 0;          // units of the batch; 0: nothing started
  Duration predicted{0};  // predicted cost; zero: unknown
  Duration real{0};       // measured device time; zero: the batch has not ended
};

// Ring buffer of the newest kCapacity decisions.
class DecisionRing {
 public:
  static constexpr size_t kCapacity = 4096;

  // Records a decision and returns its serial number.
  uint64_t record(Decision decision);
  // Sets `real` of the decision `serial`. Has no effect if the decision is no longer stored.
  void finish(uint64_t serial, Duration real);
  uint64_t newest() const { return next_serial_ - 1; }  // serial number; 0: no decision
  // Returns the stored decisions with serial numbers above `serial`, oldest first; at most `limit`.
  std::vector<Decision> after(uint64_t serial, size_t limit = kCapacity) const;

 private:
  std::vector<Decision> ring_;
  uint64_t next_serial_ = 1;
};

// Measured use of one period's time. The period is the shortest one of the REALTIME streams, or
// kIdlePeriod without a stream.
struct PeriodMeasure {
  TimePoint start{};
  Duration length{0};
  std::array<Duration, kWorkClasses> busy{};  // device time by class
  Duration external_load{0};                  // known device time of other programs
  // Length minus the time of REALTIME and of other programs.
  Duration spare{0};
  // Budget of background work at the start of the period.
  Duration budget{0};
  // Predicted cost of the background batches that started in the period.
  Duration granted{0};
  int misses = 0;  // REALTIME frames that ended after their deadline

  Duration used() const { return busy[size_t(SourceClass::kNormal)] + busy[size_t(SourceClass::kSpare)]; }
};
inline constexpr Duration kIdlePeriod = std::chrono::microseconds(16'667);

// Totals since the device was opened, as in PeriodMeasure.
struct DeviceTotals {
  int64_t periods = 0;
  std::array<Duration, kWorkClasses> busy{};
  Duration external_load{0}, spare{0}, budget{0}, granted{0};
  int64_t frames = 0;  // finished REALTIME frames
  int64_t misses = 0;
  int64_t batches = 0;  // background batches
};

}  // namespace weft::schedule
