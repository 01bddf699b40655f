// SPDX-License-Identifier: Apache-2.0
#include "client_gui/connection/feed.h"

#include <algorithm>

#include "base/printable.h"
#include "client/devices.h"
#include "client_gui/connection/rows.h"

namespace weft::gui {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstDelay(500);
// An attempt to connect is cheap on a local socket, but may take long over a network.
constexpr milliseconds kLongestLocalDelay(1000);
constexpr milliseconds kLongestDelay(30000);
constexpr milliseconds kDevicesDelay(1000);
constexpr Duration kSilence = std::chrono::seconds(3);  // a worker sends a sample each second

double seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

client::WatchOptions watch_options(const std::string& server) {
  client::WatchOptions options;
  options.first_delay = kFirstDelay;
  options.longest_delay = server.starts_with("unix:") ? kLongestLocalDelay : kLongestDelay;
  options.fail_at_first = false;
  return options;
}

}  // namespace

Feed::Feed(std::shared_ptr<client::Connection> connection, std::function<void()> heard)
    : connection_(std::move(connection)),
      heard_callback_(std::move(heard)),
      watch_(connection_, watch_options(connection_->server()), *this) {
  jobs_thread_ = std::jthread([this](const std::stop_token& stop) { follow_jobs(stop); });
  devices_thread_ = std::jthread([this](const std::stop_token& stop) { follow_devices(stop); });
}

Feed::~Feed() {
  jobs_thread_.request_stop();
  devices_thread_.request_stop();
  connection_->close();
}

Delivery Feed::take() {
  const std::lock_guard lock(mutex_);
  notified_ = false;
  places_.clear();
  return std::exchange(delivery_, {});
}

Link Feed::link() {
  const std::lock_guard lock(mutex_);
  const TimePoint now = clock_.now();
  Link link;
  if (heard_ != TimePoint{}) link.age_seconds = seconds(now - heard_);
  if (lost_) {
    link.state = LinkState::kOffline;
    link.reason = QString::fromStdString(printable(reason_));
    if (retry_at_ != TimePoint::max()) link.retry_in_seconds = std::max(0.0, seconds(retry_at_ - now));
  } else if (jobs_known_) {
    const bool is_due = !devices_known_ || std::any_of(devices_.devices.begin(), devices_.devices.end(),
                                                       [](const DeviceRow& device) {
                                                         return device.state == v1::DEVICE_STATE_IN_SERVICE;
                                                       });
    link.state = is_due && now - heard_ > kSilence ? LinkState::kStale : LinkState::kLive;
    link.shuts_down = std::ranges::any_of(devices_.devices, &DeviceRow::server_draining);
    link.queue_paused = std::ranges::any_of(devices_.devices, &DeviceRow::queue_paused);
  }
  return link;
}

void Feed::retry_now() {
  {
    const std::lock_guard lock(mutex_);
    hurried_ = true;
    changed_.notify_all();
  }
  watch_.retry_now();
}

void Feed::notify(std::unique_lock<std::mutex> lock) {
  const bool is_news = !std::exchange(notified_, true);
  lock.unlock();
  if (is_news) heard_callback_();
}

// --- Jobs ----------------------------------------------------------------------------------------

void Feed::follow_jobs(const std::stop_token& stop) {
  const Status end = watch_.run(stop);
  if (end.ok()) return;
  // The watch ended with a permanent error.
  std::unique_lock lock(mutex_);
  lost_ = true;
  reason_ = message_of(end);
  retry_at_ = TimePoint::max();
  notify(std::move(lock));
}

void Feed::on_snapshot_begin() {
  std::unique_lock lock(mutex_);
  delivery_.jobs.clear();
  delivery_.forgotten.clear();
  places_.clear();
  delivery_.snapshot_begins = true;
  delivery_.snapshot_ends = false;
  notify(std::move(lock));
}

void Feed::on_snapshot_end() {
  std::unique_lock lock(mutex_);
  delivery_.snapshot_ends = true;
  jobs_known_ = true;
  lost_ = false;
  heard_ = clock_.now();
  notify(std::move(lock));
}

void Feed::on_job(const v1::Job& job, bool) {
  JobRow row = row_of(job);
  std::unique_lock lock(mutex_);
  heard_ = clock_.now();
  const auto [index, is_new] = places_.try_emplace(job.id(), delivery_.jobs.size());
  if (is_new)
    delivery_.jobs.push_back(std::move(row));
  else
    delivery_.jobs[index->second] = std::move(row);
  notify(std::move(lock));
}

void Feed::on_forgotten(const v1::Job& job) {
  std::unique_lock lock(mutex_);
  heard_ = clock_.now();
  delivery_.forgotten.push_back(QString::fromStdString(job.id()));
  notify(std::move(lock));
}

void Feed::on_disconnected(const Status& why, milliseconds delay) {
  std::unique_lock lock(mutex_);
  lost_ = true;
  hurried_ = false;
  reason_ = message_of(why);
  retry_at_ = clock_.now() + delay;
  notify(std::move(lock));
}

void Feed::on_reconnected() {
  std::unique_lock lock(mutex_);
  if (!jobs_known_) return;  // on_snapshot_end() calls `heard`
  lost_ = false;
  heard_ = clock_.now();
  notify(std::move(lock));
}

// --- Devices -------------------------------------------------------------------------------------

void Feed::follow_devices(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    // An error is not reported here, since the watch of the jobs reports its reason.
    static_cast<void>(read_devices(stop).ok());
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, stop, kDevicesDelay, [this] { return hurried_; });
    hurried_ = false;
  }
}

Status Feed::read_devices(const std::stop_token& stop) {
  client::Devices devices(connection_);
  ASSIGN_OR_RETURN(const v1::ListDevicesResponse all, devices.list());
  {
    std::unique_lock lock(mutex_);
    devices_ = {};
    for (const std::string& note : all.notes())
      devices_.notes.push_back(QString::fromStdString(printable(note)));
    for (const v1::DeviceStatus& device : all.devices()) devices_.devices.push_back(row_of(device));
    delivery_.devices = devices_;
    devices_known_ = true;
    heard_ = clock_.now();
    notify(std::move(lock));
  }
  return devices.watch(
      {},
      [this](const v1::DeviceStatus& device) {
        std::unique_lock lock(mutex_);
        put(row_of(device));
        notify(std::move(lock));
        return true;
      },
      stop);
}

void Feed::put(DeviceRow device) {
  heard_ = clock_.now();
  const auto known = std::find_if(devices_.devices.begin(), devices_.devices.end(),
                                  [&](const DeviceRow& each) { return each.id == device.id; });
  if (known == devices_.devices.end())
    devices_.devices.push_back(std::move(device));
  else
    *known = std::move(device);
  delivery_.devices = devices_;
}

}  // namespace weft::gui
