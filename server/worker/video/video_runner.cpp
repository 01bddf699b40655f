// SPDX-License-Identifier: Apache-2.0
#include "server/worker/video/video_runner.h"

#include <algorithm>
#include <sstream>
#include <thread>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "base/fault_point.h"
#include "options/words.h"
#include "server/media/read/probe/probe.h"
#include "server/worker/device/device_properties.h"
#include "server/worker/job/job_key.h"
#include "server/worker/video/input_state.h"
#include "server/worker/video/job_part.h"
#include "server/worker/video/video_lane.h"

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;
using internal::v1::SegmentRecord;
using internal::v1::StopKind;

// Increased when the bytes made from the same input and specification change: older segments are
// then not reused.
constexpr int kOutputVersion = 13;

// Returns the number of a segment's own source frames.
int64_t source_frames(const SegmentRecord& record, int64_t segment, const VideoPlan& plan) {
  return record.last() ? record.source_frames() - segment * plan.segment_frames : plan.segment_frames;
}

// limit of the time for which a checkpoint waits for the current segment, in seconds
constexpr double kShortSegmentSeconds = 3;

}  // namespace

VideoRunner::VideoRunner(JobOrder order, const DeviceShare& share, JobEvents& events)
    : JobRunner(std::move(order), share, events, kAnalysing),
      journal_(journal_of(kPictures)),
      kept_(order_.analyses.is_open() ? order_.analyses.get() : -1, order_.analysis_cache_bytes) {}

VideoRunner::~VideoRunner() = default;

Status VideoRunner::work() {
  Status status = attempt();
  input_.reset();
  return status;
}

void VideoRunner::stop(StopKind kind) {
  if (kind == internal::v1::STOP_KIND_CHECKPOINT && std::string_view(step_) == kProcessing) {
    const double frames_per_second = rate();
    const std::lock_guard lock(lanes_mutex_);
    int64_t left = 0;
    for (const auto& lane : lanes_) left = std::max(left, lane->frames_left());
    left *= std::max(lanes_running_, 1);
    if (frames_per_second > 0 && double(left) / frames_per_second < kShortSegmentSeconds)
      return state_.stop_at_segment_end();
  }
  JobRunner::stop(kind);
}

// The base class is changed first: a lane that is made meanwhile either has the new values, or
// exists at the second step.
void VideoRunner::change(const schedule::SourceChanged& change) {
  JobRunner::change(change);
  const std::lock_guard lock(lanes_mutex_);
  for (const auto& lane : lanes_) lane->change(change);
}

// Reports progress and returns the error that ended the job; for long steps that may be stopped.
Status VideoRunner::still_wanted() {
  meter_.beat();
  return state_.error();
}

Status VideoRunner::attempt() {
  if (order_.task > 0) return run_task();
  std::optional<SegmentRecord> earlier;
  for (const std::string& name : {std::string(kPictures), first_pass_name(0), analysis_name(0)})
    if (!earlier) earlier = journal_of(name).first_record();
  RETURN_IF_ERROR(state_.check(open_input(earlier), Origin::kInput));
  ASSIGN_OR_RETURN(VideoPlan plan, state_.check(prepare(), Origin::kInput));
  RETURN_IF_ERROR(make_output_part(plan));
  while (!finished_.empty() && finished_.rbegin()->second.has_next_output_part()) {
    ASSIGN_OR_RETURN(plan, state_.check(next_output_part(), Origin::kInput));
    RETURN_IF_ERROR(make_output_part(plan));
  }
  RETURN_IF_ERROR(remove_later_output_parts());
  if (const int64_t damaged = meter_.corrupt_packets; damaged > 0)
    notes_.add(fmt::format("Damage was concealed (packets: {}).", damaged));
  ASSIGN_OR_RETURN(const std::string growth, growth_note(*input_));
  if (!growth.empty()) notes_.add(growth);
  return ok_status();
}

Status VideoRunner::make_output_part(VideoPlan& plan) {
  RETURN_IF_ERROR(analyse(plan));
  if (plan.writes_decisions) return finish_decisions(plan);
  if (plan.encoder.pass.mean_rate > 0) RETURN_IF_ERROR(measure(plan));
  RETURN_IF_ERROR(run_step(kPictures, plan));
  return finish(plan);
}

// Opens the input in the state that the first attempt found.
Status VideoRunner::open_input(const std::optional<SegmentRecord>& earlier) {
  ASSIGN_OR_RETURN(const InputAsFound found, open_as_found(order_.inputs[0], earlier));
  input_ = found.file;
  *record_.mutable_input() = found.state;
  ASSIGN_OR_RETURN(key_, key_of(order_, kOutputVersion, text_of(found.state)));
  record_.set_key(key_);
  return ok_status();
}

Status VideoRunner::resume_segments(const VideoPlan& plan) {
  const auto alive = [this] { return still_wanted(); };
  ASSIGN_OR_RETURN(finished_,
                   journal_.scan(key_, alive, [this](std::string text) { notes_.add(std::move(text)); }));
  if (finished_.empty()) return ok_status();
  *record_.mutable_part() = finished_.begin()->second.part();
  record_.mutable_part()->clear_end_pts();
  segments_resumed_ = before_.segments_resumed + int(finished_.size());
  // The newest record has the totals of all attempts so far.
  const auto wall_time = [](const auto& segment) {
    return TimeUtil::DurationToNanoseconds(segment.second.result().wall_time());
  };
  earlier_ = std::ranges::max_element(finished_, {}, wall_time)->second.result();
  for (const std::string& text : earlier_.notes()) notes_.add(text);
  count_finished(plan);
  resumed_ = before_.frames_resumed + frames_done_;
  events_.on_log("info", fmt::format("The job goes on behind {} ({}).",
                                     options::format_count(int64_t(finished_.size()), "finished segment"),
                                     options::format_count(frames_done_.load(), "frame")));
  return ok_status();
}

// Sets the job's counters to those of the finished segments.
void VideoRunner::count_finished(const VideoPlan& plan) {
  segments_done_ = int(finished_.size());
  frames_done_ = 0;
  int64_t outputs = before_.outputs, corrupt_packets = before_.corrupt_packets;
  for (const auto& [segment, record] : finished_) {
    frames_done_ += source_frames(record, segment, plan);
    outputs += record.outputs();
    corrupt_packets += record.corrupt_packets();
  }
  meter_.units_done = before_.frames + frames_done_;
  meter_.outputs_done = outputs;
  meter_.corrupt_packets = corrupt_packets;
}

void VideoRunner::count_segment(int64_t segment, const SegmentRecord& record, const VideoPlan& plan,
                                bool is_found) {
  const int64_t own = source_frames(record, segment, plan);
  if (is_found) {
    frames_found_ += own;
    meter_.units_done += own;
    meter_.outputs_done += record.outputs();
    meter_.corrupt_packets += record.corrupt_packets();
  }
  const int segments = ++segments_done_;
  const int64_t frames = frames_done_ += own;
  if (!plan.is_preparing())
    events_.on_segment_finished(before_.segments + segments - 1, before_.frames + frames);
}

StatusOr<VideoPlan> VideoRunner::prepare() {
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, "opening");
  ASSIGN_OR_RETURN(info_, media::probe(input_, order_.spec.video().decoding().programme()));
  meter_.beat();
  ASSIGN_OR_RETURN(VideoPlan plan, plan_output_part());
  RETURN_IF_ERROR(refuse_late_streams(plan, input_, output().name()));
  meter_.units_total = plan.frames;
  events_.on_log("info", fmt::format("Input: {}.", summary_of(info_)));
  return plan;
}

StatusOr<VideoPlan> VideoRunner::plan_output_part() {
  ASSIGN_OR_RETURN(ChainInputs option_files, read_option_files(order_.inputs, "spec.video"));
  meter_.beat();
  ASSIGN_OR_RETURN(VideoPlan plan, plan_video(order_.spec, info_, output().name(), std::move(option_files)));
  meter_.beat();
  RETURN_IF_ERROR(check_decisions(plan, record_.input(), order_.spec.video()));
  if (from_) plan.part.from = *from_;
  plan.source.alive = [this] { return still_wanted(); };
  const device::DeviceInfo& info = share_.device.info();
  plan.source.cuda_ordinal = plan.encoder.gpu = decoder_ordinal(info);
  // On the CPU device NVDEC is not used: the worker of the GPU would treat this process as another
  // program.
  if (info.kind == device::BackendKind::kCpu) plan.source.hardware = false;
  events_.on_log("info", fmt::format("Output: {}.", summary_of(plan)));
  for (const std::string& text : plan.notes) notes_.add(text);
  return plan;
}

void VideoRunner::go_on_as_before(VideoPlan& plan) const {
  if (finished_.empty()) return;
  const SegmentRecord& first = finished_.begin()->second;
  plan.encoder.threads = first.encoder_threads();
  plan.source.hardware = first.hardware_decoder();
}

// Usually there is one pass. Another one follows if computed starts were wrong: the other segments
// are then rendered one after the other.
Status VideoRunner::process(const VideoPlan& plan) {
  step_ = plan.is_preparing() ? kAnalysing : kProcessing;
  RETURN_IF_ERROR(share_segments(plan));
  for (int lanes = most_lanes(plan);; lanes = 1) {
    RETURN_IF_ERROR(remove_broken(plan));
    const auto on_found = [&](int64_t segment, const SegmentRecord& record) {
      count_segment(segment, record, plan, true);
    };
    Pass pass{plan, plan.grid(), lanes, claims_ != nullptr, SegmentTable(finished_, claims_.get(), on_found)};
    if (pass.table.is_complete()) return ok_status();
    const size_t before = finished_.size();
    RETURN_IF_ERROR(render(pass));
    finished_ = pass.table.finished();
    if (!pass.starts_over && pass.table.is_complete()) {
      count_finished(plan);
      return ok_status();
    }
    if (!pass.starts_over && state_.stops_at_segment_end())
      return state_.check(Status(cancelled("{}", reason_of(internal::v1::STOP_KIND_CHECKPOINT))),
                          Origin::kStop);
    RETURN_IF_ERROR(share_no_more(plan));
    if (pass.starts_over) {
      RETURN_IF_ERROR(journal_.remove_from(0));
      begin_anew();
    } else if (lanes == 1 && finished_.size() == before) {
      return internal_error("No segment can begin after {} finished ones.", before);
    }
  }
}

// Removes the segments from the first one that does not continue the one before it.
Status VideoRunner::remove_broken(const VideoPlan& plan) {
  if (const auto broken = SegmentTable(finished_).first_broken()) {
    events_.on_log("info", fmt::format("Segment {} does not continue the one before it; it is made again, "
                                       "and what follows it.",
                                       *broken));
    RETURN_IF_ERROR(journal_.remove_from(*broken));
    finished_.erase(finished_.lower_bound(*broken), finished_.end());
  }
  count_finished(plan);
  return ok_status();
}

// Returns the limit of the segments that are rendered at the same time.
int VideoRunner::most_lanes(const VideoPlan& plan) const {
  // At a change of size, which packets do not show, a part of the output ends.
  if (plan.source.on_size_change != media::OnSizeChange::kFails) return 1;
  return std::max(share_.lanes, order_.segments_at_once);
}

Status VideoRunner::finish(const VideoPlan& plan) {
  step_ = kFinishing;
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, kFinishing);
  RETURN_IF_ERROR(still_wanted());
  if (!plan.writes_file()) {
    notes_.add("No file is written: the encoder is null.");
    return ok_status();
  }
  media::FinishRequest request;
  const SegmentRecord& last = finished_.rbegin()->second;
  for (size_t i = 0; i < finished_.size(); i++) request.segments.push_back(journal_.location(int64_t(i)));
  request.source = input_;
  request.name = output().name();
  request.output = {order_.work_folder.get(), output().finished_name};
  request.programme = plan.source.programme;
  request.choices = plan.choices;
  request.expected_frames = last.first_output() + last.outputs();
  request.part = source_part(last.part());
  request.timecodes = timecode_request();
  request.progress = [this](int64_t) { return still_wanted(); };
  FAULT_POINT("worker.finish.before");
  const StatusOr<media::FinishResult> result = media::finish(request);
  // Segments that do not fit together would fail again in the next attempt, so they are removed.
  if (result.status().code() == StatusCode::kFailedPrecondition) RETURN_IF_ERROR(journal_.remove_from(0));
  RETURN_IF_ERROR(result.status());
  FAULT_POINT("worker.finish.after");
  output_bytes_ += result->bytes;
  for (const std::string& text : result->notes) notes_.add(text);
  return ok_status();
}

// Returns the file of the job's second output, or nullopt without one.
std::optional<media::TimecodeRequest> VideoRunner::timecode_request() const {
  if (order_.outputs.size() < 2) return std::nullopt;
  const bool has_decimals = order_.spec.video().timecode_precision() != v1::TIMECODE_PRECISION_MILLISECONDS;
  return media::TimecodeRequest{
      {order_.work_folder.get(), options::output_part(order_.outputs[1], output_part_).finished_name},
      has_decimals ? media::TimecodeForm::kDecimals : media::TimecodeForm::kMilliseconds};
}

void VideoRunner::add_properties(v1::JobResult& result) const {
  result.set_output_bytes(output_bytes_);
  result.set_first_frame(output_part_ > 1 ? before_.first_frame : record_.part().first_frame());
  result.set_segments(before_.segments + segments_done_);
  result.set_segments_resumed(segments_resumed_);
}

}  // namespace weft::worker
