// SPDX-License-Identifier: Apache-2.0
// When a job's work would be done on a device, beside what runs there and what was planned to go there. Pure arithmetic.
//
// A device runs so many jobs at once (slots). A job starts when the first slot is left, takes units * UnitTime::seconds of
// its own, and is done no sooner than the device could have done all the work that was given to it by then:
//   finish = max(start + units * unit, (device time of all before it + its own) / share left).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/placement/device_speed.h"

namespace weft::queue {

// All in seconds from now on. `finish()` is the sum of its parts.
struct Prediction {
  std::string device;
  bool is_known = false;    // else nothing below but `starts_now` and `unit` means anything
  bool starts_now = false;  // a slot is free
  double running = 0;       // until what runs there leaves a slot
  double ahead = 0;         // from then on until what was planned to go there does
  double own = 0;
  std::optional<int64_t> units;
  double own_pace = 0;  // units a second, of a job that runs: `own` is by it; 0: by `unit`
  UnitTime unit;
  double finish() const { return running + ahead + own; }
};

class DevicePlan {
 public:
  explicit DevicePlan(int slots) : free_(slots) {}

  // A job that runs there: how long still, where that is known, and how much of that is the device's.
  void add_running(std::optional<double> seconds, double device_seconds);
  bool is_free() const { return free_ > 0; }

  // `units`: nothing where that is not known.
  Prediction predict(const UnitTime& unit, std::optional<int64_t> units) const;
  // The job goes there.
  void take(const Prediction& prediction);

 private:
  double first_end() const;

  int free_;                  // slots
  std::vector<double> ends_;  // of the others: when they are left; infinite where that is not known
  double running_until_ = 0;  // when what runs leaves the first slot
  double device_work_ = 0;    // when the device could have done what it was given
};

}  // namespace weft::queue
