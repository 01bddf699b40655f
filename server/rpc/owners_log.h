// SPDX-License-Identifier: Apache-2.0
// Reads a job's log for the job's owner and operators.
#pragma once

#include <memory>
#include <mutex>

#include "server/queue/queue.h"
#include "server/queue/records/caller.h"

namespace weft::rpc {

// A reader that checks the job's owner before the first line. Ends with PERMISSION_DENIED unless
// the reader is the owner or an operator, and otherwise as Queue::read_log() does. Thread-safe.
class OwnersLog final : public queue::LogReader, public std::enable_shared_from_this<OwnersLog> {
 public:
  OwnersLog(queue::Queue& queue, queue::Caller caller, v1::ReadJobLogRequest request)
      : queue_(queue), caller_(std::move(caller)), request_(std::move(request)) {}

  void next(Done done) override;
  void cancel() override;

 private:
  // Opens the log if the caller may read it.
  StatusOr<std::shared_ptr<queue::LogReader>> open(const StatusOr<v1::Job>& job);

  queue::Queue& queue_;
  const queue::Caller caller_;
  const v1::ReadJobLogRequest request_;
  std::mutex mutex_;  // guards the members below
  std::shared_ptr<queue::LogReader> log_;
  Status failure_;
  bool cancelled_ = false;
};

}  // namespace weft::rpc
