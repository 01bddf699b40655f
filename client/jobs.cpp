// SPDX-License-Identifier: Apache-2.0
#include "client/jobs.h"

#include <algorithm>
#include <optional>
#include <random>
#include <thread>

#include "client/address.h"
#include "client/channel.h"
#include "client/errors.h"
#include "client/user.h"

namespace weft::client {
namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kFirstRetry(100);

// Makes a call with the ID of a job in the request and the job in the response.
template <class Request, class Response>
StatusOr<v1::Job> call_with_id(const Connection& connection, const std::string& id,
                               grpc::Status (v1::JobService::Stub::*method)(grpc::ClientContext*,
                                                                            const Request&, Response*),
                               std::optional<std::chrono::milliseconds> deadline = {}) {
  Request request;
  request.set_id(id);
  ASSIGN_OR_RETURN(Response response, call(connection.stubs(), *connection.stubs().jobs, method, request,
                                           deadline.value_or(connection.options().deadline)));
  return std::move(*response.mutable_job());
}

}  // namespace

std::string make_request_id() {
  std::random_device random;
  std::uniform_int_distribution<uint32_t> word;
  uint32_t w[4] = {word(random), word(random), word(random), word(random)};
  w[1] = (w[1] & 0xffff0fffu) | 0x00004000u;  // version 4: random
  w[2] = (w[2] & 0x3fffffffu) | 0x80000000u;  // the variant of RFC 4122
  return fmt::format("{:08x}-{:04x}-{:04x}-{:04x}-{:04x}{:08x}", w[0], w[1] >> 16, w[1] & 0xffff, w[2] >> 16,
                     w[2] & 0xffff, w[3]);
}

bool is_finished(v1::JobState state) {
  return state == v1::JOB_STATE_SUCCEEDED || state == v1::JOB_STATE_FAILED ||
         state == v1::JOB_STATE_CANCELLED;
}

Jobs::Jobs(std::shared_ptr<Connection> connection) : connection_(std::move(connection)) {}

StatusOr<v1::SubmitJobResponse> Jobs::submit(const v1::SubmitJobRequest& request) {
  v1::SubmitJobRequest repeatable = request;
  if (request.request_id().empty()) repeatable.set_request_id(make_request_id());
  // Over a Unix socket the daemon identifies the user.
  const bool known = socket_path_of(connection_->server()).has_value();
  if (request.settings().owner().empty() && !known) repeatable.mutable_settings()->set_owner(user_name());
  const Stubs& stubs = connection_->stubs();
  const SteadyClock::time_point end = SteadyClock::now() + connection_->options().submit_deadline;
  for (auto delay = kFirstRetry;; delay *= 2) {
    const auto left =
        std::max(std::chrono::duration_cast<std::chrono::milliseconds>(end - SteadyClock::now()),
                 std::chrono::milliseconds(1));
    auto response = call(stubs, *stubs.jobs, &v1::JobService::Stub::SubmitJob, repeatable, left);
    if (response.ok() || !is_unreachable(response.status()) || SteadyClock::now() + delay >= end)
      return response;
    if (const auto& is_gone = connection_->options().is_gone; is_gone && is_gone()) return response;
    // If nothing listens at the first attempt, retries are useless.
    if (delay == kFirstRetry && connection_->nobody_listens()) return response;
    std::this_thread::sleep_for(delay);
  }
}

StatusOr<v1::Job> Jobs::get(const std::string& id) {
  return call_with_id(*connection_, id, &v1::JobService::Stub::GetJob);
}
StatusOr<v1::Job> Jobs::cancel(const std::string& id) {
  return call_with_id(*connection_, id, &v1::JobService::Stub::CancelJob);
}
StatusOr<v1::Job> Jobs::pause(const std::string& id) {
  return call_with_id(*connection_, id, &v1::JobService::Stub::PauseJob);
}
StatusOr<v1::Job> Jobs::resume(const std::string& id) {
  return call_with_id(*connection_, id, &v1::JobService::Stub::ResumeJob);
}
StatusOr<v1::Job> Jobs::retry(const std::string& id) {
  return call_with_id(*connection_, id, &v1::JobService::Stub::RetryJob);
}
StatusOr<v1::Job> Jobs::forget(const std::string& id) {
  // The daemon removes the work folder first, which may be large.
  return call_with_id(*connection_, id, &v1::JobService::Stub::ForgetJob,
                      connection_->options().submit_deadline);
}

StatusOr<v1::ListJobsResponse> Jobs::list(const v1::ListJobsRequest& request) {
  const Stubs& stubs = connection_->stubs();
  return call(stubs, *stubs.jobs, &v1::JobService::Stub::ListJobs, request, connection_->options().deadline);
}

StatusOr<v1::ListJobsResponse> Jobs::list_all(const v1::JobFilter& filter, int limit) {
  constexpr int kLargestPage = 1000;
  v1::ListJobsRequest request;
  *request.mutable_filter() = filter;
  v1::ListJobsResponse result;
  for (bool is_first = true;; is_first = false) {
    request.set_page_size(std::min(kLargestPage, limit - result.jobs_size()));
    ASSIGN_OR_RETURN(v1::ListJobsResponse page, list(request));
    for (v1::Job& job : *page.mutable_jobs()) result.add_jobs()->Swap(&job);
    if (is_first) {
      result.set_total(page.total());
      result.set_resume_token(page.resume_token());
      result.set_queue_paused(page.queue_paused());
    }
    request.set_page_token(page.next_page_token());
    if (page.next_page_token().empty() || result.jobs_size() >= limit) {
      result.set_next_page_token(page.next_page_token());
      return result;
    }
  }
}

StatusOr<v1::Job> Jobs::change_priority(const std::string& id, int priority) {
  v1::ChangeJobPriorityRequest request;
  request.set_id(id);
  request.set_priority(priority);
  const Stubs& stubs = connection_->stubs();
  ASSIGN_OR_RETURN(auto response, call(stubs, *stubs.jobs, &v1::JobService::Stub::ChangeJobPriority, request,
                                       connection_->options().deadline));
  return std::move(*response.mutable_job());
}

StatusOr<bool> Jobs::pause_queue() {
  const Stubs& stubs = connection_->stubs();
  ASSIGN_OR_RETURN(const auto response, call(stubs, *stubs.jobs, &v1::JobService::Stub::PauseQueue,
                                             v1::PauseQueueRequest(), connection_->options().deadline));
  return response.queue_paused();
}

StatusOr<bool> Jobs::resume_queue() {
  const Stubs& stubs = connection_->stubs();
  ASSIGN_OR_RETURN(const auto response, call(stubs, *stubs.jobs, &v1::JobService::Stub::ResumeQueue,
                                             v1::ResumeQueueRequest(), connection_->options().deadline));
  return response.queue_paused();
}

StatusOr<v1::ExplainJobResponse> Jobs::explain(const std::string& id) {
  v1::ExplainJobRequest request;
  request.set_id(id);
  const Stubs& stubs = connection_->stubs();
  return call(stubs, *stubs.jobs, &v1::JobService::Stub::ExplainJob, request,
              connection_->options().deadline);
}

StatusOr<std::string> Jobs::read_decisions(const std::string& id) {
  std::string text;
  while (true) {
    v1::ReadJobDecisionsRequest request;
    request.set_id(id);
    request.set_offset(int64_t(text.size()));
    const Stubs& stubs = connection_->stubs();
    ASSIGN_OR_RETURN(const v1::ReadJobDecisionsResponse response,
                     call(stubs, *stubs.jobs, &v1::JobService::Stub::ReadJobDecisions, request,
                          connection_->options().deadline));
    text += response.text();
    if (response.text().empty() || int64_t(text.size()) >= response.bytes()) return text;
  }
}

Status Jobs::read_log(const v1::ReadJobLogRequest& request,
                      const std::function<bool(const v1::ReadJobLogResponse&)>& receive,
                      std::stop_token stop) {
  const Stubs& stubs = connection_->stubs();
  return read_stream(stubs, *stubs.jobs, &v1::JobService::Stub::ReadJobLog, request, receive,
                     std::move(stop));
}

}  // namespace weft::client
