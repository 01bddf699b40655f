// SPDX-License-Identifier: Apache-2.0
// Reports the activity of a device's loop since the last call, for samples.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "server/worker/device/device_loop.h"
#include "weft/v1/schedule.pb.h"

namespace weft::worker {

v1::ScheduleDecision to_message(const schedule::Decision& decision);

// One thread at a time may call it. `loop` must outlive it.
class ScheduleReport {
 public:
  // limit of the decisions in a sample; the newest are reported
  static constexpr size_t kReportedDecisions = 64;

  explicit ScheduleReport(const DeviceLoop& loop) : loop_(loop) {}

  v1::ScheduleSample take();

 private:
  void take_decisions(v1::ScheduleSample& sample);
  void take_costs(v1::ScheduleSample& sample);

  const DeviceLoop& loop_;
  schedule::DeviceTotals reported_;
  uint64_t reported_serial_ = 0;  // serial of the last reported decision
  uint64_t counted_serial_ = 0;   // serial of the last batch in the histograms
  std::map<std::string, std::pair<int, Duration>>
      reported_costs_;  // number of batches and time of a unit by cost key, as last reported
};

}  // namespace weft::worker
