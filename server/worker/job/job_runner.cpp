// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_runner.h"

#include <algorithm>
#include <utility>

#include "server/media/file_calls.h"
#include "server/worker/job/job_result.h"
#include "server/worker/job/job_source.h"

namespace weft::worker {
namespace {

bool may_go_better(const Status& error, Origin origin) {
  switch (error.code()) {
    case StatusCode::kResourceExhausted:
    case StatusCode::kUnavailable:
    case StatusCode::kAborted:
    case StatusCode::kDeadlineExceeded:
      return origin != Origin::kStop;
    case StatusCode::kInvalidArgument:
    case StatusCode::kUnimplemented:
      return false;
    // Damaged segments are made again; a device may be another one.
    case StatusCode::kDataLoss:
    case StatusCode::kFailedPrecondition:
      return origin == Origin::kOutput || origin == Origin::kDevice;
    default:
      return origin == Origin::kDevice;
  }
}

JobEnd end_of(const PipelineState& state, v1::JobResult result) {
  JobEnd end;
  end.status = state.error();
  end.result = std::move(result);
  if (end.status.ok()) return end;
  const Origin origin = state.origin();
  end.retriable = may_go_better(end.status, origin);
  end.device_failed = origin == Origin::kDevice && end.status.code() != StatusCode::kInvalidArgument &&
                      end.status.code() != StatusCode::kResourceExhausted;
  return end;
}

}  // namespace

const options::JobFile* JobOrder::output(std::string_view option) const {
  const auto found =
      std::find_if(outputs.begin(), outputs.end(), [&](const auto& each) { return each.option == option; });
  return found == outputs.end() ? nullptr : &*found;
}

StatusOr<JobOrder> take_order(const internal::v1::StartJob& message,
                              std::vector<channel::FileDescriptor> descriptors) {
  JobOrder order;
  order.id = message.job_id();
  order.attempt = message.attempt();
  order.spec = message.spec();
  options::JobFiles files = options::files_of_job(order.spec);
  ASSIGN_OR_RETURN(order.inputs, take_inputs(std::move(files.inputs), descriptors, message.submitter()));
  order.outputs = std::move(files.outputs);
  if (descriptors.size() != 1)
    return internal_error("A job comes with {} inputs and {} more open files instead of its folder.",
                          order.inputs.size(), descriptors.size());
  order.work_folder = std::move(descriptors[0]);
  order.source = source_of(message.settings(), message.owner_weight());
  order.source.job = order.id;
  return order;
}

const char* reason_of(internal::v1::StopKind kind) {
  switch (kind) {
    case internal::v1::STOP_KIND_PAUSE:
      return "The job is paused; what is finished of it stays.";
    case internal::v1::STOP_KIND_CHECKPOINT:
      return "The worker stops; the job goes on from what is finished.";
    default:
      return "The job is cancelled.";
  }
}

void JobNotes::add(std::string text) {
  events_.on_log("info", text);
  const std::lock_guard lock(mutex_);
  if (std::find(texts_.begin(), texts_.end(), text) == texts_.end()) texts_.push_back(std::move(text));
}

void JobNotes::put_into(v1::JobResult& result) const {
  const std::lock_guard lock(mutex_);
  result.clear_notes();
  for (const std::string& text : texts_) result.add_notes(text);
}

JobRunner::JobRunner(JobOrder order, const DeviceShare& share, JobEvents& events, const char* step)
    : order_(std::move(order)), share_(share), events_(events), notes_(events), step_(step) {}

JobEnd JobRunner::run() {
  const media::WatchFileCalls watch(&meter_.file_calls);
  const FailureCallback stop_device(state_, [this] {
    preparing_.stop();
    const std::lock_guard lock(source_mutex_);
    if (stage_ != nullptr) stage_->stop();
  });
  if (const Status status = work(); !status.ok()) state_.fail(status, Origin::kOutput);
  JobEnd end = end_of(state_, result_so_far());
  for (OpenJobFile& input : order_.inputs) {
    const media::FileCall call("closed", input.declared.path);
    input.descriptor.reset();
  }
  const media::FileCall call("closed", "");
  order_.work_folder.reset();
  return end;
}

void JobRunner::stop(internal::v1::StopKind kind) {
  if (kind == internal::v1::STOP_KIND_CHECKPOINT && std::string_view(step_) == kFinishing) return;
  state_.fail(cancelled("{}", reason_of(kind)), Origin::kStop);
}

void JobRunner::change(const schedule::SourceChanged& change) {
  const std::lock_guard lock(source_mutex_);
  change_ = change;
  preparing_.change(change);
  if (stage_ != nullptr) stage_->change(change);
}

v1::JobResult JobRunner::result_so_far() const {
  v1::JobResult result = add_up(earlier_, meter_, std::chrono::steady_clock::now() - start_);
  add_facts(result);
  notes_.put_into(result);
  return result;
}

schedule::SourceSpec JobRunner::source() const {
  schedule::SourceSpec source = order_.source;
  const std::lock_guard lock(source_mutex_);
  if (change_) apply(*change_, source);
  return source;
}

StatusOr<graph::Network> JobRunner::expand(const Chain& chain, const schedule::SourceSpec& source) {
  graph::Network network;
  {
    const auto turn = share_.loop.opening_turn();
    ASSIGN_OR_RETURN(network, chain.expand(share_, [this] { meter_.beat(); }));
  }
  meter_.beat();
  RETURN_IF_ERROR(preparing_.run(share_.device, network, source));
  return network;
}

void JobRunner::steer(BatchStage* stage) {
  const std::lock_guard lock(source_mutex_);
  stage_ = stage;
  if (stage == nullptr) return;
  // A change or a stop may have come since its source was read.
  if (change_) stage->change(*change_);
  if (state_.failed()) stage->stop();
}

std::jthread JobRunner::start_thread(std::function<Status()> body, Origin origin) {
  return std::jthread([this, body = std::move(body), origin, parent = current_track()] {
    const TracedThread traced(parent, origin == Origin::kInput ? "input" : "output");
    const media::WatchFileCalls watch(&meter_.file_calls);
    if (const Status status = body(); !status.ok()) state_.fail(status, origin);
  });
}

}  // namespace weft::worker
