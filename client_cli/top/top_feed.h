// SPDX-License-Identifier: Apache-2.0
// Keeps a TopState current. Follows a daemon's devices and jobs on its own threads, across restarts
// of the daemon.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "client/connection.h"
#include "client/watch.h"
#include "client_cli/top/top_view.h"

namespace weft::cli {

// Thread-safe.
class TopFeed final : private client::WatchHandler {
 public:
  explicit TopFeed(std::shared_ptr<client::Connection> connection);
  ~TopFeed() override;

  // Calls `see` with the current state and holds the lock during the call.
  void visit(const std::function<void(const TopState&)>& see);
  // Blocks until all data has arrived once, or the feed has failed.
  void wait_until_complete();
  // Returns the error that ended the feed, if any: no daemon answered at the start, or the daemon
  // refused a request.
  std::optional<Status> failure();

 private:
  void follow_devices(const std::stop_token& stop);
  void follow_jobs(const std::stop_token& stop);
  Status read_devices(const std::stop_token& stop);
  void put(const v1::DeviceStatus& device);
  void fail(const Status& status);
  void heard();  // the caller holds the lock
  void refresh();

  void on_snapshot_begin() override;
  void on_snapshot_end() override;
  void on_job(const v1::Job& job, bool progress_only) override;
  void on_disconnected(const Status& why, std::chrono::milliseconds delay) override;
  void on_reconnected() override;

  const std::shared_ptr<client::Connection> connection_;
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  TopState state_;
  bool devices_known_ = false, jobs_known_ = false;
  bool devices_lost_ = false, jobs_lost_ = false;
  TimePoint heard_{};
  std::optional<Status> failure_;
  // last members, because the threads use the other members until they are joined
  std::jthread devices_thread_, jobs_thread_;
};

}  // namespace weft::cli
