// SPDX-License-Identifier: Apache-2.0
// Submits or checks jobs on its own thread and collects the answers until take().
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "client/jobs.h"
#include "client_gui/connection/submissions.h"

namespace weft::gui {

// A thread-safe queue of orders.
class Submitter {
 public:
  // `heard` is called as by Feed.
  Submitter(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  // Waits for the request in progress, which ends promptly if the connection is closed. Orders that
  // have not begun are dropped.
  ~Submitter();

  // Adds an order to the queue and returns at once. Orders are carried out in sequence; a check
  // cancels all earlier checks, which give no answer.
  void submit(SubmitOrder order);
  std::vector<SubmitAnswer> take();

 private:
  void work(const std::stop_token& stop);
  void carry_out(const SubmitOrder& order, const std::stop_token& stop);
  bool is_outdated(const SubmitOrder& order);
  void notify(SubmitAnswer answer);

  client::Jobs jobs_;
  const std::function<void()> heard_callback_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<SubmitOrder> orders_;
  int64_t newest_check_ = 0;
  std::vector<SubmitAnswer> answers_;
  std::jthread thread_;  // last member, because the thread uses the other members
};

}  // namespace weft::gui
