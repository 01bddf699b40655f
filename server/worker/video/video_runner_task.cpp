// SPDX-License-Identifier: Apache-2.0
// Implements jobs on several devices for VideoRunner: the attempt's own task shares the segments
// with tasks on other devices, which render them in the same work folder.
//
// The own task writes a plan with the starts of all segments for each step. Every task claims a
// segment before it renders it, and adopts the segments of the others. If computed starts are
// wrong, the own task withdraws the plan, claims all segments, and goes on alone.
#include <chrono>
#include <thread>
#include <utility>

#include "base/fault_point.h"
#include "server/worker/video/segment_starts.h"
#include "server/worker/video/video_lane.h"
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

using internal::v1::SegmentPlan;
using internal::v1::SegmentRecord;

// interval of looks at what the tasks of other processes have written
constexpr std::chrono::milliseconds kLookInterval{50};

// Returns the plan of a step. Blocks until there is one. `alive` is called repeatedly; its error
// ends the wait.
StatusOr<SegmentPlan> await_plan(const SegmentJournal& journal, const std::string& key,
                                 const std::function<Status()>& alive) {
  while (true) {
    if (const auto plan = journal.read_plan(key)) return *plan;
    RETURN_IF_ERROR(alive());
    std::this_thread::sleep_for(kLookInterval);
  }
}

}  // namespace

// Returns a plan without starts.
SegmentPlan VideoRunner::plan_for_tasks(const VideoPlan& plan) const {
  SegmentPlan result;
  result.set_key(key_);
  *result.mutable_input() = record_.input();
  *result.mutable_part() = record_.part();
  result.set_encoder_threads(plan.encoder.threads);
  return result;
}

// Prepares the claims for a step of a job on several devices.
Status VideoRunner::share_segments(const VideoPlan& plan) {
  claims_.reset();
  all_claimed_.reset();
  if (!order_.has_several_devices || order_.task > 0) return ok_status();
  Status lacking;
  if (plan.source.on_size_change != media::OnSizeChange::kFails)
    lacking = unimplemented("Other devices cannot render a video in which the frame size may change.");
  if (plan.encoder.pass.number > 0) lacking = unimplemented("The encoder makes two passes.");
  if (lacking.ok()) {
    auto claims = SegmentClaims::open(order_.work_folder.get(), journal_.name(), key_);
    if (claims.ok()) {
      claims_ = *std::move(claims);
      return ok_status();
    }
    lacking = claims.status();
  }
  if (lacking.code() != StatusCode::kUnimplemented) return lacking;
  notes_.add(fmt::format("One device renders all segments. {}", message_of(lacking)));
  return journal_.write_plan(plan_for_tasks(plan));
}

// Withdraws the plan, and waits until no other task renders a segment.
Status VideoRunner::share_no_more(const VideoPlan& plan) {
  if (claims_ == nullptr) return ok_status();
  RETURN_IF_ERROR(still_wanted());
  RETURN_IF_ERROR(journal_.write_plan(plan_for_tasks(plan)));
  FAULT_POINT("worker.plan.withdrawn");
  RETURN_IF_ERROR(claims_->claim_all([this] { return still_wanted(); }));
  all_claimed_ = std::move(claims_);
  return ok_status();
}

// Renders segments of one step, until all are finished by any task. Returns false if this task
// cannot render any: the own task of the attempt then goes on alone.
StatusOr<bool> VideoRunner::run_shared_step(VideoPlan& plan, const std::string& step,
                                            const SegmentPlan& shared) {
  journal_ = journal_of(step);
  begin_anew();
  const bool is_cpu = share_.device.info().kind == device::BackendKind::kCpu;
  if (shared.starts().empty() || (shared.hardware_decoder() && is_cpu)) return false;
  ASSIGN_OR_RETURN(PlannedStarts planned, read_starts(shared));
  *record_.mutable_part() = shared.part();
  plan.encoder.threads = shared.encoder_threads();
  plan.source.hardware = shared.hardware_decoder();
  step_ = plan.chain.needs_analysis ? kAnalysing : kProcessing;
  ASSIGN_OR_RETURN(claims_, SegmentClaims::open(order_.work_folder.get(), step, key_));
  Pass pass{plan, plan.grid(), most_lanes(plan), true, SegmentTable({}, claims_.get())};
  pass.times = std::move(planned.times);
  pass.hardware = shared.hardware_decoder();
  pass.scan = Scan::kDone;
  pass.table.set_starts(planned.starts);
  RETURN_IF_ERROR(render(pass));
  finished_ = pass.table.finished();
  if (state_.stops_at_segment_end())
    return state_.check(Status(cancelled("{}", reason_of(internal::v1::STOP_KIND_CHECKPOINT))),
                        Origin::kStop);
  return pass.table.is_complete();
}

// Runs a task on another device than that of the attempt's own task.
Status VideoRunner::run_task() {
  const auto alive = [this] { return still_wanted(); };
  // The first plan has the state of the input.
  SegmentRecord found;
  while (!found.has_input()) {
    for (const std::string& step : {analysis_name(0), std::string(kPictures)})
      if (const auto plan = journal_of(step).read_plan("")) *found.mutable_input() = plan->input();
    RETURN_IF_ERROR(still_wanted());
    if (!found.has_input()) std::this_thread::sleep_for(kLookInterval);
  }
  RETURN_IF_ERROR(state_.check(open_input(found), Origin::kInput));
  ASSIGN_OR_RETURN(VideoPlan plan, state_.check(prepare(), Origin::kInput));
  for (int number = 0; plan.chain.needs_analysis; number++) {
    const std::string step = analysis_name(number);
    ASSIGN_OR_RETURN(const SegmentPlan shared, await_plan(journal_of(step), key_, alive));
    int64_t segments = shared.segments();
    if (segments == 0) {
      ASSIGN_OR_RETURN(const bool is_complete, run_shared_step(plan, step, shared));
      if (!is_complete) return ok_status();
      segments = int64_t(finished_.size());
    }
    ASSIGN_OR_RETURN(const std::vector<std::byte> records, journal_of(step).read(segments));
    ASSIGN_OR_RETURN(plan.chain, state_.check(decide(plan.chain, share_, records), Origin::kInput));
  }
  if (plan.writes_decisions) return ok_status();
  RETURN_IF_ERROR(state_.check(follow_decisions(plan), Origin::kOutput));
  ASSIGN_OR_RETURN(const SegmentPlan shared, await_plan(journal_of(kPictures), key_, alive));
  return run_shared_step(plan, kPictures, shared).status();
}

}  // namespace weft::worker
