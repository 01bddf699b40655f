// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/job_service.h"

#include "server/rpc/reactors.h"

namespace weft::rpc {
namespace {

// Ends the call with a response that carries a job.
template <class Response>
auto answer_job(grpc::ServerUnaryReactor* reactor, Response* response) {
  return answer<v1::Job>(reactor, [response](v1::Job job) { *response->mutable_job() = std::move(job); });
}

// Ends the call with a response that is the answer itself.
template <class Response>
auto answer_whole(grpc::ServerUnaryReactor* reactor, Response* response) {
  return answer<Response>(reactor, [response](Response whole) { *response = std::move(whole); });
}

template <class Message>
Message as_it_is(Message message) {
  return message;
}

}  // namespace

grpc::ServerUnaryReactor* JobService::SubmitJob(grpc::CallbackServerContext* context,
                                                const v1::SubmitJobRequest* request,
                                                v1::SubmitJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  const bool counts = on_submit_ != nullptr && !request->validate_only();
  admission_.submit(*request, callers_.find(context->peer()),
                    [this, counts, reply = answer_whole(reactor, response),
                     start = clock_.now()](StatusOr<v1::SubmitJobResponse> answer) {
                      if (counts) on_submit_(clock_.now() - start, answer.ok());
                      reply(std::move(answer));
                    });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::GetJob(grpc::CallbackServerContext* context,
                                             const v1::GetJobRequest* request, v1::GetJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.get(request->id(), answer_job(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ListJobs(grpc::CallbackServerContext* context,
                                               const v1::ListJobsRequest* request,
                                               v1::ListJobsResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.list(*request, answer_whole(reactor, response));
  return reactor;
}

grpc::ServerWriteReactor<v1::WatchJobsResponse>* JobService::WatchJobs(grpc::CallbackServerContext*,
                                                                       const v1::WatchJobsRequest* request) {
  auto source = queue_.watch(request->filter(), request->resume_token());
  return new StreamReactor<v1::WatchJobsResponse, v1::WatchJobsResponse>(std::move(source), as_it_is);
}

grpc::ServerUnaryReactor* JobService::CancelJob(grpc::CallbackServerContext* context,
                                                const v1::CancelJobRequest* request,
                                                v1::CancelJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.cancel(request->id(), answer_job(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* JobService::PauseJob(grpc::CallbackServerContext* context,
                                               const v1::PauseJobRequest* request,
                                               v1::PauseJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.pause(request->id(), answer_job(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ResumeJob(grpc::CallbackServerContext* context,
                                                const v1::ResumeJobRequest* request,
                                                v1::ResumeJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.resume(request->id(), answer_job(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* JobService::RetryJob(grpc::CallbackServerContext* context,
                                               const v1::RetryJobRequest* request,
                                               v1::RetryJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.retry(request->id(), answer_job(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ChangeJobPriority(grpc::CallbackServerContext* context,
                                                        const v1::ChangeJobPriorityRequest* request,
                                                        v1::ChangeJobPriorityResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.change_priority(request->id(), request->priority(), answer_job(reactor, response));
  return reactor;
}

grpc::ServerWriteReactor<v1::ReadJobLogResponse>* JobService::ReadJobLog(
    grpc::CallbackServerContext*, const v1::ReadJobLogRequest* request) {
  auto source = queue_.read_log(request->id(), request->first_line(), request->follow());
  return new StreamReactor<v1::ReadJobLogResponse, v1::ReadJobLogResponse>(std::move(source), as_it_is);
}

grpc::ServerUnaryReactor* JobService::ExplainJob(grpc::CallbackServerContext* context,
                                                 const v1::ExplainJobRequest* request,
                                                 v1::ExplainJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.explain(request->id(), answer_whole(reactor, response));
  return reactor;
}

}  // namespace weft::rpc
