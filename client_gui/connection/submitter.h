// SPDX-License-Identifier: Apache-2.0
// Adds jobs, or asks what they would be, on a thread of its own. What is said of them is collected until somebody takes it.
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

// Thread-safe.
class Submitter {
 public:
  // `heard`: as the feed's.
  Submitter(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  // Ends within a moment once the connection is closed; orders that have not begun are dropped.
  ~Submitter();

  // Returns at once. A check ends every check before it; orders that add jobs are all carried out, in turn.
  void submit(SubmitOrder order);
  std::vector<SubmitAnswer> take();

 private:
  void work(const std::stop_token& stop);
  void carry_out(const SubmitOrder& order, const std::stop_token& stop);
  bool is_outdated(const SubmitOrder& order);
  void tell(SubmitAnswer answer);

  client::Jobs jobs_;
  const std::function<void()> heard_callback_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<SubmitOrder> orders_;
  int64_t newest_check_ = 0;
  std::vector<SubmitAnswer> answers_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::gui
