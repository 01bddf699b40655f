// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/picture_fetcher.h"

#include <algorithm>

#include "base/printable.h"
#include "client/errors.h"
#include "client/pictures.h"
#include "client_gui/connection/rows.h"

namespace weft::gui {

PictureFetcher::PictureFetcher(std::shared_ptr<client::Connection> connection, std::function<void()> heard)
    : connection_(std::move(connection)), heard_callback_(std::move(heard)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

PictureFetcher::~PictureFetcher() = default;

void PictureFetcher::fetch(std::vector<PictureOrder> orders) {
  const std::lock_guard lock(mutex_);
  const bool is_other_job =
      current_ && std::none_of(orders.begin(), orders.end(),
                               [this](const PictureOrder& order) { return order.job == current_->job; });
  if (is_other_job) current_stop_.request_stop();
  if (current_ && !is_other_job) std::erase(orders, *current_);
  orders_.assign(orders.begin(), orders.end());
  changed_.notify_all();
}

std::vector<PictureResult> PictureFetcher::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

// --- On its thread -------------------------------------------------------------------------------

void PictureFetcher::work(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !orders_.empty(); })) return;
    const PictureOrder order = *(current_ = std::move(orders_.front()));
    orders_.pop_front();
    current_stop_ = {};
    const std::stop_token given_up = current_stop_.get_token();
    lock.unlock();
    const std::stop_callback end(stop, [source = current_stop_]() mutable { source.request_stop(); });
    v1::ReadPictureRequest request;
    request.set_job_id(order.job.toStdString());
    request.set_side(order.is_output ? v1::PICTURE_SIDE_OUTPUT : v1::PICTURE_SIDE_INPUT);
    request.set_index(order.index);
    request.set_longest_side(order.longest_side);
    StatusOr<client::JobPicture> picture = client::read_picture(*connection_, request, given_up);
    lock.lock();
    current_.reset();
    lock.unlock();
    if (stop.stop_requested()) return;
    if (given_up.stop_requested()) continue;
    PictureResult answer{order, nullptr, {}};
    if (picture.ok()) {
      answer.picture = std::make_shared<Picture>(picture_of(*std::move(picture)));
    } else {
      answer.error = QString::fromStdString(printable_lines(message_of(picture.status())));
      answer.is_lost = client::is_unreachable(picture.status());
    }
    notify(std::move(answer));
  }
}

void PictureFetcher::notify(PictureResult answer) {
  {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
    if (answers_.size() > 1) return;
  }
  heard_callback_();
}

}  // namespace weft::gui
