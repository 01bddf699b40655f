// SPDX-License-Identifier: Apache-2.0
// The middle stage of an image job: images of one size and type go through a filter on the device, in batches that the device's
// loop starts when their turn comes.
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

// An image on its way: as it was read, then with the filter's result in place of its samples.
struct ImageUnit {
  size_t index = 0;       // of the plan's frames
  FileIdentity source{};  // what it was read from
  media::Image image{};
  filters::bloom::PixelReport report{};  // by the filters
};

// What a stage's images and its filter's scratch may take of the device, where a smaller batch is possible.
inline constexpr size_t kStageBytes = size_t{2} << 30;
// How the pipeline of so many images, at most, is planned.
graph::PlanOptions plan_options(int64_t images);

class ImageStage final {
 public:
  struct Start {
    media::SampleType result = media::SampleType::kHalf;  // samples that the filter writes
    int64_t images = 0;                                   // how many may come
    schedule::SourceSpec source{};                        // with its cost key
  };

  // For images like `first`. Allocates everything that running needs. RESOURCE_EXHAUSTED: not even one image at a time fits on the
  // device. All outlive the stage.
  static StatusOr<std::unique_ptr<ImageStage>> open(device::Device& device, DeviceLoop& loop,
                                                    graph::Network network, const media::ImageFacts& first,
                                                    const Start& start, JobMeter& meter);
  ~ImageStage();  // waits for what is on the device

  // Until `images` is drained, or gives an image of another size or type, which is returned: it needs another stage. What comes of
  // `first` and those after it is in `done` then. Ends early, without an error, when `done` is abandoned or after stop().
  StatusOr<std::optional<ImageUnit>> run(ImageUnit first, BoundedQueue<ImageUnit>& images,
                                         BoundedQueue<ImageUnit>& done);

  // Any thread stops and changes it.
  BatchStage& batch_stage() { return stage_; }
  int batch() const { return pipeline_->batch(); }
  size_t device_bytes() const { return pipeline_->plan().device_bytes(); }

 private:
  ImageStage(std::unique_ptr<graph::Pipeline> pipeline, DeviceLoop& loop, const media::ImageFacts& first,
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
  std::deque<ImageUnit> waiting_;  // pushed and not popped, in order
  std::optional<ImageUnit> other_;
  int64_t pushed_ = 0;  // of the thread that feeds
};

}  // namespace weft::worker
