// SPDX-License-Identifier: Apache-2.0
// Runs one attempt at a video job on a device: renders segments, which are durable once finished,
// and then writes the final file. Several segments are rendered at the same time if measurements
// show that this is faster.
//
//   VideoRunner runner(std::move(order), {device, loop, caches}, events);
//   JobEnd end = runner.run();                  // on a thread of its own
//   runner.stop(STOP_KIND_PAUSE);               // from any other
//
// The output's bytes depend only on the input and the specification: not on batches, on segments of
// earlier attempts, or on the time of a stop.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/status.h"
#include "server/media/file.h"
#include "server/media/write/muxer.h"
#include "server/worker/job/job_runner.h"
#include "server/worker/video/analysis_cache.h"
#include "server/worker/video/lane_count.h"
#include "server/worker/video/segment_claims.h"
#include "server/worker/video/segment_grid.h"
#include "server/worker/video/segment_journal.h"
#include "server/worker/video/segment_table.h"
#include "server/worker/video/video_plan.h"
#include "weft/internal/v1/segment.pb.h"
#include "weft/internal/v1/worker.pb.h"

namespace weft::worker {

// large class: the steps of a video job, which share its counters and its journal
class VideoRunner final : public JobRunner {
 public:
  // `share` and `events` must outlive the runner.
  VideoRunner(JobOrder order, const DeviceShare& share, JobEvents& events);
  ~VideoRunner() override;

  void stop(internal::v1::StopKind kind) override;
  void change(const schedule::SourceChanged& change) override;

 private:
  // Renders runs of segments (video_lane.h).
  class Lane;
  // The state of the scan for the starts of segments.
  enum class Scan { kNone, kRuns, kFailed, kDone };
  // One rendering of all open segments, with the objects that its lanes share.
  struct Pass {
    const VideoPlan& plan;
    SegmentGrid grid;
    int most_lanes = 1;
    bool has_other_tasks = false;  // true: tasks on other devices may render segments
    SegmentTable table;
    std::mutex expanding{};                // held by a lane while it builds its network
    std::atomic<bool> starts_over{false};  // true: no finished segment can be continued
    std::atomic<Scan> scan{Scan::kNone};
    std::atomic<bool> needs_scan{true};  // false ends the scan
    // Times of the input's frames, and whether NVDEC decodes; set before further lanes start.
    std::optional<media::FrameTimes> times{};
    bool hardware = false;
  };
  // Totals of the job's earlier output parts. An input of one size has one part.
  struct Before {
    int64_t frames = 0, frames_resumed = 0;
    int64_t outputs = 0, corrupt_packets = 0;
    int segments = 0, segments_resumed = 0;
    int64_t first_frame = 0;  // number of the first frame of the first part
  };
  using Records = std::map<int64_t, internal::v1::SegmentRecord>;

  // Names of the journals of the steps.
  static constexpr const char* kPictures = "segment";
  static std::string first_pass_name(int number) { return fmt::format("first-pass-{}", number); }
  static std::string analysis_name(int number) { return fmt::format("analysis-{}", number); }

  Status work() override;
  void add_properties(v1::JobResult& result) const override;
  Status attempt();
  Status make_output_part(VideoPlan& plan);
  StatusOr<VideoPlan> next_output_part();
  SegmentJournal journal_of(std::string name) const;
  options::JobFile output() const { return options::output_part(order_.outputs[0], output_part_); }
  Status remove_later_output_parts() const;
  // `earlier` is the record of a finished segment, if there is one.
  Status open_input(const std::optional<internal::v1::SegmentRecord>& earlier);
  Status analyse(VideoPlan& plan);
  StatusOr<bool> take_kept_analysis(const VideoPlan& plan, const std::string& key);
  Status keep_decisions();
  Status run_step(const std::string& name, VideoPlan& plan);
  Status measure(VideoPlan& plan);
  // Returns the encoder's pass for a segment, with the statistics for a second one. Any thread.
  StatusOr<media::EncoderPass> pass_of(int64_t segment, const VideoPlan& plan) const;
  Status resume_segments(const VideoPlan& plan);
  void count_finished(const VideoPlan& plan);
  // Counts and reports a segment that is now durable. `is_found`: another task has rendered it. Any
  // lane's thread.
  void count_segment(int64_t segment, const internal::v1::SegmentRecord& record, const VideoPlan& plan,
                     bool is_found);
  void go_on_as_before(VideoPlan& plan) const;
  void begin_anew();
  StatusOr<VideoPlan> prepare();
  StatusOr<VideoPlan> plan_output_part();
  // Renders all segments that are not finished, in passes.
  Status process(const VideoPlan& plan);
  // Functions for jobs on several devices (video_runner_task.cpp).
  Status share_segments(const VideoPlan& plan);
  Status share_no_more(const VideoPlan& plan);
  internal::v1::SegmentPlan plan_for_tasks(const VideoPlan& plan) const;
  Status run_task();
  StatusOr<bool> run_shared_step(VideoPlan& plan, const std::string& step,
                                 const internal::v1::SegmentPlan& shared);
  Status remove_broken(const VideoPlan& plan);
  Status render(Pass& pass);
  int most_lanes(const VideoPlan& plan) const;
  void start_lane(Pass& pass);
  int wanted_lanes(const Pass& pass, LaneCount& count) const;
  std::jthread start_scan(Pass& pass, const Lane& first);
  StatusOr<bool> scan(Pass& pass, const Lane& first) const;
  // If the number of lanes is fixed, blocks until the scan has ended, so that all lanes have work.
  void await_scan(const Pass& pass);
  Status finish(const VideoPlan& plan);
  std::optional<media::TimecodeRequest> timecode_request() const;
  Status finish_decisions(const VideoPlan& plan);
  Status still_wanted();

  media::MediaInfo info_;        // properties of the current output part
  std::optional<int64_t> from_;  // first frame of a later output part; nullopt for the first part
  int output_part_ = 1;
  Before before_;
  SegmentJournal journal_;  // journal of the current step
  media::InputFilePtr input_;
  std::string key_;
  // fields that all segments' records have in common
  internal::v1::SegmentRecord record_;
  Records finished_;                            // durable segments at the begin of a pass
  std::unique_ptr<SegmentClaims> claims_;       // null: no other task renders segments of this step
  std::unique_ptr<SegmentClaims> all_claimed_;  // set if no other task may render any more
  std::atomic<int64_t> frames_found_{0};        // source frames that other tasks have rendered
  std::atomic<int> segments_done_{0};           // durable segments of this output part
  std::atomic<int64_t> frames_done_{0};         // their source frames
  int segments_resumed_ = 0;
  int64_t output_bytes_ = 0;
  v1::DecisionFile decisions_;  // the decisions of the analyses
  AnalysisCache kept_;

  // The lanes of the current pass.
  mutable std::mutex lanes_mutex_;
  std::condition_variable lanes_changed_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  int lanes_running_ = 0;
  std::vector<std::jthread> lane_threads_;
};

}  // namespace weft::worker
