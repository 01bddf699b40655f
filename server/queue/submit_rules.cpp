// SPDX-License-Identifier: Apache-2.0
#include "server/queue/submit_rules.h"

#include <filesystem>
#include <utility>

#include "google/rpc/error_details.pb.h"
#include "options/words.h"
#include "server/queue/files/disk_budget.h"
#include "server/queue/placement/memory_check.h"
#include "server/queue/placement/task_placement.h"
#include "server/queue/records/device_choice.h"
#include "server/queue/records/job_filter.h"

namespace weft::queue {
namespace {

Status over_quota(const std::string& subject, Status status) {
  google::rpc::QuotaFailure failure;
  auto* violation = failure.add_violations();
  violation->set_subject(subject);
  violation->set_description(message_of(status));
  status.SetPayload("type.googleapis.com/google.rpc.QuotaFailure", absl::Cord(failure.SerializeAsString()));
  return status;
}

}  // namespace

// Two jobs that write the same file would damage each other's output. A job that writes another
// job's input would damage that input.
Status SubmitRules::check_files(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const {
  if (const RecordPtr writer = jobs_.find_writer(spec, real_paths); writer != nullptr)
    return failed_precondition(
        "Another job ({}, {}) writes the same output; choose another name, or cancel that job first.",
        writer->job.id(), state_name(writer->job.state()));
  if (const RecordPtr reader = jobs_.find_reader(spec, real_paths); reader != nullptr)
    return failed_precondition(
        "The output is the input of another job ({}, {}); choose another name, or wait until that job has "
        "ended.",
        reader->job.id(), state_name(reader->job.state()));
  return ok_status();
}

// Refuses only jobs that can never run. Other jobs wait for space, since the reservations of
// running jobs end.
Status SubmitRules::check_space(const Submission& submission) const {
  const auto check = [&](std::string_view part, const std::string& folder, int64_t wanted,
                         int64_t disk_bytes) {
    if (disk_bytes == 0 || wanted <= disk_bytes - submission.kept_free_bytes) return ok_status();
    return over_quota(
        folder,
        resource_exhausted("The {} can never fit ({} bytes estimated; the file system of {} has {}, of "
                           "which {} are kept free); choose another folder.",
                           part, wanted, folder, disk_bytes, submission.kept_free_bytes));
  };
  const std::vector<std::string> outputs = outputs_of_spec(submission.spec);
  const std::string folder = outputs.empty() ? "" : std::filesystem::path(outputs[0]).parent_path().string();
  const int64_t wanted = submission.estimate.output_bytes();
  if (submission.work_disk_bytes == 0) return check("output", folder, wanted, submission.disk_bytes);
  RETURN_IF_ERROR(check("work", submission.work_location, wanted, submission.work_disk_bytes));
  return check("output", folder, bytes_of_finished(submission.estimate), submission.disk_bytes);
}

Status SubmitRules::check_memory(const Submission& submission) const {
  v1::Job job;
  *job.mutable_settings() = submission.settings;
  *job.mutable_estimate() = submission.estimate;
  if (const Status fits = MemoryCheck(placement_).check_devices(job); !fits.ok())
    return over_quota("device_memory_bytes", fits);
  const int64_t wanted = MemoryCheck(placement_).least_host_bytes(job);
  if (config_.host_memory_bytes == 0 || wanted <= config_.host_memory_bytes) return ok_status();
  return over_quota("host_memory_bytes",
                    resource_exhausted("The job can never run here: it needs {} of the machine's memory, "
                                       "and jobs may take {} together (host_memory_bytes); make its pictures "
                                       "smaller, or run it on a device with memory of its own.",
                                       text_of_bytes(wanted), text_of_bytes(config_.host_memory_bytes)));
}

// Ended jobs do not count, since Retention forgets them when space is needed.
Status SubmitRules::check_owner(const Submission& submission) const {
  v1::Job job;
  *job.mutable_spec() = submission.spec;
  *job.mutable_settings() = submission.settings;
  *job.mutable_estimate() = submission.estimate;
  const std::string& owner = submission.settings.owner();
  const JobTable::OwnerBytes kept = jobs_.bytes_of(owner);
  const int64_t wanted = kept.all - kept.ended + bytes_of(job);
  if (wanted <= config_.owner_bytes) return ok_status();
  return over_quota(
      "owner_bytes",
      resource_exhausted(
          "The jobs of {} that have not ended take too much of the daemon's memory ({} bytes with this "
          "one, at most {}: owner_bytes); wait until some have run, or cancel some.",
          owner, wanted, config_.owner_bytes));
}

Status SubmitRules::check(const Submission& submission) const {
  if (is_closed_) return unavailable("The daemon is about to stop; submit again when it is back.");
  const int64_t queued = jobs_.count(v1::JOB_STATE_QUEUED) + jobs_.count(v1::JOB_STATE_PAUSED);
  if (queued >= config_.max_queued_jobs)
    return resource_exhausted("The queue is full ({}, at most {}); wait until some have run, or cancel some.",
                              options::format_count(queued, "job"), config_.max_queued_jobs);
  RETURN_IF_ERROR(check_devices(submission.spec, submission.settings));
  RETURN_IF_ERROR(TaskPlacement(placement_).check(submission.settings, submission.estimate));
  RETURN_IF_ERROR(check_owner(submission));
  RETURN_IF_ERROR(check_files(submission.spec, submission.real_paths));
  RETURN_IF_ERROR(check_memory(submission));
  return check_space(submission);
}

}  // namespace weft::queue
