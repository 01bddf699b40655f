// SPDX-License-Identifier: Apache-2.0
// Probes the device for the schedule by the smallest possible launch: its latency shows an external
// load. Jobs with little work on the device launch too seldom to show the beginning of the other
// program's frames.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "server/device/device.h"
#include "server/worker/device/device_loop.h"

namespace weft::worker {

class ExternalLoadProbe final : private DeviceWork {
 public:
  // Opens a source for the probes. `loop` must drive `device`; both must outlive the probe.
  static StatusOr<std::unique_ptr<ExternalLoadProbe>> open(device::Device& device, DeviceLoop& loop);
  ~ExternalLoadProbe() override;
  ExternalLoadProbe(const ExternalLoadProbe&) = delete;
  ExternalLoadProbe& operator=(const ExternalLoadProbe&) = delete;

 private:
  explicit ExternalLoadProbe(DeviceLoop& loop) : loop_(loop) {}

  Ready ready() override { return {failed_ ? 0 : 1, 1, false, failed_}; }
  Status start(int units, const graph::SubmittedBatch& after) override;
  graph::SubmittedBatch last_batch() override;
  graph::SubmittedBatch oldest_batch() override;
  StatusOr<Duration> wait() override;
  // Ignores the error, since jobs on the same device report it.
  void failed(const Status&) override { failed_ = true; }

  DeviceLoop& loop_;
  schedule::SourceId source_ = 0;
  std::unique_ptr<device::Buffer> buffer_;
  std::unique_ptr<device::Stream> stream_;
  bool failed_ = false;  // guarded by the loop's lock
  std::mutex mutex_;
  graph::SubmittedBatch last_;
  std::deque<graph::SubmittedBatch> running_;
};

}  // namespace weft::worker
