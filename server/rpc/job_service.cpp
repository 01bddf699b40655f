// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/job_service.h"

#include "server/rpc/owners_log.h"
#include "server/rpc/reactors.h"

namespace weft::rpc {
namespace {

// Ends the call with a response that carries a job.
template <class Response>
auto answer_job(grpc::ServerUnaryReactor* reactor, Response* response) {
  return answer<v1::Job>(reactor, [response](v1::Job job) { *response->mutable_job() = std::move(job); });
}

// Ends the call with the answer itself as the response.
template <class Response>
auto answer_whole(grpc::ServerUnaryReactor* reactor, Response* response) {
  return answer<Response>(reactor, [response](Response whole) { *response = std::move(whole); });
}

template <class Message>
Message as_it_is(Message message) {
  return message;
}

}  // namespace

// A job's owner never changes, so the result of this check stays valid.
void JobService::for_owner(grpc::CallbackServerContext* context, const std::string& id, std::string_view what,
                           const std::function<void(StatusOr<v1::Job>)>& reply,
                           std::function<void(const v1::Job&)> change) {
  queue_.get(id, [caller = callers_.find(context->peer()), what, reply,
                  change = std::move(change)](StatusOr<v1::Job> job) {
    if (!job.ok()) return reply(std::move(job));
    const Status allowed = queue::check_owner(caller, *job, what);
    if (!allowed.ok()) return reply(allowed);
    change(*job);
  });
}

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

grpc::ServerWriteReactor<v1::WatchJobsResponse>* JobService::WatchJobs(grpc::CallbackServerContext* context,
                                                                       const v1::WatchJobsRequest* request) {
  StatusOr<std::shared_ptr<void>> permit = callers_.begin_watch(context->peer());
  if (!permit.ok()) return new RefusedReactor<v1::WatchJobsResponse>(permit.status());
  auto source = queue_.watch(request->filter(), request->resume_token());
  return new StreamReactor<v1::WatchJobsResponse, v1::WatchJobsResponse>(std::move(source), as_it_is,
                                                                         *std::move(permit));
}

grpc::ServerUnaryReactor* JobService::CancelJob(grpc::CallbackServerContext* context,
                                                const v1::CancelJobRequest* request,
                                                v1::CancelJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_job(reactor, response);
  for_owner(context, request->id(), "it cannot be cancelled", reply,
            [this, reply](const v1::Job& job) { queue_.cancel(job.id(), reply); });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::PauseJob(grpc::CallbackServerContext* context,
                                               const v1::PauseJobRequest* request,
                                               v1::PauseJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_job(reactor, response);
  for_owner(context, request->id(), "it cannot be paused", reply,
            [this, reply](const v1::Job& job) { queue_.pause(job.id(), reply); });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ResumeJob(grpc::CallbackServerContext* context,
                                                const v1::ResumeJobRequest* request,
                                                v1::ResumeJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_job(reactor, response);
  for_owner(context, request->id(), "it cannot be resumed", reply,
            [this, reply](const v1::Job& job) { queue_.resume(job.id(), reply); });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::RetryJob(grpc::CallbackServerContext* context,
                                               const v1::RetryJobRequest* request,
                                               v1::RetryJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_job(reactor, response);
  for_owner(context, request->id(), "it cannot be retried", reply,
            [this, reply](const v1::Job& job) { queue_.retry(job.id(), reply); });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ForgetJob(grpc::CallbackServerContext* context,
                                                const v1::ForgetJobRequest* request,
                                                v1::ForgetJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_job(reactor, response);
  for_owner(context, request->id(), "it cannot be forgotten", reply,
            [this, reply](const v1::Job& job) { queue_.forget(job.id(), reply); });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ChangeJobPriority(grpc::CallbackServerContext* context,
                                                        const v1::ChangeJobPriorityRequest* request,
                                                        v1::ChangeJobPriorityResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_job(reactor, response);
  for_owner(context, request->id(), "it cannot be given another priority", reply,
            [this, reply, priority = request->priority(),
             caller = callers_.find(context->peer())](const v1::Job& job) {
              const Status allowed = queue::check_priority(caller, priority);
              if (!allowed.ok()) return reply(allowed);
              queue_.change_priority(job.id(), priority, reply);
            });
  return reactor;
}

grpc::ServerWriteReactor<v1::ReadJobLogResponse>* JobService::ReadJobLog(
    grpc::CallbackServerContext* context, const v1::ReadJobLogRequest* request) {
  StatusOr<std::shared_ptr<void>> permit = callers_.begin_watch(context->peer());
  if (!permit.ok()) return new RefusedReactor<v1::ReadJobLogResponse>(permit.status());
  auto source = std::make_shared<OwnersLog>(queue_, callers_.find(context->peer()), *request);
  return new StreamReactor<v1::ReadJobLogResponse, v1::ReadJobLogResponse>(std::move(source), as_it_is,
                                                                           *std::move(permit));
}

grpc::ServerUnaryReactor* JobService::ReadJobDecisions(grpc::CallbackServerContext* context,
                                                       const v1::ReadJobDecisionsRequest* request,
                                                       v1::ReadJobDecisionsResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer_whole(reactor, response);
  queue_.get(request->id(), [this, caller = callers_.find(context->peer()), offset = request->offset(),
                             reply](const StatusOr<v1::Job>& job) {
    if (!job.ok()) return reply(job.status());
    const Status allowed = queue::check_owner(caller, *job, "its decisions cannot be read");
    if (!allowed.ok()) return reply(allowed);
    queue_.read_decisions(job->id(), offset, reply);
  });
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ExplainJob(grpc::CallbackServerContext* context,
                                                 const v1::ExplainJobRequest* request,
                                                 v1::ExplainJobResponse* response) {
  auto* reactor = context->DefaultReactor();
  queue_.explain(request->id(), answer_whole(reactor, response));
  return reactor;
}

grpc::ServerUnaryReactor* JobService::PauseQueue(grpc::CallbackServerContext* context,
                                                 const v1::PauseQueueRequest*,
                                                 v1::PauseQueueResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer<bool>(reactor, [response](bool paused) { response->set_queue_paused(paused); });
  const Status allowed = queue::check_operator(callers_.find(context->peer()), "The queue cannot be paused");
  if (allowed.ok())
    queue_.pause_queue(reply);
  else
    reply(allowed);
  return reactor;
}

grpc::ServerUnaryReactor* JobService::ResumeQueue(grpc::CallbackServerContext* context,
                                                  const v1::ResumeQueueRequest*,
                                                  v1::ResumeQueueResponse* response) {
  auto* reactor = context->DefaultReactor();
  const auto reply = answer<bool>(reactor, [response](bool paused) { response->set_queue_paused(paused); });
  const Status allowed = queue::check_operator(callers_.find(context->peer()), "The queue cannot be resumed");
  if (allowed.ok())
    queue_.resume_queue(reply);
  else
    reply(allowed);
  return reactor;
}

}  // namespace weft::rpc
