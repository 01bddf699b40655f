// SPDX-License-Identifier: Apache-2.0
#include "server/queue/admission/admission.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "options/job_kinds.h"
#include "options/validate.h"
#include "options/values.h"
#include "server/queue/admission/admission_files.h"
#include "server/queue/admission/work_location.h"
#include "server/queue/files/job_files.h"

namespace weft::queue {
namespace {

using options::Violation;

void check_request_id(const std::string& id, std::vector<Violation>& violations) {
  if (id.size() > kMaxRequestIdBytes)
    violations.push_back(
        {"request_id", fmt::format("The request id is too long ({} bytes, at most {}); a UUID is right.",
                                   id.size(), kMaxRequestIdBytes)});
  for (const unsigned char c : id) {
    if (c > ' ' && c < 0x7f) continue;
    violations.push_back({"request_id",
                          "The request id has a character that is neither a letter, a digit nor a sign of "
                          "ASCII; a UUID is right."});
    break;
  }
}

std::vector<Violation> check_message(const Submission& submission, const std::vector<std::string>& devices) {
  std::vector<Violation> violations = options::validate(submission.spec, "spec");
  for (Violation& each : options::validate(submission.settings, "settings"))
    violations.push_back(std::move(each));
  const std::string& device = submission.settings.device();
  if (!device.empty() && std::find(devices.begin(), devices.end(), device) == devices.end())
    violations.push_back(
        {"settings.device",
         fmt::format(
             "The daemon uses no such device ({}); it uses: {}. `weft devices` lists all with their states.",
             device, fmt::join(devices, ", "))});
  check_request_id(submission.request_id, violations);
  const size_t bytes = submission.spec.ByteSizeLong() + submission.settings.ByteSizeLong();
  if (bytes > kMaxSpecBytes)
    violations.push_back(
        {"spec", fmt::format("The job is described by too many bytes ({}, at most {}); shorten its names and "
                             "texts, or submit several jobs.",
                             bytes, kMaxSpecBytes)});
  return violations;
}

// Returns an error of the probe with a field. An error without one is about the input.
Status with_field(const Status& status, const options::JobFiles& files) {
  if (status.code() != StatusCode::kInvalidArgument || !options::violations_of(status).empty() ||
      files.inputs.empty())
    return status;
  return options::to_status({{files.inputs[0].field, message_of(status)}});
}

}  // namespace

struct Admission::Case {
  v1::SubmitJobRequest request;
  Submission submission;
  Done done;
  CheckedFiles files;
  WorkLocation work;
};

Admission::Admission(Queue& queue, Prober& prober, AdmissionConfig config)
    : queue_(queue),
      probes_(prober),
      devices_(std::move(config.devices)),
      rules_(std::move(config.rules)),
      work_folder_(std::move(config.work_folder)),
      low_disk_bytes_(config.low_disk_bytes) {}

Admission::~Admission() { stop(); }

void Admission::stop() { threads_.stop(); }

void Admission::submit(const v1::SubmitJobRequest& request, const Caller& caller, Done done) {
  auto submit = std::make_shared<Case>();
  submit->request = request;
  submit->done = std::move(done);
  Submission& submission = submit->submission;
  submission.spec = request.spec();
  submission.settings = request.settings();
  submission.request_id = request.request_id();
  submission.submitter = caller.credentials;
  options::apply_defaults(submission.spec);
  options::apply_defaults(submission.spec, submission.settings);
  if (const Status owner = settle_owner(caller, *submission.settings.mutable_owner()); !owner.ok())
    return submit->done(owner);
  const std::vector<Violation> violations = check_message(submission, devices_);
  if (!violations.empty()) return submit->done(options::to_status(violations));
  if (const Status allowed = check_priority(caller, submission.settings.priority()); !allowed.ok())
    return submit->done(allowed);
  look_up(submit);
}

void Admission::look_up(const CasePtr& submit) {
  if (submit->request.request_id().empty()) return check_files(submit);
  queue_.find_submission(submit->submission, [this, submit](StatusOr<std::optional<v1::Job>> found) {
    if (!found.ok()) return submit->done(found.status());
    if (!found->has_value()) return check_files(submit);
    v1::SubmitJobResponse response;
    *response.mutable_job() = **std::move(found);
    submit->done(std::move(response));
  });
}

void Admission::check_files(const CasePtr& submit) {
  const auto check = [this, submit] {
    Submission& submission = submit->submission;
    const FileRights rights{submission.submitter, rules_};
    StatusOr<CheckedFiles> files =
        queue::check_files(submission.spec, submission.settings.overwrite(), rights);
    if (!files.ok()) return refuse(submit, files.status());
    StatusOr<WorkLocation> work = check_work_location(submission.settings, work_folder_, rights);
    if (!work.ok()) return refuse(submit, work.status());
    submit->files = *std::move(files);
    submit->work = *std::move(work);
    submission.real_paths = submit->files.real_paths;
    submission.work_location = submit->work.path;
    probe(submit);
    // Closes the inputs that the probe did not take. This thread may wait for a file system.
    submit->files.inputs.clear();
  };
  const auto dropped = [submit] {
    submit->done(unavailable("The daemon stops; submit again when it runs."));
  };
  v1::Job job;
  *job.mutable_spec() = submit->submission.spec;
  const std::string& chosen = submit->submission.settings.work_dir();
  job.set_work_location(chosen.empty() ? work_folder_ : chosen);
  if (!threads_.add(paths_of(job), check, dropped))
    submit->done(unavailable("Too many submits wait for the file system ({}); submit again soon.",
                             kMaxWaitingSubmits));
}

void Admission::probe(const CasePtr& submit) {
  const bool plan_graph = submit->request.validate_only() && submit->request.plan_graph();
  probes_.probe(submit->submission.spec, submit->files, submit->submission.submitter, plan_graph,
                [this, submit](const StatusOr<v1::JobEstimate>& estimate) {
                  if (!estimate.ok())
                    return refuse(submit, with_field(estimate.status(), submit->files.named));
                  v1::JobEstimate& own = submit->submission.estimate;
                  own = *estimate;
                  own.set_free_bytes(submit->files.free_bytes);
                  own.set_file_system(submit->files.file_system);
                  submit->submission.disk_bytes = submit->files.disk_bytes;
                  const WorkLocation& work = submit->work;
                  if (!work.path.empty() && work.file_system != submit->files.file_system) {
                    own.set_work_free_bytes(work.free_bytes);
                    submit->submission.work_disk_bytes = work.disk_bytes;
                  }
                  submit->submission.kept_free_bytes = low_disk_bytes_;
                  add(submit);
                });
}

void Admission::add(const CasePtr& submit) {
  const auto refused = [submit](const Status& why) {
    const std::vector<options::JobFile>& outputs = submit->files.named.outputs;
    if (why.code() == StatusCode::kFailedPrecondition &&
        !outputs.empty())  // another job writes or reads the output
      return submit->done(about_state(outputs[0].field, message_of(why)));
    submit->done(why);
  };
  if (submit->request.validate_only())
    return queue_.check(submit->submission, [submit, refused](StatusOr<v1::SubmitJobResponse> response) {
      if (!response.ok()) return refused(response.status());
      submit->done(*std::move(response));
    });
  queue_.submit(submit->submission, [submit, refused](StatusOr<v1::Job> job) {
    if (!job.ok()) return refused(job.status());
    v1::SubmitJobResponse response;
    *response.mutable_job() = *std::move(job);
    *response.mutable_estimate() = submit->submission.estimate;
    submit->done(std::move(response));
  });
}

// Answers with `why`, except if the same request was sent twice at once and the other one has
// become a job meanwhile: then the answer is that job.
void Admission::refuse(const CasePtr& submit, const Status& why) {
  if (submit->request.request_id().empty()) return submit->done(why);
  queue_.find_submission(submit->submission, [submit, why](StatusOr<std::optional<v1::Job>> found) {
    if (!found.ok() || !found->has_value()) return submit->done(why);
    v1::SubmitJobResponse response;
    *response.mutable_job() = **std::move(found);
    submit->done(std::move(response));
  });
}

}  // namespace weft::queue
