// SPDX-License-Identifier: Apache-2.0
// Carries out requests about single jobs and devices on its own threads: orders, details,
// statistics, benchmark results, decisions and the growing log of a job. Each call returns at once.
// take_into() returns the answers.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/status.h"
#include "client/connection.h"
#include "client/devices.h"
#include "client/jobs.h"
#include "client/server.h"
#include "client_gui/connection/values.h"

namespace weft::gui {

// Carries out requests and collects the answers. Thread-safe, except follow_log(), which only one
// thread may call.
class Inspector {
 public:
  // `heard` is called as by Feed.
  Inspector(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  // Waits for the request in progress, which ends promptly if the connection is closed. Requests
  // that have not begun are dropped.
  ~Inspector();

  void order(const JobCommand& order);
  void order(const DeviceOrder& order);
  void fetch(const QString& id);
  void fetch_decisions(const QString& id);
  // Fetches the statistics of the last `days` days, today included.
  void fetch_statistics(int days);
  // Fetches the newest kMostBenchmarkRuns results.
  void fetch_benchmarks();
  // Follows the log of the job from its beginning, in place of the log followed before. An empty ID
  // ends the following.
  void follow_log(const QString& id);

  // Moves the answers since the last call into `delivery`.
  void take_into(Delivery& delivery);

 private:
  void work(const std::stop_token& stop);
  void read_log(const std::string& id, const std::stop_token& stop);
  // Adds a function to the queue of the errands thread.
  void add_errand(std::function<void()> errand);
  // Adds the answer to an order. `status` has the reason of a refusal. The effect of a successful
  // order is visible in its job or device.
  void report(OrderAnswer answer, const Status& status);
  void look_up(const std::string& id);
  void notify(const std::function<void(Delivery&)>& add);

  client::Jobs jobs_;
  client::Devices devices_;
  client::Server server_;
  const std::function<void()> heard_callback_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> errands_;
  Delivery found_;
  bool notified_ = false;  // true: `heard` was called since the last take_into()
  // last members, because the threads use the other members
  std::jthread errands_thread_, log_thread_;
};

}  // namespace weft::gui
