// SPDX-License-Identifier: Apache-2.0
// Times a kernel's launches of one class of sizes with each of its shapes, batch by batch.
//
//   PlaceTimer timer(observer, place, {});
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

class PlaceTimer {
 public:
  // The declared shape, number 0 of ShapeObserver::shapes, is the one to beat. `faulty`: the numbers of shapes that do not give the
  // same bytes. The observer outlives this.
  PlaceTimer(ShapeObserver& observer, TunedPlace place, const std::set<int>& faulty);

  void begin();
  // Whether there is more to time. An error is the device's.
  StatusOr<bool> take();

  // What a round adds to a batch; none: not known yet.
  std::optional<double> batch_seconds() const;
  int marks() const;  // at most, of a batch
  bool was_timed() const { return is_warm_ && sweep_.result().runs > 0; }
  const tuning::ShapeSweep& sweep() const { return sweep_; }
  // What the table gets of it, found now.
  v1::TunedKernel entry() const;

 private:
  ShapeObserver& observer_;
  const TunedPlace place_;
  const std::vector<std::string> names_;
  tuning::ShapeSweep sweep_;
  std::vector<int> round_;
  int launches_ = 1, repeats_ = 1, missed_ = 0;
  double round_seconds_ = 0;  // of the last one, without repeats
  bool is_warm_ = false;
};

}  // namespace weft::worker
