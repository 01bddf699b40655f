// SPDX-License-Identifier: Apache-2.0
#include "server/queue/placement/placement_plan.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::queue {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

double device_time(const UnitTime& unit, int64_t units) {
  return double(units) * unit.device_seconds / unit.share_left;
}

}  // namespace

double DevicePlan::first_end() const {
  return ends_.empty() ? 0 : *std::min_element(ends_.begin(), ends_.end());
}

void DevicePlan::add_running(std::optional<double> seconds, double device_seconds) {
  free_--;
  ends_.push_back(seconds.value_or(kNever));
  device_work_ += device_seconds;
  running_until_ = free_ > 0 ? 0 : first_end();
}

Prediction DevicePlan::predict(const UnitTime& unit, std::optional<int64_t> units,
                               const DeviceRoom& room) const {
  const bool waits_for_memory = room.kind != DeviceRoom::Kind::kFits;
  const bool is_taken = room.kind == DeviceRoom::Kind::kTaken && !ends_.empty();
  Prediction prediction;
  prediction.units = units;
  prediction.unit = unit;
  prediction.room = room;
  prediction.starts_now = is_free() && !waits_for_memory;
  const double start = prediction.starts_now ? 0 : first_end();
  prediction.is_known =
      units.has_value() && unit.is_known() && std::isfinite(start) && (!waits_for_memory || is_taken);
  if (!prediction.is_known) return prediction;
  prediction.running = prediction.starts_now ? 0 : is_free() ? start : running_until_;
  prediction.ahead = start - prediction.running;
  const double alone = start + double(*units) * unit.seconds;
  prediction.own = std::max(alone, device_work_ + device_time(unit, *units)) - start;
  return prediction;
}

void DevicePlan::take(const Prediction& prediction) {
  const double end = prediction.is_known ? prediction.finish() : kNever;
  if (free_ > 0) {
    free_--;
    ends_.push_back(end);
  } else {
    *std::min_element(ends_.begin(), ends_.end()) = end;
  }
  if (prediction.is_known) device_work_ += device_time(prediction.unit, *prediction.units);
}

}  // namespace weft::queue
