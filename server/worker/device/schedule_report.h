// SPDX-License-Identifier: Apache-2.0
// What a device's loop did since the last time it was asked, for samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "server/worker/device/device_loop.h"
#include "weft/v1/schedule.pb.h"

namespace weft::worker {

v1::ScheduleDecision to_message(const schedule::Decision& decision);

// One thread at a time. `loop` outlives it.
class ScheduleReport {
 public:
  static constexpr size_t kDecisionsTold = 64;  // the newest, in a sample

  explicit ScheduleReport(const DeviceLoop& loop) : loop_(loop) {}

  v1::ScheduleSample take();

 private:
  void take_decisions(v1::ScheduleSample& sample);
  void take_costs(v1::ScheduleSample& sample);

  const DeviceLoop& loop_;
  schedule::DeviceTotals told_;
  uint64_t told_serial_ = 0;     // decisions up to here were told
  uint64_t counted_serial_ = 0;  // batches up to here are in histograms
  std::map<std::string, std::pair<int, Duration>>
      told_costs_;  // batches and unit of each, when it was told last
};

}  // namespace weft::worker
