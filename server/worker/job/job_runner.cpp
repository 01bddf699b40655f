// SPDX-License-Identifier: Apache-2.0
#include "server/worker/job/job_runner.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/stat.h>

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
    // Damaged segments are made again, and another attempt may use another device.
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

// Returns true if the open folder was removed from its file system.
bool is_removed(int folder) {
  const media::FileCall call("examined", "");
  struct stat info {};
  return ::fstat(folder, &info) != 0 ? errno == ESTALE : info.st_nlink == 0;
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
  const size_t folders = message.analysis_cache_bytes() > 0 ? 2 : 1;
  if (descriptors.size() != folders)
    return internal_error("A job comes with {} inputs and {} more open files instead of its {}.",
                          order.inputs.size(), descriptors.size(),
                          options::format_count(int64_t(folders), "folder"));
  order.work_folder = std::move(descriptors[0]);
  order.analysis_cache_bytes = message.analysis_cache_bytes();
  if (folders > 1) order.analyses = std::move(descriptors[1]);
  order.source = source_of(message.settings(), message.owner_weight());
  order.source.job = order.id;
  order.segments_at_once = std::max(message.segments_at_once(), 1);
  order.batch_halvings = message.batch_halvings();
  order.task = message.task();
  order.has_several_devices = !message.settings().devices().empty();
  order.hashes = order.task == 0 && (!message.settings().has_hash() || message.settings().hash());
  return order;
}

const char* reason_of(internal::v1::StopKind kind) {
  switch (kind) {
    case internal::v1::STOP_KIND_PAUSE:
      return "The job is paused; its finished part is kept.";
    case internal::v1::STOP_KIND_CHECKPOINT:
      return "The worker stops; the job resumes from its finished part.";
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
    for (BatchStage* stage : stages_) stage->stop();
  });
  Status status = work();
  if (status.ok() && !state_.failed()) status = hash_outputs();
  if (!status.ok()) state_.fail(status, Origin::kOutput);
  JobEnd end = end_of(state_, result_so_far());
  if (!end.status.ok() && state_.origin() != Origin::kStop && is_removed(order_.work_folder.get())) {
    end.status = unavailable(
        "The work folder was removed while the job ran, with everything that was finished; the job starts "
        "over.");
    end.retriable = true;
    end.device_failed = false;
  }
  for (OpenJobFile& input : order_.inputs) {
    const media::FileCall call("closed", input.declared.path);
    input.descriptor.reset();
  }
  const media::FileCall call("closed", "");
  order_.work_folder.reset();
  return end;
}

Status JobRunner::hash_outputs() {
  if (!order_.hashes || order_.outputs.empty()) return ok_status();
  step_ = kFinishing;
  const TraceSpan span(v1::TRACE_CATEGORY_JOB, "hashing");
  ASSIGN_OR_RETURN(output_hashes_, hashes_.finish(order_.work_folder.get(), order_.outputs, [this] {
    meter_.beat();
    return state_.error();
  }));
  return ok_status();
}

void JobRunner::hash_written(const std::string& file, std::string_view bytes) {
  if (order_.hashes) hashes_.add(file, bytes);
}

void JobRunner::stop(internal::v1::StopKind kind) {
  if (kind == internal::v1::STOP_KIND_CHECKPOINT && std::string_view(step_) == kFinishing) return;
  state_.fail(cancelled("{}", reason_of(kind)), Origin::kStop);
}

void JobRunner::change(const schedule::SourceChanged& change) {
  const std::lock_guard lock(source_mutex_);
  change_ = change;
  preparing_.change(change);
  share_weight();
}

v1::JobResult JobRunner::result_so_far() const {
  v1::JobResult result = add_up(earlier_, meter_, std::chrono::steady_clock::now() - start_);
  add_properties(result);
  for (const v1::OutputHash& hash : output_hashes_) *result.add_output_hashes() = hash;
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
    const auto driver_lock = share_.loop.driver_lock();
    ASSIGN_OR_RETURN(network, chain.expand(share_, [this] { meter_.beat(); }));
  }
  meter_.beat();
  RETURN_IF_ERROR(preparing_.run(share_.device, network, source));
  return network;
}

void JobRunner::steer(BatchStage& stage) {
  const std::lock_guard lock(source_mutex_);
  stages_.push_back(&stage);
  // A change or a stop may have arrived after the stage's source was read.
  if (change_ || stages_.size() > 1) share_weight();
  if (state_.failed()) stage.stop();
}

void JobRunner::steer_no_more(BatchStage& stage) {
  const std::lock_guard lock(source_mutex_);
  std::erase(stages_, &stage);
  if (!stages_.empty()) share_weight();
}

// Passes the job's class, priority and share of its weight to the stages. Call with source_mutex_
// held.
void JobRunner::share_weight() {
  schedule::SourceSpec source = order_.source;
  if (change_) apply(*change_, source);
  const double weight = source.weight / double(std::max<size_t>(stages_.size(), 1));
  for (BatchStage* stage : stages_)
    stage->change({0, source.work_class, source.priority, source.owner_weight, weight});
}

std::jthread JobRunner::start_thread(std::function<Status()> body, Origin origin, std::string name,
                                     std::string suffix) {
  if (name.empty()) name = origin == Origin::kInput ? "input" : "output";
  return std::jthread([this, body = std::move(body), origin, name = std::move(name),
                       suffix = std::move(suffix), parent = current_track()] {
    const TracedThread traced(parent, name, suffix);
    const media::WatchFileCalls watch(&meter_.file_calls);
    if (const Status status = body(); !status.ok()) state_.fail(status, origin);
  });
}

}  // namespace weft::worker
