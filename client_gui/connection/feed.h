// SPDX-License-Identifier: Apache-2.0
// Follows a daemon's jobs and devices on its own threads, reconnects after restarts of the daemon,
// and collects changes until take(). The collection contains each job at most once.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>

#include "base/clock.h"
#include "base/status.h"
#include "client/connection.h"
#include "client/watch.h"
#include "client_gui/connection/values.h"

namespace weft::gui {

// A thread-safe collector of changes.
class Feed final : private client::WatchHandler {
 public:
  // `heard` is called without a lock on a thread of the feed when a change can be taken or the link
  // has changed, at most once between two calls of take().
  Feed(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  // Stops the threads promptly, even if the daemon does not answer.
  ~Feed() override;

  Delivery take();
  Link link();
  // Attempts to connect now instead of after the retry delay.
  void retry_now();

 private:
  void follow_jobs(const std::stop_token& stop);
  void follow_devices(const std::stop_token& stop);
  Status read_devices(const std::stop_token& stop);
  void put(DeviceRow device);  // The caller holds the lock.
  void notify(std::unique_lock<std::mutex> lock);

  void on_snapshot_begin() override;
  void on_snapshot_end() override;
  void on_job(const v1::Job& job, bool progress_only) override;
  void on_forgotten(const v1::Job& job) override;
  void on_disconnected(const Status& why, std::chrono::milliseconds delay) override;
  void on_reconnected() override;

  const std::shared_ptr<client::Connection> connection_;
  const std::function<void()> heard_callback_;
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Delivery delivery_;
  std::unordered_map<std::string, size_t> places_;  // indices in delivery_.jobs by job ID
  DeviceRows devices_;
  bool notified_ = false;  // true: `heard` was called since the last take()
  bool jobs_known_ = false;
  bool devices_known_ = false;
  bool lost_ = false;
  bool hurried_ = false;  // true: retry_now() was called
  std::string reason_;
  TimePoint heard_{};  // time of the last message from the daemon
  TimePoint retry_at_{};
  client::Watch watch_;
  // last members, because the threads use the other members
  std::jthread jobs_thread_, devices_thread_;
};

}  // namespace weft::gui
