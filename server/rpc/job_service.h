// SPDX-License-Identifier: Apache-2.0
// Implements weft.v1.JobService. Each call is one request to admission or to the queue.
#pragma once

#include <functional>
#include <utility>

#include "base/clock.h"
#include "server/queue/admission/admission.h"
#include "server/queue/queue.h"
#include "server/rpc/callers.h"
#include "weft/v1/job_service.grpc.pb.h"

namespace weft::rpc {

class JobService final : public v1::JobService::CallbackService {
 public:
  // `on_submit` is ServerConfig::on_submit.
  JobService(queue::Queue& queue, queue::Admission& admission, const Callers& callers, const Clock& clock,
             std::function<void(Duration, bool)> on_submit)
      : queue_(queue),
        admission_(admission),
        callers_(callers),
        clock_(clock),
        on_submit_(std::move(on_submit)) {}

  grpc::ServerUnaryReactor* SubmitJob(grpc::CallbackServerContext* context,
                                      const v1::SubmitJobRequest* request,
                                      v1::SubmitJobResponse* response) override;
  grpc::ServerUnaryReactor* GetJob(grpc::CallbackServerContext* context, const v1::GetJobRequest* request,
                                   v1::GetJobResponse* response) override;
  grpc::ServerUnaryReactor* ListJobs(grpc::CallbackServerContext* context, const v1::ListJobsRequest* request,
                                     v1::ListJobsResponse* response) override;
  grpc::ServerWriteReactor<v1::WatchJobsResponse>* WatchJobs(grpc::CallbackServerContext* context,
                                                             const v1::WatchJobsRequest* request) override;
  grpc::ServerUnaryReactor* CancelJob(grpc::CallbackServerContext* context,
                                      const v1::CancelJobRequest* request,
                                      v1::CancelJobResponse* response) override;
  grpc::ServerUnaryReactor* PauseJob(grpc::CallbackServerContext* context, const v1::PauseJobRequest* request,
                                     v1::PauseJobResponse* response) override;
  grpc::ServerUnaryReactor* ResumeJob(grpc::CallbackServerContext* context,
                                      const v1::ResumeJobRequest* request,
                                      v1::ResumeJobResponse* response) override;
  grpc::ServerUnaryReactor* RetryJob(grpc::CallbackServerContext* context, const v1::RetryJobRequest* request,
                                     v1::RetryJobResponse* response) override;
  grpc::ServerUnaryReactor* ForgetJob(grpc::CallbackServerContext* context,
                                      const v1::ForgetJobRequest* request,
                                      v1::ForgetJobResponse* response) override;
  grpc::ServerUnaryReactor* ChangeJobPriority(grpc::CallbackServerContext* context,
                                              const v1::ChangeJobPriorityRequest* request,
                                              v1::ChangeJobPriorityResponse* response) override;
  grpc::ServerWriteReactor<v1::ReadJobLogResponse>* ReadJobLog(grpc::CallbackServerContext* context,
                                                               const v1::ReadJobLogRequest* request) override;
  grpc::ServerUnaryReactor* ReadJobDecisions(grpc::CallbackServerContext* context,
                                             const v1::ReadJobDecisionsRequest* request,
                                             v1::ReadJobDecisionsResponse* response) override;
  grpc::ServerUnaryReactor* ExplainJob(grpc::CallbackServerContext* context,
                                       const v1::ExplainJobRequest* request,
                                       v1::ExplainJobResponse* response) override;
  grpc::ServerUnaryReactor* PauseQueue(grpc::CallbackServerContext* context,
                                       const v1::PauseQueueRequest* request,
                                       v1::PauseQueueResponse* response) override;
  grpc::ServerUnaryReactor* ResumeQueue(grpc::CallbackServerContext* context,
                                        const v1::ResumeQueueRequest* request,
                                        v1::ResumeQueueResponse* response) override;

 private:
  // Runs `change` if the caller has the owner's rights to the job, otherwise `reply` with the
  // error. `what` is a literal for check_owner().
  void for_owner(grpc::CallbackServerContext* context, const std::string& id, std::string_view what,
                 const std::function<void(StatusOr<v1::Job>)>& reply,
                 std::function<void(const v1::Job&)> change);

  queue::Queue& queue_;
  queue::Admission& admission_;
  const Callers& callers_;
  const Clock& clock_;
  const std::function<void(Duration, bool)> on_submit_;
};

}  // namespace weft::rpc
