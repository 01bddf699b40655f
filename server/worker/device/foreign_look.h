// SPDX-License-Identifier: Apache-2.0
// Looks at the device for the schedule: the least of launches, whose time tells whether another program is at work. Jobs that have
// little to do on the device show too seldom when its frames begin.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "server/device/device.h"
#include "server/worker/device/device_loop.h"

namespace weft::worker {

class ForeignLook final : private DeviceWork {
 public:
  // `loop` drives `device`; both outlive it.
  static StatusOr<std::unique_ptr<ForeignLook>> open(device::Device& device, DeviceLoop& loop);
  ~ForeignLook() override;
  ForeignLook(const ForeignLook&) = delete;
  ForeignLook& operator=(const ForeignLook&) = delete;

 private:
  explicit ForeignLook(DeviceLoop& loop) : loop_(loop) {}

  Ready ready() override { return {failed_ ? 0 : 1, 1, false, failed_}; }
  Status start(int units, const graph::SubmittedBatch& after) override;
  graph::SubmittedBatch last_batch() override;
  graph::SubmittedBatch oldest_batch() override;
  StatusOr<Duration> wait() override;
  void failed(const Status&) override { failed_ = true; }  // jobs' work on the same device says what it was

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
