// SPDX-License-Identifier: Apache-2.0
// Implements the services of the fake daemon, each call in its simplest form.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "options/validate.h"
#include "options/values.h"
#include "tests/client/fake_server.h"

namespace weft::test {

using grpc::ServerContext;
using grpc::ServerWriter;

template <class Map>
inline std::string id_of(const Map& map) {
  return fmt::format("01JB{:022}", map.size() + 1);
}

inline void set_now(google::protobuf::Timestamp* time) { time->set_seconds(1790000000); }

struct FakeServer::Services : v1::JobService::Service,
                              v1::DeviceService::Service,
                              v1::ServerService::Service,
                              v1::StatisticsService::Service,
                              v1::PictureService::Service {
  explicit Services(FakeServer& owner) : fake(owner) {}

  grpc::Status SubmitJob(ServerContext*, const v1::SubmitJobRequest* request,
                         v1::SubmitJobResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    fake.submits_++;
    fake.changed_.notify_all();
    if (fake.on_submit_)
      if (grpc::Status status = fake.on_submit_(*request); !status.ok()) return status;
    v1::Job job;
    *job.mutable_spec() = request->spec();
    *job.mutable_settings() = request->settings();
    options::apply_defaults(*job.mutable_spec());
    options::apply_defaults(*job.mutable_settings());
    if (const Status status = options::to_status(options::validate(job.spec(), "spec")); !status.ok())
      return refuse(status);
    response->mutable_estimate()->set_media(fake.media_);
    response->mutable_estimate()->set_units_in(100);
    response->mutable_estimate()->set_units_out(200);
    if (request->validate_only() && request->plan_graph() && request->spec().has_video())
      response->mutable_estimate()->set_plan_graph("digraph plan {}\n");
    response->mutable_estimate()->set_output_bytes(1 << 20);
    response->mutable_estimate()->set_input_summary("mpeg2video 720x480");
    if (request->validate_only())
      response->mutable_predictions()->Assign(fake.predictions_.begin(), fake.predictions_.end());
    std::string& id = fake.request_ids_[request->request_id()];
    if (id.empty() && !request->validate_only()) {
      job.set_id(id_of(fake.jobs_));
      job.set_state(v1::JOB_STATE_QUEUED);
      job.set_request_id(request->request_id());
      set_now(job.mutable_submit_time());
      id = job.id();
      fake.jobs_[id] = job;
      fake.unscripted_.push_back(id);
      fake.record(fake.jobs_[id], false);
    }
    *response->mutable_job() = request->validate_only() ? job : fake.jobs_[id];
    if (fake.lose_ > 0 && fake.lose_-- > 0)
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "Socket closed");
    return grpc::Status::OK;
  }

  grpc::Status ListJobs(ServerContext*, const v1::ListJobsRequest* request,
                        v1::ListJobsResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    const size_t page = request->page_size() == 0 ? 100 : size_t(request->page_size());
    size_t skip = request->page_token().empty() ? 0 : std::stoul(request->page_token());
    size_t index = 0;
    for (auto it = fake.jobs_.rbegin(); it != fake.jobs_.rend(); ++it) {
      if (!fake.matches(it->second, request->filter())) continue;
      if (index >= skip && index < skip + page) *response->add_jobs() = it->second;
      index++;
    }
    if (index > skip + page) response->set_next_page_token(std::to_string(skip + page));
    response->set_total(int64_t(index));
    response->set_resume_token(std::to_string(fake.history_.size()));
    response->set_queue_paused(fake.queue_paused_);
    return grpc::Status::OK;
  }

  grpc::Status WatchJobs(ServerContext* context, const v1::WatchJobsRequest* request,
                         ServerWriter<v1::WatchJobsResponse>* writer) override {
    return fake.watch(context, *request, writer);
  }

  template <class Response>
  grpc::Status steer(const std::string& id, Response* response, const Step& step) {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    grpc::Status status;
    v1::Job* job = fake.find(id, &status);
    if (job == nullptr) return status;
    if (step) {
      step(*job);
      fake.record(*job, false);
    }
    *response->mutable_job() = *job;
    return grpc::Status::OK;
  }

  template <class Response>
  grpc::Status set_paused(bool paused, Response* response) {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    fake.queue_paused_ = paused;
    response->set_queue_paused(paused);
    return grpc::Status::OK;
  }

  grpc::Status GetJob(ServerContext*, const v1::GetJobRequest* request,
                      v1::GetJobResponse* response) override {
    return steer(request->id(), response, nullptr);
  }
  grpc::Status CancelJob(ServerContext*, const v1::CancelJobRequest* request,
                         v1::CancelJobResponse* response) override {
    return steer(request->id(), response, [](v1::Job& job) { job.set_state(v1::JOB_STATE_CANCELLED); });
  }
  grpc::Status PauseJob(ServerContext*, const v1::PauseJobRequest* request,
                        v1::PauseJobResponse* response) override {
    return steer(request->id(), response, [](v1::Job& job) { job.set_state(v1::JOB_STATE_PAUSED); });
  }
  grpc::Status ResumeJob(ServerContext*, const v1::ResumeJobRequest* request,
                         v1::ResumeJobResponse* response) override {
    return steer(request->id(), response, [](v1::Job& job) { job.set_state(v1::JOB_STATE_QUEUED); });
  }
  grpc::Status RetryJob(ServerContext*, const v1::RetryJobRequest* request,
                        v1::RetryJobResponse* response) override {
    return steer(request->id(), response, [](v1::Job& job) { job.set_state(v1::JOB_STATE_QUEUED); });
  }
  grpc::Status ForgetJob(ServerContext*, const v1::ForgetJobRequest* request,
                         v1::ForgetJobResponse* response) override {
    if (grpc::Status status = steer(request->id(), response, nullptr); !status.ok()) return status;
    const v1::JobState state = response->job().state();
    if (state == v1::JOB_STATE_QUEUED || state == v1::JOB_STATE_RUNNING || state == v1::JOB_STATE_PAUSED)
      return refuse(failed_precondition("The job ({}) has not ended.", response->job().id()));
    fake.forget(response->job().id());
    return grpc::Status::OK;
  }
  grpc::Status PauseQueue(ServerContext*, const v1::PauseQueueRequest*,
                          v1::PauseQueueResponse* response) override {
    return set_paused(true, response);
  }
  grpc::Status ResumeQueue(ServerContext*, const v1::ResumeQueueRequest*,
                           v1::ResumeQueueResponse* response) override {
    return set_paused(false, response);
  }
  grpc::Status ChangeJobPriority(ServerContext*, const v1::ChangeJobPriorityRequest* request,
                                 v1::ChangeJobPriorityResponse* response) override {
    return steer(request->id(), response,
                 [&](v1::Job& job) { job.mutable_settings()->set_priority(request->priority()); });
  }
  grpc::Status ExplainJob(ServerContext*, const v1::ExplainJobRequest* request,
                          v1::ExplainJobResponse* response) override {
    grpc::Status status = steer(request->id(), response, nullptr);
    if (const std::string& reason = response->job().waiting_reason(); !reason.empty()) {
      response->add_reasons(reason);
    } else {
      response->add_reasons("The device cpu is busy.");
      response->add_reasons("3 jobs stand before this one.");
    }
    const std::lock_guard lock(fake.mutex_);
    response->mutable_predictions()->Assign(fake.predictions_.begin(), fake.predictions_.end());
    return status;
  }

  grpc::Status ReadJobDecisions(ServerContext*, const v1::ReadJobDecisionsRequest* request,
                                v1::ReadJobDecisionsResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    constexpr size_t kMostBytes = 1000;  // size of a part
    const std::lock_guard lock(fake.mutex_);
    grpc::Status status;
    const v1::Job* job = fake.find(request->id(), &status);
    if (job == nullptr) return status;
    const auto found = fake.decisions_.find(job->id());
    if (found == fake.decisions_.end())
      return refuse(not_found("There are no decisions of job {}.", job->id()));
    response->set_bytes(int64_t(found->second.size()));
    response->set_text(
        found->second.substr(std::min(size_t(request->offset()), found->second.size()), kMostBytes));
    return grpc::Status::OK;
  }

  grpc::Status ReadJobLog(ServerContext* context, const v1::ReadJobLogRequest* request,
                          ServerWriter<v1::ReadJobLogResponse>* writer) override {
    std::unique_lock lock(fake.mutex_);
    for (auto line = size_t(request->first_line());;) {
      grpc::Status status;
      const v1::Job* job = fake.find(request->id(), &status);  // The job may have been removed.
      if (job == nullptr) return status;
      for (; line < fake.log_.size(); line++) {
        v1::ReadJobLogResponse response;
        response.set_line(int64_t(line));
        response.set_attempt(1);
        response.set_level("info");
        response.set_text(fake.log_[line]);
        set_now(response.mutable_time());
        writer->Write(response);
      }
      const bool finished = job->state() >= v1::JOB_STATE_SUCCEEDED;
      if (!request->follow() || finished || fake.stopping_ || context->IsCancelled()) return grpc::Status::OK;
      fake.changed_.wait_for(lock, std::chrono::milliseconds(20));
    }
  }

  grpc::Status ListDevices(ServerContext*, const v1::ListDevicesRequest*,
                           v1::ListDevicesResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    for (const auto& [id, device] : fake.devices_) *response->add_devices() = device;
    response->add_notes("There is no CUDA driver here.");
    return grpc::Status::OK;
  }
  grpc::Status WatchDeviceSamples(ServerContext* context, const v1::WatchDeviceSamplesRequest*,
                                  ServerWriter<v1::WatchDeviceSamplesResponse>* writer) override {
    std::unique_lock lock(fake.mutex_);
    do {
      for (const auto& [id, device] : fake.devices_) {
        v1::WatchDeviceSamplesResponse response;
        *response.mutable_device() = device;
        writer->Write(response);
      }
      fake.changed_.wait_for(lock, std::chrono::milliseconds(20));
    } while (fake.samples_go_on_ && !fake.stopping_ && !context->IsCancelled());
    return grpc::Status::OK;
  }
  template <class Response>
  grpc::Status set_devices(const google::protobuf::RepeatedPtrField<std::string>& ids, Response* response,
                           v1::DeviceState state) {
    const std::lock_guard lock(fake.mutex_);
    for (auto& [id, device] : fake.devices_) {
      if (!ids.empty() && std::find(ids.begin(), ids.end(), id) == ids.end()) continue;
      device.set_state(state);
      *response->add_devices() = device;
    }
    return grpc::Status::OK;
  }
  grpc::Status DrainDevices(ServerContext*, const v1::DrainDevicesRequest* request,
                            v1::DrainDevicesResponse* response) override {
    return set_devices(request->ids(), response, v1::DEVICE_STATE_DRAINED);
  }
  grpc::Status ResumeDevices(ServerContext*, const v1::ResumeDevicesRequest* request,
                             v1::ResumeDevicesResponse* response) override {
    return set_devices(request->ids(), response, v1::DEVICE_STATE_IN_SERVICE);
  }

  // Returns the same kernels for every device.
  grpc::Status ListTunedKernels(ServerContext*, const v1::ListTunedKernelsRequest* request,
                                v1::ListTunedKernelsResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    if (!fake.devices_.contains(request->id()))
      return {grpc::StatusCode::NOT_FOUND, "There is no device '" + request->id() + "'."};
    *response = fake.tuned_;
    return grpc::Status::OK;
  }

  grpc::Status GetStatistics(ServerContext*, const v1::GetStatisticsRequest* request,
                             v1::GetStatisticsResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    const std::lock_guard lock(fake.mutex_);
    fake.statistics_request_ = *request;
    *response = fake.statistics_;
    return grpc::Status::OK;
  }

  // Sends one line per message.
  grpc::Status ReadPicture(ServerContext*, const v1::ReadPictureRequest* request,
                           ServerWriter<v1::ReadPictureResponse>* writer) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    std::unique_lock lock(fake.mutex_);
    fake.picture_requests_.push_back(*request);
    fake.changed_.notify_all();
    const auto hook = fake.on_picture_;
    lock.unlock();
    if (!hook) return refuse(failed_precondition("The job has no picture."));
    FakePicture picture;
    if (grpc::Status status = hook(*request, picture); !status.ok()) return status;
    v1::ReadPictureResponse response;
    *response.mutable_description() = picture.description;
    writer->Write(response);
    const size_t line = picture.samples.size() / size_t(std::max(1, picture.description.height()));
    for (size_t sent = 0; sent < picture.samples.size(); sent += line) {
      response.Clear();
      response.set_samples(picture.samples.substr(sent, line));
      writer->Write(response);
    }
    return grpc::Status::OK;
  }

  grpc::Status GetServerInfo(ServerContext*, const v1::GetServerInfoRequest*,
                             v1::GetServerInfoResponse* response) override {
    if (grpc::Status status = fake.enter(); !status.ok()) return status;
    response->set_version("9.8.7");
    response->add_api_versions("v1");
    response->set_pid(4711);
    response->add_listening(fake.address());
    response->add_job_kinds("video");
    const std::lock_guard lock(fake.mutex_);
    response->set_queue_paused(fake.queue_paused_);
    return grpc::Status::OK;
  }

  FakeServer& fake;
};

}  // namespace weft::test
