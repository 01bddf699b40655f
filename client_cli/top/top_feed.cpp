// SPDX-License-Identifier: Apache-2.0
#include "client_cli/top/top_feed.h"

#include <algorithm>
#include <chrono>

#include "client/devices.h"
#include "client/jobs.h"

namespace weft::cli {
namespace {

constexpr std::chrono::milliseconds kTryAgain(1000);
constexpr Duration kSilence = std::chrono::seconds(3);  // a worker sends a sample each second

}  // namespace

TopFeed::TopFeed(std::shared_ptr<client::Connection> connection) : connection_(std::move(connection)) {
  state_.server = connection_->server();
  heard_ = clock_.now();
  devices_thread_ = std::jthread([this](const std::stop_token& stop) { follow_devices(stop); });
  jobs_thread_ = std::jthread([this](const std::stop_token& stop) { follow_jobs(stop); });
}

TopFeed::~TopFeed() {
  devices_thread_.request_stop();
  jobs_thread_.request_stop();
}

void TopFeed::visit(const std::function<void(const TopState&)>& see) {
  const std::lock_guard lock(mutex_);
  refresh();
  see(state_);
}

void TopFeed::wait_until_complete() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return failure_ || (devices_known_ && jobs_known_); });
}

std::optional<Status> TopFeed::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

// Updates the fields that depend on the time.
void TopFeed::refresh() {
  const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
  state_.now = std::chrono::duration<double>(since_1970).count();
  state_.complete = devices_known_ && jobs_known_;
  state_.lost = devices_lost_ || jobs_lost_;
  const Duration silence = clock_.now() - heard_;
  const bool is_due = std::any_of(
      state_.devices.begin(), state_.devices.end(),
      [](const v1::DeviceStatus& device) { return device.state() == v1::DEVICE_STATE_IN_SERVICE; });
  state_.stale_seconds.reset();
  if (state_.complete && (state_.lost || (is_due && silence > kSilence)))
    state_.stale_seconds = std::chrono::duration<double>(silence).count();
}

void TopFeed::heard() {
  heard_ = clock_.now();
  changed_.notify_all();
}

void TopFeed::fail(const Status& status) {
  const std::lock_guard lock(mutex_);
  if (!failure_) failure_ = status;
  changed_.notify_all();
}

// --- Devices -------------------------------------------------------------------------------------

void TopFeed::follow_devices(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Status status = read_devices(stop);
    std::unique_lock lock(mutex_);
    if (stop.stop_requested()) return;
    if (!devices_known_) {  // the first attempt failed
      lock.unlock();
      return fail(status);
    }
    devices_lost_ = true;
    changed_.wait_for(lock, stop, kTryAgain, [] { return false; });
  }
}

Status TopFeed::read_devices(const std::stop_token& stop) {
  client::Devices devices(connection_);
  ASSIGN_OR_RETURN(const v1::ListDevicesResponse all, devices.list());
  {
    const std::lock_guard lock(mutex_);
    state_.devices.assign(all.devices().begin(), all.devices().end());
    devices_known_ = true;
    devices_lost_ = false;
    heard();
  }
  return devices.watch(
      {},
      [this](const v1::DeviceStatus& device) {
        put(device);
        return true;
      },
      stop);
}

void TopFeed::put(const v1::DeviceStatus& device) {
  const std::lock_guard lock(mutex_);
  const auto known = std::find_if(state_.devices.begin(), state_.devices.end(),
                                  [&](const v1::DeviceStatus& each) { return each.id() == device.id(); });
  if (known == state_.devices.end())
    state_.devices.push_back(device);
  else
    *known = device;
  heard();
}

// --- Jobs ----------------------------------------------------------------------------------------

void TopFeed::follow_jobs(const std::stop_token& stop) {
  client::WatchOptions options;
  for (const v1::JobState state : {v1::JOB_STATE_QUEUED, v1::JOB_STATE_RUNNING, v1::JOB_STATE_PAUSED})
    options.filter.add_states(state);
  options.first_delay = kTryAgain;
  options.longest_delay = kTryAgain;
  if (const Status status = client::Watch(connection_, options, *this).run(stop); !status.ok()) fail(status);
}

void TopFeed::on_snapshot_begin() {
  const std::lock_guard lock(mutex_);
  state_.jobs.clear();
}

void TopFeed::on_snapshot_end() {
  const std::lock_guard lock(mutex_);
  jobs_known_ = true;
  heard();
}

void TopFeed::on_job(const v1::Job& job, bool) {
  const std::lock_guard lock(mutex_);
  heard();
  const auto known = state_.jobs.find(job.id());
  if (known != state_.jobs.end() && known->second.revision() > job.revision()) return;
  if (!client::is_finished(job.state())) {
    state_.jobs[job.id()] = job;
    return;
  }
  state_.jobs.erase(job.id());
  state_.ended[job.state()]++;
}

void TopFeed::on_disconnected(const Status&, std::chrono::milliseconds) {
  const std::lock_guard lock(mutex_);
  jobs_lost_ = true;
}

void TopFeed::on_reconnected() {
  const std::lock_guard lock(mutex_);
  jobs_lost_ = false;
}

}  // namespace weft::cli
