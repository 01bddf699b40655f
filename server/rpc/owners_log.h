// SPDX-License-Identifier: Apache-2.0
// A job's log for those who may read it.
#pragma once

#include <memory>
#include <mutex>

#include "server/queue/queue.h"
#include "server/queue/records/caller.h"

namespace weft::rpc {

// Asks whose the job is before the first line. Ends with PERMISSION_DENIED for others than its owner and operators, and as
// Queue::read_log does. Thread-safe.
class OwnersLog final : public queue::LogReader, public std::enable_shared_from_this<OwnersLog> {
 public:
  OwnersLog(queue::Queue& queue, queue::Caller caller, v1::ReadJobLogRequest request)
      : queue_(queue), caller_(std::move(caller)), request_(std::move(request)) {}

  void next(Done done) override;
  void cancel() override;

 private:
  // The log itself, once it may be read.
  StatusOr<std::shared_ptr<queue::LogReader>> open(const StatusOr<v1::Job>& job);

  queue::Queue& queue_;
  const queue::Caller caller_;
  const v1::ReadJobLogRequest request_;
  std::mutex mutex_;  // guards what follows
  std::shared_ptr<queue::LogReader> log_;
  Status failure_;
  bool cancelled_ = false;
};

}  // namespace weft::rpc
