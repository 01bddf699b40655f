// SPDX-License-Identifier: Apache-2.0
// Why the device did what it did: the newest decisions of its schedule, and what each period's time went to.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/clock.h"
#include "server/schedule/source.h"

namespace weft::schedule {

enum class Reason {
  // A batch started:
  kFrame,       // REALTIME: at once
  kQuantum,     // nobody is to be protected: a batch aims at the quantum
  kGap,         // it fits into what is left of the gap
  kShortSlice,  // a short one: the next frame's time is not known, or the frame is late
  kProbe,       // one unit: nothing is known of its cost
  kSeldom,      // one unit that a frame has to wait for, and few frames do
  kAged,        // its source waited past the aging limit
  // Nothing started although something waits:
  kFrameInWork,   // a REALTIME frame is ready or runs
  kArrivalNear,   // the next frame comes too soon
  kForeignWork,   // another program's turn
  kBudgetSpent,   // the spare time that was earned is used
  kDeviceFilled,  // as much is in flight as may be
  kMemoryShort,   // not one unit's memory is free
  kTooLong,       // no unit that waits fits now
  kStarves,  // a source waited for twice the aging limit: its unit would make frames late whenever it ran
};
bool is_start(Reason reason);
const char* name_of(Reason reason);  // "frame", "quantum", ... "starves"

struct Decision {
  uint64_t serial = 0;  // 1, 2, 3 ...
  TimePoint time{};
  Reason reason = Reason::kQuantum;
  SourceId source = 0;  // that started, or starves; 0: nothing started
  SourceClass work_class = SourceClass::kNormal;
  Duration spare{0};      // measured, of the last period
  Duration budget{0};     // that was left; zero: not limited
  Duration gap{0};        // until background must be off the device; zero: not limited
  int units = 0;          // of the batch
  Duration predicted{0};  // its cost; zero: not known
  Duration real{0};       // zero: it has not ended
};

// Keeps the newest kCapacity decisions.
class DecisionRing {
 public:
  static constexpr size_t kCapacity = 4096;

  // Gives it the next serial number, which is returned.
  uint64_t record(Decision decision);
  // Fills in `real`; nothing happens if the decision is no longer kept.
  void finish(uint64_t serial, Duration real);
  uint64_t newest() const { return next_serial_ - 1; }  // 0: none
  // Those with a larger serial number that are kept, oldest first; at most `limit`.
  std::vector<Decision> after(uint64_t serial, size_t limit = kCapacity) const;

 private:
  std::vector<Decision> ring_;
  uint64_t next_serial_ = 1;
};

// What one period's time went to. A period is the shortest one of the REALTIME streams, else kIdlePeriod.
struct PeriodMeasure {
  TimePoint start{};
  Duration length{0};
  std::array<Duration, kWorkClasses> busy{};  // device time by class
  Duration foreign{0};                        // of other programs, as far as it is known
  Duration spare{0};                          // length less REALTIME's and other programs' time
  Duration budget{0};                         // at its start, for background that is limited by it
  Duration granted{0};                        // predicted cost of the background batches started in it
  int misses = 0;                             // REALTIME frames that ended after their deadline

  Duration used() const { return busy[size_t(SourceClass::kNormal)] + busy[size_t(SourceClass::kSpare)]; }
};
inline constexpr Duration kIdlePeriod = std::chrono::microseconds(16'667);

// The same, summed up since the device was opened.
struct DeviceTotals {
  int64_t periods = 0;
  std::array<Duration, kWorkClasses> busy{};
  Duration foreign{0}, spare{0}, budget{0}, granted{0};
  int64_t frames = 0;  // REALTIME frames that ended
  int64_t misses = 0;
  int64_t batches = 0;  // background
};

}  // namespace weft::schedule
