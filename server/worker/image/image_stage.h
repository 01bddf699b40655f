// SPDX-License-Identifier: Apache-2.0
// Runs the middle stage of an image job: images of one size and type pass through a filter on the
// device, in batches that the device's loop starts by its schedule.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/status.h"
#include "server/filters/bloom/pixel_report.h"
#include "server/graph/pipeline.h"
#include "server/media/image/image.h"
#include "server/worker/device/batch_stage.h"
#include "server/worker/device/job_meter.h"
#include "server/worker/job/bounded_queue.h"
#include "server/worker/job/source_journal.h"

namespace weft::worker {

// An image in progress. The filter's result replaces the samples that were read.
struct ImageUnit {
  size_t index = 0;       // index into the plan's frames
  FileIdentity source{};  // identity of the source file
  media::Image image{};
  filters::bloom::PixelReport report{};  // report of the filters
};

// Target for the device memory of a stage's images and its filter's scratch; a batch becomes
// smaller to meet it.
inline constexpr size_t kStageBytes = size_t{2} << 30;
// Returns the pipeline's plan options for at most `images` images.
graph::PlanOptions plan_options(int64_t images);

class ImageStage final {
 public:
  struct Start {
    media::SampleType result = media::SampleType::kHalf;  // samples that the filter writes
    int64_t images = 0;                                   // maximum number of images
    int batch_halvings = 0;                               // as in v1.JobAttempt
    schedule::SourceSpec source{};                        // has the cost key
  };

  // Creates a stage for images like `first` and allocates all that it needs. All arguments must
  // outlive the stage. RESOURCE_EXHAUSTED: even a batch of one image does not fit on the device.
  static StatusOr<std::unique_ptr<ImageStage>> open(device::Device& device, DeviceLoop& loop,
                                                    graph::Network network, const media::ImageInfo& first,
                                                    const Start& start, JobMeter& meter);
  ~ImageStage();  // blocks until the work on the device has ended

  // Processes `first` and `images` until the queue is drained, or until it delivers an image of
  // another size or type. Returns that image, which needs another stage; the results of all earlier
  // images are then in `done`. Ends early, without an error, when `done` is abandoned or after
  // stop().
  StatusOr<std::optional<ImageUnit>> run(ImageUnit first, BoundedQueue<ImageUnit>& images,
                                         BoundedQueue<ImageUnit>& done);

  // Returns the stage for stop() and change(), which any thread may call.
  BatchStage& batch_stage() { return stage_; }
  int batch() const { return pipeline_->batch(); }
  size_t device_bytes() const { return pipeline_->plan().device_bytes(); }

 private:
  ImageStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, const media::ImageInfo& first,
             const Start& start, JobMeter& meter);
  bool fits(const media::Image& image) const;
  Status feed(ImageUnit first, BoundedQueue<ImageUnit>& images);
  Status push(ImageUnit unit);
  Status deliver(BoundedQueue<ImageUnit>& done);
  StatusOr<std::optional<ImageUnit>> pop();

  std::unique_ptr<graph::Pipeline> pipeline_;
  DeviceLoop& loop_;
  const int width_, height_;
  const media::SampleType samples_, result_;
  JobMeter& meter_;
  BatchStage stage_;

  std::mutex mutex_;
  std::deque<ImageUnit> waiting_;  // units that were pushed and not popped, in order
  std::optional<ImageUnit> other_;
  int64_t pushed_ = 0;  // used by the feeding thread alone
};

}  // namespace weft::worker
