// SPDX-License-Identifier: Apache-2.0
#include "server/rpc/owners_log.h"

#include <utility>

namespace weft::rpc {

void OwnersLog::next(Done done) {
  std::shared_ptr<queue::LogReader> log;
  Status failure;
  {
    const std::lock_guard lock(mutex_);
    log = log_;
    failure = failure_;
  }
  if (!failure.ok()) return done(failure);
  if (log) return log->next(std::move(done));
  queue_.get(request_.id(),
             [self = shared_from_this(), done = std::move(done)](const StatusOr<v1::Job>& job) {
               const auto opened = self->open(job);
               if (!opened.ok()) return done(opened.status());
               (*opened)->next(done);
             });
}

StatusOr<std::shared_ptr<queue::LogReader>> OwnersLog::open(const StatusOr<v1::Job>& job) {
  Status allowed = job.ok() ? queue::check_owner(caller_, *job, "its log cannot be read") : job.status();
  const std::lock_guard lock(mutex_);
  if (allowed.ok() && cancelled_) allowed = cancelled("The reader is gone.");
  failure_ = allowed;
  if (!allowed.ok()) return allowed;
  log_ = queue_.read_log(job->id(), request_.first_line(), request_.follow());
  return log_;
}

void OwnersLog::cancel() {
  std::shared_ptr<queue::LogReader> log;
  {
    const std::lock_guard lock(mutex_);
    cancelled_ = true;
    log = log_;
  }
  if (log) log->cancel();
}

}  // namespace weft::rpc
