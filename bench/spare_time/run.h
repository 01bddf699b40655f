// SPDX-License-Identifier: Apache-2.0
// Runs one row of the benchmark: a load on a device under a policy, for some seconds. One thread
// polls continuously. Arrivals are scheduled independently of the device, and latency counts from
// the scheduled arrival.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "bench/spare_time/policy.h"
#include "bench/spare_time/work.h"

namespace weft::bench {

// Clock in MHz and power; 0 if the driver reports none.
struct ClockAndPower {
  double median_mhz = 0;
  double lowest_mhz = 0;
  double median_watts = 0;
};

struct RowResult {
  std::string load, background, policy, remark;
  double seconds = 0;
  // misses are frames that end later than one period after their arrival
  int64_t frames = 0, misses = 0;
  double p50_ms = 0, p99_ms = 0, max_ms = 0;
  double p99_all_ms = 0;                        // 99th percentile with the skipped frames
  double device_p50_ms = 0, device_p99_ms = 0;  // device time of a frame's chain
  double batch_units = 0;                       // units of finished background batches
  double spare_ms = 0;                          // time left by frames
  // duration of the background work if it ran alone, as a fraction of spare_ms
  double spare_used = 0;
  double batch_rate = 0;        // units per second
  double batch_rate_share = 0;  // fraction of the rate without frames
  double yield_p99_ms = 0;      // time from a frame's arrival until no background work runs
  double prediction_error = 0;  // median over background batches
  ClockAndPower device;         // during the row
  // Frames were more than a second late, which ended the row.
  bool overrun = false;
};

struct Machine {
  device::Device& device;
  Work* frame = nullptr;
  Work* background = nullptr;
  Duration background_unit{0};  // duration of a unit that runs alone
};

// Returns new reports of the driver. It is polled continuously and may be null.
using PresenceSource = std::function<std::optional<schedule::Presence>()>;

// Runs a row under a policy. One thread polls the device and the policy continuously.
StatusOr<RowResult> run_row(const Machine& machine, const Load& load, Policy& policy, double seconds,
                            TimePoint first_frame);
// Runs a row under Weft's schedule, by the loop that drives the device in the worker
// (server/worker/device/device_loop.h). `first_frame` is the first arrival of the streams.
StatusOr<RowResult> run_loop_row(const Machine& machine, const Load& load,
                                 const schedule::PhaseLockLimits& external_load, double seconds,
                                 TimePoint first_frame, const PresenceSource& presence = nullptr);

inline TimePoint clock_now() { return std::chrono::steady_clock::now(); }
inline double ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }
double quantile(std::vector<double> values, double part);

}  // namespace weft::bench
