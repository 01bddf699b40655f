// SPDX-License-Identifier: Apache-2.0
// Follows a daemon's jobs and devices on threads of its own, over its restarts, and collects what it hears until somebody
// takes it. However much comes, what is collected holds each job once.
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

// Thread-safe.
class Feed final : private client::WatchHandler {
 public:
  // `heard` is called from the feed's threads, with no lock held, when there is something to take or the link changed; not
  // again before take().
  Feed(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  // Ends within a moment, whatever the daemon does.
  ~Feed() override;

  Delivery take();
  Link link();
  // Ends the wait for the next try to connect.
  void retry_now();

 private:
  void follow_jobs(const std::stop_token& stop);
  void follow_devices(const std::stop_token& stop);
  Status read_devices(const std::stop_token& stop);
  void put(DeviceRow device);  // with the lock
  void tell(std::unique_lock<std::mutex> lock);

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
  std::unordered_map<std::string, size_t> places_;  // of the delivery's jobs, by id
  DeviceRows devices_;
  bool told_ = false;  // since the last take()
  bool jobs_known_ = false;
  bool devices_known_ = false;
  bool lost_ = false;
  bool hurried_ = false;  // retry_now() came
  std::string reason_;
  TimePoint heard_{};  // when something came last
  TimePoint retry_at_{};
  client::Watch watch_;
  std::jthread jobs_thread_, devices_thread_;  // last: end before what they use
};

}  // namespace weft::gui
