// SPDX-License-Identifier: Apache-2.0
// Runs the work on the device that precedes the first frame: preparation of networks, and the
// measurement of a frame's cost (cost_probe.h). The device's schedule starts it like frames.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/job_meter.h"

namespace weft::worker {

class Preparing {
 public:
  // `meter` is that of the job or stream of the networks; null: no meter. Both arguments must
  // outlive this object.
  explicit Preparing(DeviceLoop& loop, JobMeter* meter = nullptr) : loop_(loop), meter_(meter) {}

  // Runs the preparations of a network as a source with the properties of `source`. Blocks, without
  // holding the driver lock. CANCELLED: stop() was called. DEADLINE_EXCEEDED: the time exceeded
  // `longest`; the work on the device has ended. Other errors are the device's.
  Status run(device::Device& device, graph::Network& network, schedule::SourceSpec source,
             Duration longest = Duration::max());

  // Runs all units of `work` in the same way. `step` may be null; it pushes and pops units, and is
  // called at the beginning, after every started batch, and again as long as it returns true.
  // `what` is the beginning of the error messages.
  Status run_all(graph::Batches& work, schedule::SourceSpec source, Duration longest, std::string_view what,
                 const std::function<StatusOr<bool>()>& step = {});

  // Ends running work and starts nothing more. Any thread, at any time.
  void stop();
  void change(schedule::SourceChanged change);
  // Returns true if the work is ready and waits for its turn on the device. Any thread.
  bool waits_for_turn() const;

  DeviceLoop& loop() const { return loop_; }

 private:
  Status prepare(device::Device& device, graph::Preparation preparation, schedule::SourceSpec source,
                 Duration longest);
  void wake();

  DeviceLoop& loop_;
  JobMeter* const meter_;
  mutable std::mutex source_mutex_;  // held while the loop is called; the loop may call wake() then
  schedule::SourceId source_ = 0;
  std::optional<schedule::SourceChanged> change_;  // the newest change
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t changes_ = 0;
  bool stopped_ = false;
};

}  // namespace weft::worker
