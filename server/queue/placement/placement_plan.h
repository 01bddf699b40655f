// SPDX-License-Identifier: Apache-2.0
// Predicts the end of a job on a device from the jobs that run there and are planned there.
//
// A device runs a fixed number of jobs at once (slots). A job starts when the first slot is free
// and takes units * UnitTime::seconds. It ends no sooner than the device could have done all work
// assigned to it by then:
//   finish = max(start + units * unit, (device time of all before it + its own) / share left).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/placement/device_speed.h"

namespace weft::queue {

// A predicted end, in seconds from now on. finish() is the sum of its parts.
struct Prediction {
  std::string device;
  bool is_known = false;    // if false, only `starts_now` and `unit` are valid
  bool starts_now = false;  // a slot is free
  double running = 0;       // seconds until a running job frees a slot
  double ahead = 0;         // further seconds until a planned job frees a slot
  double own = 0;
  std::optional<int64_t> units;
  // measured units per second of a running job, from which `own` follows; 0: `own` follows from
  // `unit`
  double own_pace = 0;
  UnitTime unit;
  DeviceRoom room;  // memory of the device for the job
  double finish() const { return running + ahead + own; }
};

class DevicePlan {
 public:
  explicit DevicePlan(int slots) : free_(slots) {}

  // Adds a running job with its remaining time, if known, and its remaining device time.
  void add_running(std::optional<double> seconds, double device_seconds);
  bool is_free() const { return free_ > 0; }

  // `units` is nullopt if unknown. A job that does not fit into the device's memory starts when a
  // running one ends.
  Prediction predict(const UnitTime& unit, std::optional<int64_t> units, const DeviceRoom& room = {}) const;
  // Plans the job onto this device.
  void take(const Prediction& prediction);

 private:
  double first_end() const;

  int free_;                  // number of free slots
  std::vector<double> ends_;  // ends of the other slots; infinite if unknown
  double running_until_ = 0;  // seconds until running jobs free the first slot
  double device_work_ = 0;    // seconds until the device could have done all work assigned to it
};

}  // namespace weft::queue
