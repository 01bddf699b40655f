// SPDX-License-Identifier: Apache-2.0
// Measures the time of a kernel's launches of one size class with each of its shapes, batch by
// batch.
//
//   LaunchSiteTimer timer(observer, place, {});
//   before a batch: timer.begin();
//   after it: ASSIGN_OR_RETURN(const bool goes_on, timer.take());
//   if (!goes_on && timer.was_timed()) table.put(timer.entry());
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/tuning/shape_sweep.h"
#include "server/worker/tuning/shape_observer.h"

namespace weft::worker {

class LaunchSiteTimer {
 public:
  // Compares the shapes of `site` with the declared shape, number 0 of ShapeObserver::shapes().
  // `faulty` contains the numbers of the shapes that give other bytes. The observer must outlive
  // the timer.
  LaunchSiteTimer(ShapeObserver& observer, LaunchSite site, const std::set<int>& faulty);

  void begin();
  // Reads the times of a batch. Returns true if more batches are needed. An error is the device's.
  StatusOr<bool> take();

  // Returns the time in seconds that a round adds to a batch, or nullopt if it is not known yet.
  std::optional<double> batch_seconds() const;
  int marks() const;  // maximum number of marks in a batch
  bool was_timed() const { return is_warm_ && sweep_.result().runs > 0; }
  const tuning::ShapeSweep& sweep() const { return sweep_; }
  // Returns the table entry for the result, with the current time.
  v1::TunedKernel entry() const;

 private:
  ShapeObserver& observer_;
  const LaunchSite site_;
  const std::vector<std::string> names_;
  tuning::ShapeSweep sweep_;
  std::vector<int> round_;
  int launches_ = 1, repeats_ = 1, missed_ = 0;
  double round_seconds_ = 0;  // time of the last round without repeats
  bool is_warm_ = false;
};

}  // namespace weft::worker
