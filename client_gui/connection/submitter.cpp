// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/submitter.h"

#include "base/printable.h"
#include "client/errors.h"

namespace weft::gui {
namespace {

void set_error(SubmitAnswer& answer, const Status& error) {
  answer.error = QString::fromStdString(printable_lines(message_of(error)));
  answer.violations = options::violations_of(error);
}

}  // namespace

Submitter::Submitter(std::shared_ptr<client::Connection> connection, std::function<void()> heard)
    : jobs_(std::move(connection)), heard_callback_(std::move(heard)) {
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

Submitter::~Submitter() = default;

void Submitter::submit(SubmitOrder order) {
  const std::lock_guard lock(mutex_);
  if (order.only_check) newest_check_ = order.number;
  orders_.push_back(std::move(order));
  changed_.notify_all();
}

std::vector<SubmitAnswer> Submitter::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(answers_, {});
}

// --- On its thread -------------------------------------------------------------------------------

void Submitter::work(const std::stop_token& stop) {
  while (true) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return !orders_.empty(); })) return;
    const SubmitOrder order = std::move(orders_.front());
    orders_.pop_front();
    lock.unlock();
    carry_out(order, stop);
    if (stop.stop_requested()) return;
  }
}

bool Submitter::is_outdated(const SubmitOrder& order) {
  const std::lock_guard lock(mutex_);
  return order.only_check && order.number < newest_check_;
}

void Submitter::carry_out(const SubmitOrder& order, const std::stop_token& stop) {
  SubmitAnswer whole{order.number, order.only_check, true};
  auto requests = client::requests_of(order.draft);
  if (!requests.ok()) {
    set_error(whole, requests.status());
    return notify(std::move(whole));
  }
  const std::vector<std::vector<std::string>> inputs = client::inputs_by_request(order.draft);
  for (size_t i = 0; i < requests->size(); i++) {
    if (stop.stop_requested() || is_outdated(order)) return;
    v1::SubmitJobRequest& request = (*requests)[i];
    request.set_validate_only(order.only_check);
    auto response = jobs_.submit(request);
    if (!response.ok() && client::is_unreachable(response.status())) {
      set_error(whole, response.status());
      return notify(std::move(whole));
    }
    SubmitAnswer answer{order.number, order.only_check, i + 1 == requests->size()};
    for (const std::string& input : inputs[i]) answer.inputs.push_back(QString::fromStdString(input));
    if (response.ok()) {
      answer.id = QString::fromStdString(response->job().id());
      answer.estimate = std::move(*response->mutable_estimate());
      answer.predictions = {response->predictions().begin(), response->predictions().end()};
    } else {
      set_error(answer, response.status());
    }
    notify(std::move(answer));
  }
}

void Submitter::notify(SubmitAnswer answer) {
  {
    const std::lock_guard lock(mutex_);
    answers_.push_back(std::move(answer));
    if (answers_.size() > 1) return;
  }
  heard_callback_();
}

}  // namespace weft::gui
