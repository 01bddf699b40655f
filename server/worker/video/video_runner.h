// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a video job on a device: decode, filter, encode, overlapping, in segments that are durable
// once finished; then the final file.
//
//   VideoRunner runner(std::move(order), {device, loop, caches}, events);
//   JobEnd end = runner.run();                  // on a thread of its own
//   runner.stop(STOP_KIND_PAUSE);               // from any other
//
// The output's bytes depend on the input and the specification alone: not on batches, segments that an earlier
// attempt finished, or where it was stopped.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/worker/device/planned_fetch.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/video/encode_stage.h"
#include "server/worker/video/filter_stage.h"
#include "server/worker/video/segment_journal.h"
#include "server/worker/video/video_plan.h"
#include "weft/internal/v1/segment.pb.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

class VideoRunner final : public JobRunner {
 public:
  // What is shared, and `events`, outlive the runner.
  VideoRunner(JobOrder order, const DeviceShare& share, JobEvents& events);

  void stop(internal::v1::StopKind kind) override;
  void change(const schedule::SourceChanged& change) override;

 private:
  // What the job's pieces before the one at hand gave. An input of one size is one piece.
  struct Before {
    int64_t frames = 0, frames_resumed = 0;
    int64_t outputs = 0;
    int segments = 0, segments_resumed = 0;
    int64_t first_frame = 0;  // of the first
  };

  Status work() override;
  void add_facts(v1::JobResult& result) const override;
  Status attempt();
  Status make_piece(VideoPlan& plan);
  StatusOr<VideoPlan> next_piece();
  SegmentJournal journal_of(std::string name) const;
  options::JobFile output() const { return options::piece_of(order_.outputs[0], piece_); }
  Status remove_later_pieces() const;
  Status open_input();
  Status analyse(VideoPlan& plan);
  Status take_up_segments();
  void go_on_as_before(VideoPlan& plan) const;
  void begin_anew();
  StatusOr<VideoPlan> prepare();
  StatusOr<VideoPlan> plan_piece();
  void plan_fetch(VideoPlan& plan, const VideoFormat& format);
  void keep_frames(const VideoPlan& plan, const media::VideoSource& source, const FilterStage& filter);
  Status process(const VideoPlan& plan);
  // The input's part at the place where the next segment's decoding begins. Starts the job over when that place cannot
  // be found again.
  StatusOr<std::unique_ptr<media::VideoPart>> open_part(const VideoPlan& plan, const SegmentGrid& grid);
  Status begin(media::VideoPart& part);
  Status resume(media::VideoPart& part, const SegmentGrid& grid);
  StatusOr<std::unique_ptr<FilterStage>> open_filter(const VideoPlan& plan, const SegmentGrid& grid);
  void run_pipeline(const VideoPlan& plan, const SegmentGrid& grid, media::VideoPart& part,
                    FilterStage& filter);
  EncodeStage make_encode_stage(const VideoPlan& plan, const SegmentGrid& grid, Places& places,
                                FilterStage& filter);
  Status encode_all(EncodeStage& encoder, BoundedQueue<OutputPicture>& pictures);
  Status finish(const VideoPlan& plan);
  Status still_wanted();

  std::mutex fetch_mutex_;
  std::unique_ptr<PlannedFetch> fetch_;  // where NVDEC may decode; set under fetch_mutex_

  media::MediaFacts facts_;      // of the piece at hand
  std::optional<int64_t> from_;  // its first frame, of a piece behind another
  int piece_ = 1;
  Before before_;
  SegmentJournal journal_;  // of the analysis at hand, then of the pictures
  media::InputFilePtr input_;
  std::string key_;
  internal::v1::SegmentRecord record_;                 // what all segments' records say alike
  std::vector<internal::v1::SegmentRecord> finished_;  // segments 0, 1, 2 ... that are durable
  int segments_resumed_ = 0;
  int64_t output_bytes_ = 0;
};

}  // namespace weft::worker
