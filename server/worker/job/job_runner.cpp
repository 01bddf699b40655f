// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_runner.h"

#include <algorithm>
#include <utility>

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

void close_files(JobOrder& order) {
  for (OpenJobFile& input : order.inputs) {
    const media::FileCall call("closed", input.declared.path);
    input.descriptor.reset();
  }
  const media::FileCall call("closed", "");
  order.work_folder.reset();
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

}  // namespace weft::worker
