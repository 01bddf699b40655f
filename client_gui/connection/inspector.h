// SPDX-License-Identifier: Apache-2.0
// What a person asks for about single jobs and devices: orders, all that is known of one, its log as it grows. Each call returns at once;
// what comes of it is collected until somebody takes it.
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

// Thread-safe, but for follow_log(): one thread.
class Inspector {
 public:
  // `heard`: as the feed's.
  Inspector(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  // Ends within a moment once the connection is closed; orders that have not begun are dropped.
  ~Inspector();

  void order(const JobCommand& order);
  void order(const DeviceOrder& order);
  void fetch(const QString& id);
  // What was done in the last days, today included.
  void fetch_statistics(int days);
  // What was measured, the newest kMostBenchmarkRuns.
  void fetch_benchmarks();
  // The job's log from its beginning, until another is asked for; empty: none.
  void follow_log(const QString& id);

  // Adds what came since the last call.
  void take_into(Delivery& delivery);

 private:
  void work(const std::stop_token& stop);
  void read_log(const std::string& id, const std::stop_token& stop);
  // What is to be done, later, on a thread of its own.
  void add_errand(std::function<void()> errand);
  // An order that was carried out shows in its job or device.
  void report(OrderAnswer answer, const Status& status);
  void look_up(const std::string& id);
  void tell(const std::function<void(Delivery&)>& add);

  client::Jobs jobs_;
  client::Devices devices_;
  client::Server server_;
  const std::function<void()> heard_callback_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<std::function<void()>> errands_;
  Delivery found_;
  bool told_ = false;                         // since the last take_into()
  std::jthread errands_thread_, log_thread_;  // last: end before what they use
};

}  // namespace weft::gui
