// SPDX-License-Identifier: Apache-2.0
#include "server/queue/supervision/trace_requests.h"

#include <algorithm>
#include <utility>

namespace weft::queue {

void TraceRequests::ask(WorkerProcess* worker, std::string job_id, TimePoint now, TraceDone done) {
  if (worker == nullptr)
    return done(
        unavailable("The worker of {} is not ready, and keeps no timeline yet; ask again later.", device_));
  if (requests_.size() >= kMaxTraceRequests)
    return done(
        resource_exhausted("{} timelines of {} are being read; ask again later.", requests_.size(), device_));
  internal::v1::ToWorker message;
  message.mutable_read_trace()->set_request(++newest_);
  message.mutable_read_trace()->set_job_id(std::move(job_id));
  if (const Status sent = worker->send(message); !sent.ok()) return done(sent);
  requests_.push_back({newest_, now, {}, std::move(done)});
}

void TraceRequests::on_answer(const internal::v1::TraceAnswer& answer) {
  const auto found = std::find_if(requests_.begin(), requests_.end(),
                                  [&](const Request& each) { return each.number == answer.request(); });
  if (found == requests_.end()) return;
  found->chunks.push_back(answer.chunk());
  if (!answer.last()) return;
  Request request = std::move(*found);
  requests_.erase(found);
  request.done(std::move(request.chunks));
}

void TraceRequests::check(TimePoint now) {
  while (!requests_.empty() && now > requests_.front().since + kTraceRequestTimeout) {
    const Request request = std::move(requests_.front());
    requests_.pop_front();
    request.done(unavailable("The worker of {} does not answer (waited {} s); ask again later.", device_,
                             kTraceRequestTimeout.count()));
  }
}

void TraceRequests::lose_worker() {
  for (const Request& request : std::exchange(requests_, {}))
    request.done(unavailable("The worker of {} has ended, and its timeline with it.", device_));
}

}  // namespace weft::queue
