// SPDX-License-Identifier: Apache-2.0
// Fetches pictures one after another on its own thread and collects them until take().
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

// A thread-safe queue of orders for pictures.
class PictureFetcher {
 public:
  // `heard` is called as by Feed.
  PictureFetcher(std::shared_ptr<client::Connection> connection, std::function<void()> heard);
  ~PictureFetcher();  // cancels the fetch in progress

  // Replaces all orders that have not begun and returns at once. Cancels the fetch in progress if
  // none of the new orders is for the same job.
  void fetch(std::vector<PictureOrder> orders);
  std::vector<PictureResult> take();

 private:
  void work(const std::stop_token& stop);
  void notify(PictureResult answer);

  const std::shared_ptr<client::Connection> connection_;
  const std::function<void()> heard_callback_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::deque<PictureOrder> orders_;
  std::optional<PictureOrder> current_;
  std::stop_source current_stop_;
  std::vector<PictureResult> answers_;
  std::jthread thread_;  // last member, because the thread uses the other members
};

}  // namespace weft::gui
