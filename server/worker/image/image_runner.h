// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at an image job on a device: images are read on some threads, filtered on the device, stored by other threads.
// Each is durable once it is finished, and a later attempt makes only the others.
//
// An image's bytes depend on its file and the specification alone: not on batches, threads, or which attempt made it. Files that change
// while the job is at work, in this attempt or between two, are read anew.
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
  // What is shared, and `events`, outlive the runner.
  ImageRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

 private:
  Status work() override;
  void add_facts(v1::JobResult& result) const override;
  Status attempt();
  Status prepare();
  // Which images are yet to be made: those that are not there, and those whose files changed since.
  Status take_up_finished(int round);
  void note_changes(const std::vector<size_t>& changed, int64_t vanished);
  std::string describe(const std::vector<size_t>& frames) const;  // of plan_.frames, for messages
  Status process();
  Status filter_all(BoundedQueue<ImageUnit>& images, BoundedQueue<ImageUnit>& done);
  StatusOr<std::unique_ptr<ImageStage>> open_stage(const media::ImageFacts& facts);
  // One thread's part of reading and of storing, until there is nothing more.
  Status read_some(BoundedQueue<ImageUnit>& images);
  StatusOr<media::ImageFacts> look_at(const ImageFrame& frame) const;
  Status store_some(BoundedQueue<ImageUnit>& done);
  Status store(const ImageUnit& unit);
  Status store_preview(const media::Image& after);
  void count_finished(const ImageUnit& unit);
  std::string name_of(const ImageFrame& frame) const;  // for messages
  void note_reports();

  ImagePlan plan_;
  LargestImage largest_;  // what memory was planned for
  ChainInputs option_files_;
  std::optional<FinishedImages> finished_;
  std::vector<size_t> to_do_;    // of plan_.frames
  std::atomic<size_t> next_{0};  // of to_do_: not yet taken by a reading thread
  std::atomic<int> reading_{0};  // threads that read

  mutable std::mutex result_mutex_;  // guards the members below
  std::string before_;               // the preview's left half: a PNG
  int64_t output_bytes_ = 0;
  std::vector<int64_t> not_finite_, negative_;  // numbers of frames with such pixels
  int64_t not_finite_pixels_ = 0, negative_pixels_ = 0;
  TimePoint told_{};  // when the daemon was told of finished images
};

}  // namespace weft::worker
