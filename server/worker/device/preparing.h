// SPDX-License-Identifier: Apache-2.0
// What has to be done on the device before a first frame, when the device's schedule says so, as frames are: what networks need, and
// frames that tell what one costs (cost_probe.h).
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
  // `meter`: of the job or stream whose networks these are; null: of none. Both outlive this.
  explicit Preparing(DeviceLoop& loop, JobMeter* meter = nullptr) : loop_(loop), meter_(meter) {}

  // All that a network has to have done first, as a source like the one whose frames follow. Blocks, and holds no turn to open anything.
  // CANCELLED: stop() was called; DEADLINE_EXCEEDED: it took `longest`, and what was on the device has ended; else the device's
  // error.
  Status run(device::Device& device, graph::Network& network, schedule::SourceSpec source,
             Duration longest = Duration::max());

  // The same for all that `work` has. `step` pushes and pops, where it is given: at first, after every batch that was started, and
  // again for as long as it gives true. `what` begins the errors.
  Status run_all(graph::Batches& work, schedule::SourceSpec source, Duration longest, std::string_view what,
                 const std::function<StatusOr<bool>()>& step = {});

  // Any thread, at any time. What it runs ends, and nothing more is begun.
  void stop();
  void change(schedule::SourceChanged change);
  // What it runs is ready, and waits for its turn on the device. Any thread.
  bool waits_for_turn() const;

  DeviceLoop& loop() const { return loop_; }

 private:
  Status prepare(device::Device& device, graph::Preparation preparation, schedule::SourceSpec source,
                 Duration longest);
  void wake();

  DeviceLoop& loop_;
  JobMeter* const meter_;
  mutable std::mutex source_mutex_;  // held when the loop is called, which may wake
  schedule::SourceId source_ = 0;
  std::optional<schedule::SourceChanged> change_;  // the newest
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t changes_ = 0;
  bool stopped_ = false;
};

}  // namespace weft::worker
