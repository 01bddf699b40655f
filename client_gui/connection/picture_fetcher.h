// SPDX-License-Identifier: Apache-2.0
// Fetches pictures one after another, on a thread of its own. What comes is collected until somebody takes it.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "client/connection.h"
#include "client_gui/connection/picture_orders.h"

namespace weft::gui {

// Thread-safe.
class PictureFetcher {
 public:
  // `heard`: as the feed's.
  PictureFetcher(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  ~PictureFetcher();  // ends what is on its way

  // Returns at once. These take the place of all that has not begun, in their order. What is on its way ends, unless it is of
  // the same job: then it comes.
  void fetch(std::vector<PictureOrder> orders);
  std::vector<PictureResult> take();

 private:
  void work(const std::stop_token& stop);
  void tell(PictureResult answer);

  const std::shared_ptr<client::Connection> connection_;
  const std::function<void()> heard_callback_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<PictureOrder> orders_;
  std::optional<PictureOrder> current_;
  std::stop_source current_stop_;
  std::vector<PictureResult> answers_;
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::gui
