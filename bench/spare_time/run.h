// SPDX-License-Identifier: Apache-2.0
// One row of the benchmark: a load on a device under a policy, for some seconds. One thread, which looks at everything all the
// time; arrivals come on their schedule whatever the device does, and latency counts from the scheduled arrival.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/spare_time/policy.h"
#include "bench/spare_time/work.h"

namespace weft::bench {

// 0: the driver does not tell.
struct ClockAndPower {
  double median_mhz = 0;
  double lowest_mhz = 0;
  double median_watts = 0;
};

struct RowResult {
  std::string load, background, policy, remark;
  double seconds = 0;
  int64_t frames = 0, misses = 0;  // later than one period
  double p50_ms = 0, p99_ms = 0, max_ms = 0;
  double p99_all_ms = 0;                        // with those that were skipped
  double device_p50_ms = 0, device_p99_ms = 0;  // device time of a frame's chain
  double batch_units = 0;                       // that ended
  double spare_ms = 0;                          // what frames left
  double spare_used = 0;        // background's work, as long as it takes alone, as a part of that
  double batch_rate = 0;        // units a second
  double batch_rate_share = 0;  // of the rate without frames
  double yield_p99_ms = 0;      // from a frame's arrival until no background runs
  double prediction_error = 0;  // of background batches, the median
  ClockAndPower device;         // meanwhile
  bool overrun = false;         // frames fell more than a second behind, which ended the row
};

struct Machine {
  device::Device& device;
  Work* frame = nullptr;
  Work* background = nullptr;
  Duration background_unit{0};  // alone
};

// Asked all the time for what the driver has told anew; may be null.
using PresenceSource = std::function<std::optional<schedule::Presence>()>;

// One thread asks the device and the policy all the time.
StatusOr<RowResult> run_row(const Machine& machine, const Load& load, Policy& policy, double seconds,
                            TimePoint first_frame);
// Weft: the loop that drives the device in the worker (server/worker/device/device_loop.h). first_frame: of the streams' clocks.
StatusOr<RowResult> run_loop_row(const Machine& machine, const Load& load,
                                 const schedule::PhaseLockLimits& foreign, double seconds,
                                 TimePoint first_frame, const PresenceSource& presence = nullptr);

inline TimePoint clock_now() { return std::chrono::steady_clock::now(); }
inline double ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }
double quantile(std::vector<double> values, double part);

}  // namespace weft::bench
