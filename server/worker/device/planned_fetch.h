// SPDX-License-Identifier: Apache-2.0
// The stream that NVDEC's frames come by. At most times they come as they will, and may stay on the device. While another program on
// the GPU is looked after the device's schedule says when they are fetched: each fetch is a batch of one unit, held back on the stream until
// the loop starts it, and goes to memory, as copies between memories are what the other program does not feel.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/status.h"
#include "server/device/device.h"
#include "server/media/read/pictures/frame_fetch.h"
#include "server/worker/device/device_loop.h"
#include "server/worker/device/kept_frames.h"

namespace weft::worker {

class PlannedFetch final : public media::FrameFetch, private DeviceWork {
 public:
  // A fetch that was not started for so long goes on unplanned: the driver may be waiting for it, and the loop for the driver.
  static constexpr Duration kLongestHold = std::chrono::milliseconds(100);

  // `loop` drives `device`; both outlive it. `source`: whose frames they are; `format` tells costs apart. On a device that cannot hold
  // back a stream nothing is planned.
  static StatusOr<std::unique_ptr<PlannedFetch>> open(device::Device& device, DeviceLoop& loop,
                                                      schedule::SourceSpec source, const std::string& format,
                                                      Duration longest_hold = kLongestHold);
  ~PlannedFetch() override;  // after the decoder
  PlannedFetch(const PlannedFetch&) = delete;
  PlannedFetch& operator=(const PlannedFetch&) = delete;

  void* cuda_stream() const override { return stream_->native(); }
  void expect() override;
  void enqueued() override;
  std::shared_ptr<const void> keep(const Surface& surface) override;  // a KeptFrame
  StatusOr<media::PictureView> read(const void* kept) override;
  void release() override;

  // While nothing is decoded: where frames are kept from now on; null: nowhere.
  void keep_in(std::shared_ptr<KeptFrames> frames) { frames_ = std::move(frames); }

  // Any thread: class, priority and weights from now on.
  void change(schedule::SourceChanged change);

 private:
  enum class Step { kFree, kHeld, kEnqueued };

  PlannedFetch(std::unique_ptr<device::Stream> stream, DeviceLoop& loop, bool can_hold,
               Duration longest_hold);
  void release_late(const std::stop_token& stop);

  Ready ready() override;
  Status start(int units, const graph::SubmittedBatch& after) override;
  graph::SubmittedBatch last_batch() override;
  graph::SubmittedBatch oldest_batch() override;
  StatusOr<Duration> wait() override;
  void failed(const Status& error) override;
  void release_all() override { release(); }

  const std::unique_ptr<device::Stream> stream_;
  std::shared_ptr<KeptFrames> frames_;
  DeviceLoop& loop_;
  const bool can_hold_;
  const Duration longest_hold_;
  schedule::SourceId source_ = 0;

  // The loop's lock may be held by who takes this one, never the other way round; and no driver is called with it.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Step step_ = Step::kFree;
  uint64_t holds_ = 0;
  TimePoint held_since_{};
  bool failed_ = false;
  graph::SubmittedBatch batch_;                // that is held back, or was last
  std::deque<graph::SubmittedBatch> running_;  // started, and not yet waited for
  std::jthread late_;                          // last: ends before the members that it uses
};

}  // namespace weft::worker
