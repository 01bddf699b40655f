// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at an image job on a device. Some threads read images, the device filters them,
// and other threads store them. An image is durable once it is finished; a later attempt makes only
// the remaining images.
//
// The bytes of an image depend only on its file and the specification: not on batches, threads, or
// the attempt. Files that change during the job, within an attempt or between two, are read again.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "server/worker/image/image_plan.h"
#include "server/worker/image/image_stage.h"
#include "server/worker/job/finished_images.h"
#include "server/worker/job/job_runner.h"

namespace weft::worker {

class ImageRunner final : public JobRunner {
 public:
  // `share` and `events` must outlive the runner.
  ImageRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

 private:
  Status work() override;
  void add_properties(v1::JobResult& result) const override;
  Status attempt();
  Status prepare();
  // Determines the images to process: those not finished yet, and those with changed files.
  Status resume_finished(int round);
  void note_changes(const std::vector<size_t>& changed, int64_t vanished);
  // Returns the names of the frames with these indices into plan_.frames, for messages.
  std::string describe(const std::vector<size_t>& frames) const;
  Status process();
  Status filter_all(BoundedQueue<ImageUnit>& images, BoundedQueue<ImageUnit>& done);
  StatusOr<std::unique_ptr<ImageStage>> open_stage(const media::ImageInfo& info);
  // Work of a reading thread and of a storing thread, until no image is left.
  Status read_some(BoundedQueue<ImageUnit>& images);
  StatusOr<media::ImageInfo> inspect(const ImageFrame& frame) const;
  Status store_some(BoundedQueue<ImageUnit>& done);
  Status store(const ImageUnit& unit);
  Status store_preview(const media::Image& after);
  void count_finished(const ImageUnit& unit);
  std::string name_of(const ImageFrame& frame) const;  // for messages
  void note_reports();

  ImagePlan plan_;
  LargestImage largest_;  // image used for planning memory
  ChainInputs option_files_;
  std::optional<FinishedImages> finished_;
  std::vector<size_t> to_do_;    // indices into plan_.frames
  std::atomic<size_t> next_{0};  // index into to_do_ of the next image to read
  std::atomic<int> reading_{0};  // number of reading threads at work

  mutable std::mutex result_mutex_;  // guards the members below
  std::string before_;               // left half of the preview, as a PNG
  int64_t output_bytes_ = 0;
  std::vector<int64_t> not_finite_, negative_;  // numbers of the frames with such pixels
  int64_t not_finite_pixels_ = 0, negative_pixels_ = 0;
  TimePoint reported_at_{};  // time of the last report of finished images to the daemon
};

}  // namespace weft::worker
