// SPDX-License-Identifier: Apache-2.0
#include "client/watch.h"

#include <algorithm>
#include <random>

#include "client/channel.h"
#include "client/errors.h"

namespace weft::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kConnectTimeout(5000);
constexpr milliseconds kConnectPoll(100);  // interval between checks of `stop` while connecting

// Returns between half of the delay and the whole delay, so that clients of one daemon do not
// reconnect at the same time.
milliseconds with_jitter(milliseconds delay) {
  thread_local std::minstd_rand random(std::random_device{}());
  return delay / 2 +
         milliseconds(std::uniform_int_distribution<milliseconds::rep>(0, delay.count() / 2)(random));
}

}  // namespace

Watch::Watch(std::shared_ptr<Connection> connection, WatchOptions options, WatchHandler& handler)
    : connection_(std::move(connection)),
      options_(std::move(options)),
      handler_(handler),
      delay_(options_.first_delay) {}

Watch::~Watch() = default;

Status Watch::run(const std::stop_token& stop) {
  while (true) {
    Status status = read_until_end(stop);
    switch (next_after(status, stop)) {
      case Next::kStop:
        return ok_status();
      case Next::kFail:
        return status;
      case Next::kStartOver:
        options_.resume_token.clear();
        break;
      case Next::kReconnect:
        if (!wait_to_reconnect(status, stop)) return stop.stop_requested() ? ok_status() : status;
    }
  }
}

Status Watch::read_until_end(const std::stop_token& stop) {
  v1::WatchJobsRequest request;
  *request.mutable_filter() = options_.filter;
  request.set_resume_token(options_.resume_token);
  in_snapshot_ = false;
  const std::function<bool(const v1::WatchJobsResponse&)> take = [this](const v1::WatchJobsResponse& event) {
    receive(event);
    return true;
  };
  const Stubs& stubs = connection_->stubs();
  await_connection(stop);
  const Status status =
      read_stream(stubs, *stubs.jobs, &v1::JobService::Stub::WatchJobs, request, take, stop);
  // A stopping daemon ends the stream without an error.
  return status.ok() ? unreachable(stubs, "it closed the connection") : status;
}

void Watch::await_connection(const std::stop_token& stop) {
  grpc::Channel& grpc = *connection_->stubs().grpc;
  const auto end = steady_clock::now() + kConnectTimeout;
  while (!grpc.WaitForConnected(std::chrono::system_clock::now() + kConnectPoll)) {
    const bool failed = grpc.GetState(true) == GRPC_CHANNEL_TRANSIENT_FAILURE;
    if (failed || stop.stop_requested() || steady_clock::now() >= end) return;
  }
  if (!disconnected_) return;
  disconnected_ = false;
  handler_.on_reconnected();
}

Watch::Next Watch::next_after(const Status& status, const std::stop_token& stop) const {
  if (stop.stop_requested()) return Next::kStop;
  switch (status.code()) {
    case StatusCode::kOutOfRange:
      return options_.resume_token.empty() ? Next::kFail : Next::kStartOver;
    case StatusCode::kInvalidArgument:
    case StatusCode::kNotFound:
    case StatusCode::kPermissionDenied:
    case StatusCode::kUnauthenticated:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kUnimplemented:
      return Next::kFail;
    default:
      return !ever_received_ && options_.fail_at_first ? Next::kFail : Next::kReconnect;
  }
}

void Watch::receive(const v1::WatchJobsResponse& event) {
  ever_received_ = true;
  delay_ = options_.first_delay;
  const bool snapshot = event.kind() == v1::WatchJobsResponse::KIND_SNAPSHOT ||
                        event.kind() == v1::WatchJobsResponse::KIND_SNAPSHOT_END;
  if (snapshot && !in_snapshot_) {
    in_snapshot_ = true;
    handler_.on_snapshot_begin();
  }
  if (event.kind() == v1::WatchJobsResponse::KIND_SNAPSHOT_END) {
    in_snapshot_ = false;
    handler_.on_snapshot_end();
  } else if (event.kind() == v1::WatchJobsResponse::KIND_FORGOTTEN) {
    handler_.on_forgotten(event.job());
  } else if (event.has_job()) {
    handler_.on_job(event.job(), event.kind() == v1::WatchJobsResponse::KIND_PROGRESS);
  }
  if (!event.resume_token().empty()) options_.resume_token = event.resume_token();
}

bool Watch::wait_to_reconnect(const Status& why, const std::stop_token& stop) {
  if (!disconnected_) disconnected_since_ = steady_clock::now();
  disconnected_ = true;
  if (steady_clock::now() - disconnected_since_ >= options_.give_up_after) return false;
  const milliseconds delay = with_jitter(std::max(delay_, retry_delay(why).value_or(milliseconds(0))));
  delay_ = std::min(delay_ * 2, options_.longest_delay);
  {
    const std::lock_guard lock(mutex_);
    waiting_ = true;
  }
  handler_.on_disconnected(why, delay);
  {
    std::unique_lock lock(mutex_);
    hurried_.wait_for(lock, stop, delay, [this] { return !waiting_; });
    waiting_ = false;
  }
  // Without the reset, gRPC's own back-off would delay the next attempt.
  grpc::experimental::ChannelResetConnectionBackoff(connection_->stubs().grpc.get());
  return !stop.stop_requested();
}

void Watch::retry_now() {
  const std::lock_guard lock(mutex_);
  waiting_ = false;
  hurried_.notify_all();
}

}  // namespace weft::client
