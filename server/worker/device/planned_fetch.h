// SPDX-License-Identifier: Apache-2.0
// Provides the stream for transfers of NVDEC's frames. Normally the transfers run immediately, and
// frames may stay on the device. While an external load is present, the device's schedule
// determines the time: each transfer is a batch of one unit, held back on the stream until the loop
// starts it. It then goes to host memory, since copies between memories do not disturb the other
// program.
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
  // Limit of a hold. Without it, the driver could wait for the transfer while the loop waits for
  // the driver.
  static constexpr Duration kLongestHold = std::chrono::milliseconds(100);

  // Opens the stream. `loop` must drive `device`; both must outlive this object. `source` describes
  // the job or stream; `format` distinguishes costs. On a device without holds, transfers are not
  // planned.
  static StatusOr<std::unique_ptr<PlannedFetch>> open(device::Device& device, DeviceLoop& loop,
                                                      schedule::SourceSpec source, const std::string& format,
                                                      Duration longest_hold = kLongestHold);
  ~PlannedFetch() override;  // Call after the end of the decoder.
  PlannedFetch(const PlannedFetch&) = delete;
  PlannedFetch& operator=(const PlannedFetch&) = delete;

  void* cuda_stream() const override { return stream_->native(); }
  void expect() override;
  void enqueued() override;
  std::shared_ptr<const void> keep(const Surface& surface) override;  // returns a KeptFrame
  StatusOr<media::PictureView> read(const void* kept) override;
  void release() override;

  // Sets the memory for frames that are kept from now on; null keeps none. Call while nothing is
  // decoded.
  void keep_in(std::shared_ptr<KeptFrames> frames) { frames_ = std::move(frames); }

  // Changes class, priority and weights of the source. Any thread.
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

  // Lock order: the loop's lock is taken before this mutex. No driver call is made with it.
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Step step_ = Step::kFree;
  uint64_t holds_ = 0;
  TimePoint held_since_{};
  bool failed_ = false;
  graph::SubmittedBatch batch_;                // batch that is held back, or the newest
  std::deque<graph::SubmittedBatch> running_;  // started batches that wait() has not returned
  // last member, so that the thread ends before the members it uses are destroyed
  std::jthread late_;
};

}  // namespace weft::worker
