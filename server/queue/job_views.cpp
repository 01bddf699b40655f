// SPDX-License-Identifier: Apache-2.0
#include "server/queue/job_views.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "options/job_files.h"
#include "options/job_kinds.h"
#include "server/queue/placement/memory_budget.h"
#include "server/queue/placement/task_placement.h"
#include "server/queue/records/job_filter.h"
#include "server/queue/records/proto_time.h"
#include "server/queue/store/log_store.h"

namespace weft::queue {
namespace {

constexpr const char* kDrainingReason =
    "Waits until the daemon is back: it is about to stop and starts nothing more.";

constexpr size_t kEntryBytes = 8;  // bytes of a job's field number and length in the response
// The remaining bytes are for tokens and numbers.
constexpr size_t kPageBytesForJobs = kLargestPageBytes - 1024;

constexpr std::chrono::seconds kFileWaitReported{1};  // a shorter wait is not reported

std::string seconds_until(TimePoint time, TimePoint now) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(time - now).count();
  return seconds <= 1 ? "a second" : fmt::format("{} seconds", seconds);
}

std::string attempt_reason(const v1::JobAttempt& attempt) {
  const bool is_stopped = attempt.error().code() == int(StatusCode::kCancelled);
  return fmt::format("Attempt {} on {} {}: {}", attempt.number(), attempt.device(),
                     is_stopped ? "was stopped" : "ended with an error", attempt.error().message());
}

google::protobuf::Duration to_message(double seconds) {
  constexpr double kLongest = 1e9;  // seconds, about 30 years
  const auto nanoseconds = int64_t(std::min(seconds, kLongest) * 1e9);
  google::protobuf::Duration message;
  message.set_seconds(nanoseconds / 1'000'000'000);
  message.set_nanos(int32_t(nanoseconds % 1'000'000'000));
  return message;
}

void fill(v1::DevicePrediction& message, const Prediction& prediction, const v1::JobSpec& spec) {
  message.set_device(prediction.device);
  message.set_summary(describe(prediction, options::unit_of(spec)));
  message.set_units(prediction.units.value_or(0));
  message.set_share_left(prediction.unit.share_left);
  message.set_unit_cost_source(describe_source(prediction.unit));
  message.set_units_per_second(prediction.unit.pace);
  if (prediction.unit.is_known()) *message.mutable_unit_cost() = to_message(prediction.unit.device_seconds);
  if (!prediction.is_known) return;
  *message.mutable_finish() = to_message(prediction.finish());
  *message.mutable_running() = to_message(prediction.running);
  *message.mutable_ahead() = to_message(prediction.ahead);
  *message.mutable_own() = to_message(prediction.own);
}

void fill(google::protobuf::RepeatedPtrField<v1::DevicePrediction>& messages, const PlacementChoice& choice,
          const v1::JobSpec& spec) {
  for (const Prediction& prediction : choice.predictions) {
    v1::DevicePrediction& message = *messages.Add();
    fill(message, prediction, spec);
    message.set_chosen(prediction.device == choice.device);
  }
}

// Returns the reason for which the device does not process a job that it runs, or an empty string.
std::string starving_reason(const DeviceTable& devices, const v1::Job& job) {
  if (!devices.contains(job.device())) return "";
  const v1::DeviceStatus device = devices.view(job.device());
  for (const v1::StarvingJob& starving : device.sample().schedule().starving())
    if (starving.job_id() == job.id())
      return fmt::format(
          "It has waited {:.0f} s for its turn on {}: a unit of it takes {:.2f} ms there, which makes frames "
          "of the realtime streams late whenever it runs. It goes on when a stream ends; cancel it and "
          "submit it for another device to have it done sooner.",
          seconds_of(starving.waited()), job.device(), 1000 * seconds_of(starving.unit()));
  return "";
}

// Returns the device memory that is planned for the newest attempt, or an empty string if none is.
std::string planned_memory(const v1::Job& job) {
  const v1::JobAttempt& attempt = *job.attempts().rbegin();
  if (attempt.device_bytes() == 0) return "";
  std::string text = fmt::format("{} of the memory of {} are planned for it",
                                 text_of_bytes(attempt.device_bytes()), attempt.device());
  if (attempt.batch_halvings() > 0)
    text += fmt::format(", with batches of 1/{} of the usual size, since no more was free at its start",
                        1 << attempt.batch_halvings());
  return text + ".";
}

// Returns "cuda:0", or "cuda:0, with segments on cuda:1, cuda:2".
std::string devices_text(const v1::Job& job) {
  std::vector<std::string> others;
  for (const v1::JobTask* task : open_tasks(job)) others.push_back(task->device());
  if (others.empty()) return job.device();
  return fmt::format("{}, with segments on {}", job.device(), fmt::join(others, ", "));
}

}  // namespace

void JobViews::follow(const JobRecord* before, const JobRecord* after) {
  if (before == nullptr) return;
  const std::string& id = before->job.id();
  if (after == nullptr || !attempt_is_open(after->job)) choices_.erase(id);
  if (!attempt_is_open(before->job) || !is_same_attempt(*before, after)) file_waits_.erase(id);
}

void JobViews::waits_for_file(const std::string& id, std::string_view reason) {
  if (reason.empty())
    file_waits_.erase(id);
  else
    file_waits_[id] = std::string(reason);
}

// Returns the reason for which a running job waits for a file system, or an empty string if no wait
// is known.
std::string JobViews::file_wait(const JobRecord& record) const {
  const std::string& id = record.job.id();
  if (const auto known = file_waits_.find(id); known != file_waits_.end()) return known->second;
  const std::optional<PublishingState> publishing = actions_.publishing_of(id);
  const Duration waited = publishing ? clock_.now() - publishing->since : Duration(0);
  if (waited < kFileWaitReported) return "";
  const std::string outputs = fmt::format("{}", fmt::join(outputs_of_spec(record.job.spec()), ", "));
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
  if (publishing->total_bytes > 0)
    return fmt::format(
        "The finished output is copied from its work folder to its place and verified ({}; {}% of {}, for {} "
        "s).",
        outputs, 100 * publishing->done_bytes / publishing->total_bytes,
        text_of_bytes(publishing->total_bytes / 2), seconds);
  return fmt::format("Waits for a file system: the finished output is to be put in its place ({}; for {} s).",
                     outputs, seconds);
}

std::string JobViews::waiting_reason(const JobRecord& record) const {
  const v1::Job& job = record.job;
  if (job.state() == v1::JOB_STATE_RUNNING) return file_wait(record);
  if (job.state() != v1::JOB_STATE_QUEUED) return "";
  if (attempt_is_open(job))
    return fmt::format("Waits until attempt {} has stopped on {}.", job.attempt(), job.device());
  if (record.discarding) return "Waits until what its cancelled attempt left is removed.";
  if (draining_) return kDrainingReason;
  if (record.not_before > clock_.now())
    return fmt::format("Waits {} before it is tried again: {}",
                       seconds_until(record.not_before, clock_.now()), record.not_before_why);
  return placement_.waiting_reason(job.id(), clock_.now());
}

// Adds the predictions: of a waiting job, for the present state; of a running job, from its own
// pace, and for other devices as of its placement.
void JobViews::explain_position(const v1::Job& job, v1::ExplainJobResponse& response) const {
  std::optional<PlacementChoice> choice;
  if (const auto made = choices_.find(job.id()); made != choices_.end())
    choice = made->second;
  else if (placement_.is_waiting(job.id()))
    choice = placement_.plan_of(job.id(), clock_.now());
  if (!choice) return;
  if (attempt_is_open(job)) set_own_pace(job, *choice);
  response.add_reasons(describe(*choice, attempt_is_open(job)));
  fill(*response.mutable_predictions(), *choice, job.spec());
  for (const v1::DevicePrediction& prediction : response.predictions())
    response.add_reasons(prediction.summary());
}

// Adds the streams for which time is reserved on the job's device, or on the device predicted for
// it.
void JobViews::explain_streams(const v1::Job& job, v1::ExplainJobResponse& response) const {
  std::string device = attempt_is_open(job) ? job.device() : "";
  for (const v1::DevicePrediction& prediction : response.predictions())
    if (device.empty() && prediction.chosen()) device = prediction.device();
  if (!devices_.contains(device)) return;
  for (std::string& reason : stream_reasons(devices_.view(device))) response.add_reasons(std::move(reason));
}

v1::SubmitJobResponse JobViews::foresee(const Submission& submission) const {
  v1::SubmitJobResponse response;
  v1::Job job;
  *job.mutable_spec() = submission.spec;
  *job.mutable_settings() = submission.settings;
  *job.mutable_estimate() = submission.estimate;
  job.set_work_location(submission.work_location);
  if (const auto choice = placement_.plan_of_new(job, clock_.now()))
    fill(*response.mutable_predictions(), *choice, job.spec());
  *response.mutable_estimate() = submission.estimate;
  *response.mutable_job() = std::move(job);
  return response;
}

v1::Job JobViews::decorate(const JobRecord& record) const {
  v1::Job job = record.job;
  job.set_waiting_reason(waiting_reason(record));
  job.set_position(placement_.position_of(job.id(), clock_.now()));
  if (record.publishing) job.mutable_progress()->set_stage("finishing");
  return job;
}

StatusOr<v1::Job> JobViews::get(const std::string& id) const {
  ASSIGN_OR_RETURN(const RecordPtr record, jobs_.resolve(id));
  return decorate(*record);
}

StatusOr<std::optional<v1::Job>> JobViews::find_submission(const Submission& submission) const {
  if (submission.request_id.empty()) return std::optional<v1::Job>();
  const RecordPtr record = jobs_.find_request(submission.request_id);
  if (record == nullptr) return std::optional<v1::Job>();
  if (record->fingerprint != fingerprint_of(submission.spec, submission.settings))
    return already_exists(
        "The request_id ({}) belongs to another job ({}), whose specification or settings differ; "
        "choose a new one.",
        submission.request_id, record->job.id());
  return std::optional<v1::Job>(decorate(*record));
}

// The resume token is from the beginning of the list, so that a watch from it includes all changes
// made meanwhile.
JobViews::List JobViews::begin_list(v1::ListJobsRequest request) const {
  List list;
  list.walk.request = std::move(request);
  list.resume_token = watches_.token();
  return list;
}

StatusOr<std::optional<v1::ListJobsResponse>> JobViews::list_some(List& list) const {
  RETURN_IF_ERROR(jobs_.list_some(list.walk));
  if (!list.walk.complete) return std::optional<v1::ListJobsResponse>();
  v1::ListJobsResponse response;
  response.set_next_page_token(list.walk.page.next_page_token);
  size_t bytes = 0;
  for (const RecordPtr& record : list.walk.page.jobs) {
    v1::Job job = decorate(*record);
    bytes += job.ByteSizeLong() + kEntryBytes;
    if (bytes > kPageBytesForJobs && response.jobs_size() > 0) {
      response.set_next_page_token(page_token_after(response.jobs().rbegin()->id()));
      break;
    }
    *response.add_jobs() = std::move(job);
  }
  response.set_total(list.walk.page.total);
  response.set_resume_token(list.resume_token);
  response.set_queue_paused(placement_.is_paused());
  return std::optional<v1::ListJobsResponse>(std::move(response));
}

StatusOr<v1::ExplainJobResponse> JobViews::explain(const std::string& id) const {
  ASSIGN_OR_RETURN(const RecordPtr record, jobs_.resolve(id));
  v1::ExplainJobResponse response;
  *response.mutable_job() = decorate(*record);
  const v1::Job& job = response.job();
  const auto add = [&](std::string reason) {
    if (!reason.empty()) response.add_reasons(std::move(reason));
  };
  switch (job.state()) {
    case v1::JOB_STATE_QUEUED:
      add(job.waiting_reason());
      add(placement_.share_reason(job.id(), clock_.now()));
      for (std::string& reason : placement_.device_reasons(job.id())) add(std::move(reason));
      explain_position(job, response);
      explain_streams(job, response);
      break;
    case v1::JOB_STATE_RUNNING:
      add(record->publishing
              ? fmt::format("Attempt {} is finished; its result is on the way to its place.", job.attempt())
              : fmt::format("Attempt {} runs on {}.", job.attempt(), devices_text(job)));
      if (record->publishing) add(record->not_before_why);
      add(job.waiting_reason());
      if (!job.attempts().empty()) add(planned_memory(job));
      explain_position(job, response);
      for (std::string& reason : TaskPlacement(placement_).obstacles(job)) add(std::move(reason));
      add(starving_reason(devices_, job));
      explain_streams(job, response);
      break;
    case v1::JOB_STATE_PAUSED:
      add(attempt_is_open(job) ? "It was paused and is stopping; resume it to queue it again."
                               : "It was paused and keeps its place; resume it to queue it again.");
      break;
    case v1::JOB_STATE_FAILED:
      add(fmt::format("It failed: {}", job.error().message()));
      add("Retry it to queue it again under the same id.");
      break;
    case v1::JOB_STATE_CANCELLED:
      add("It was cancelled; retry it to queue it again under the same id.");
      break;
    default:
      add("It succeeded; its output is in its place.");
      break;
  }
  if (!job.work_location().empty() && (!is_final(job.state()) || record->keeps_work))
    add(fmt::format("Its segments and unfinished outputs lie in {}.", options::work_folder_of(job)));
  for (auto attempt = job.attempts().rbegin(); attempt != job.attempts().rend(); ++attempt)
    if (attempt->has_error()) add(attempt_reason(*attempt));
  return response;
}

QueueCounts JobViews::counts() const {
  QueueCounts counts;
  for (int state = v1::JOB_STATE_QUEUED; state < v1::JobState_ARRAYSIZE; state++)
    counts.jobs_by_state[state_name(v1::JobState(state))] = jobs_.count(v1::JobState(state));
  for (const v1::JobClass job_class : {v1::JOB_CLASS_NORMAL, v1::JOB_CLASS_SPARE})
    counts.queued_by_class[class_name(job_class)] = jobs_.count_queued(job_class);
  counts.limits = {{"queued_jobs", config_.max_queued_jobs},
                   {"jobs_per_device", config_.jobs_per_device},
                   {"host_memory_bytes", config_.host_memory_bytes},
                   {"watches", config_.max_watches},
                   {"cpu_slots", config_.cpu_slots},
                   {"encoder_sessions", config_.encoder_sessions},
                   {"log_lines_per_job", kLogLinesPerJob},
                   {"list_page_size", kLargestPageSize},
                   {"list_page_bytes", kLargestPageBytes},
                   {"owner_bytes", config_.owner_bytes}};
  counts.draining = draining_;
  counts.paused = placement_.is_paused();
  return counts;
}

}  // namespace weft::queue
