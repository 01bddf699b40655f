// SPDX-License-Identifier: Apache-2.0
// Implements the number of lanes, and the scan for the starts of segments, for VideoRunner.
#include <chrono>
#include <string>
#include <utility>

#include "server/worker/video/job_part.h"
#include "server/worker/video/lane_count.h"
#include "server/worker/video/segment_starts.h"
#include "server/worker/video/video_lane.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

// interval of the measurements for the number of lanes
constexpr std::chrono::milliseconds kMeasureInterval{100};

}  // namespace

// Call with lanes_mutex_ held.
void VideoRunner::start_lane(Pass& pass) {
  const int number = int(lanes_.size());
  lanes_.push_back(std::make_unique<Lane>(*this, pass, number));
  meter_.lanes = ++lanes_running_;
  const auto run_lane = [this, lane = lanes_.back().get()] {
    lane->run();
    const std::lock_guard lock(lanes_mutex_);
    meter_.lanes = std::max(--lanes_running_, 1);
    lanes_changed_.notify_all();
    return ok_status();
  };
  lane_threads_.push_back(
      start_thread(run_lane, Origin::kOutput, "segments", number == 0 ? "" : fmt::format(" {}", number + 1)));
}

// Reads the times of all frames and computes the starts of all segments. Returns false if the
// packets do not show them.
StatusOr<bool> VideoRunner::scan(Pass& pass, const Lane& first) const {
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, "scan");
  media::SourceOptions options = pass.plan.source;
  options.hardware = false;  // nothing is decoded
  options.threads = 1;
  options.alive = [&pass, alive = options.alive] {
    return pass.needs_scan ? alive() : Status(cancelled("The segments are rendered."));
  };
  ASSIGN_OR_RETURN(const auto part, media::VideoPart::open(input_, options, pass.plan.part));
  ASSIGN_OR_RETURN(pass.times, part->frame_times());
  if (!pass.times) return false;
  const media::PartStart start = read_start(record_.part());
  const int64_t frames = part->frames_of(*pass.times, start);
  ASSIGN_OR_RETURN(const std::vector<ComputedStart> starts,
                   segment_starts(first.clock_plan(), *pass.times, start.index, frames, pass.grid));
  pass.hardware = first.hardware();
  pass.table.set_starts(starts);
  if (!pass.has_other_tasks) return true;
  internal::v1::SegmentPlan plan = plan_for_tasks(pass.plan);
  plan.set_hardware_decoder(pass.hardware);
  write_starts(starts, *pass.times, plan);
  RETURN_IF_ERROR(journal_.write_plan(plan));
  return true;
}

// Scans on a thread of its own. The scan is an optimisation: its errors do not end the job.
std::jthread VideoRunner::start_scan(Pass& pass, const Lane& first) {
  pass.scan = Scan::kRuns;
  const auto body = [this, &pass, &first] {
    const StatusOr<bool> found = scan(pass, first);
    if (found.ok() && !*found)
      events_.on_log("info", "The packets do not show the starts of segments; segments follow each other.");
    else if (!found.ok() && found.status().code() != StatusCode::kCancelled)
      events_.on_log("info",
                     fmt::format("The starts of segments are unknown, so segments follow each other. {}",
                                 message_of(found.status())));
    const bool is_done = found.ok() && *found;
    // without starts
    if (pass.has_other_tasks && !is_done) RETURN_IF_ERROR(journal_.write_plan(plan_for_tasks(pass.plan)));
    const std::lock_guard lock(lanes_mutex_);
    pass.scan = is_done ? Scan::kDone : Scan::kFailed;
    lanes_changed_.notify_all();
    return ok_status();
  };
  return start_thread(body, Origin::kInput, "scan");
}

void VideoRunner::await_scan(const Pass& pass) {
  std::unique_lock lock(lanes_mutex_);
  if (pass.most_lanes == 1 || share_.lanes == 0) return;
  lanes_changed_.wait(lock, [&] { return pass.scan == Scan::kDone || pass.scan == Scan::kFailed; });
}

// Returns the number of lanes that should run now. Call with lanes_mutex_ held.
int VideoRunner::wanted_lanes(const Pass& pass, LaneCount& count) const {
  if (share_.lanes > 0) return pass.most_lanes;
  if (count.is_settled()) return count.lanes();
  int delivering = 0, with_memory = 0;
  for (const auto& lane : lanes_) {
    if (lane->has_delivered()) delivering++;
    if (!lane->lacks_memory()) with_memory++;
  }
  if (with_memory < int(lanes_.size())) count.limit(with_memory);
  const int lanes = count.update({std::chrono::steady_clock::now(), meter_.units_done - frames_found_,
                                  Duration(meter_.device_ns.load()), delivering});
  if (count.is_settled())
    events_.on_log("info", fmt::format("Segments rendered at the same time: {} ({:.0f} frames a second).",
                                       lanes, count.rate()));
  return lanes;
}

// Lane 0 begins alone. When more lanes are to be tried, or for other tasks, the input is scanned
// for the starts of segments.
Status VideoRunner::render(Pass& pass) {
  LaneCount count(pass.most_lanes);
  std::jthread scanning;
  std::unique_lock lock(lanes_mutex_);
  start_lane(pass);
  const bool needs_starts = pass.most_lanes > 1 || pass.has_other_tasks;
  while (needs_starts && pass.scan != Scan::kFailed && lanes_running_ > 0) {
    lanes_changed_.wait_for(lock, kMeasureInterval);
    const int lanes = wanted_lanes(pass, count);
    if ((lanes > 1 || pass.has_other_tasks) && pass.scan == Scan::kNone && lanes_[0]->has_delivered())
      scanning = start_scan(pass, *lanes_[0]);
    if (pass.scan != Scan::kDone) continue;
    pass.table.set_lanes(lanes);
    while (lanes_running_ > 0 && int(lanes_.size()) < lanes) start_lane(pass);
  }
  lanes_changed_.wait(lock, [this] { return lanes_running_ == 0; });
  lock.unlock();
  pass.needs_scan = false;
  lane_threads_.clear();
  if (scanning.joinable()) scanning.join();
  lock.lock();
  lanes_.clear();
  return state_.error();
}

}  // namespace weft::worker
