// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/readings_watch.h"

#include <condition_variable>

namespace weft::worker {

ReadingsWatch::ReadingsWatch(std::unique_ptr<device::ReadingsSource> source, Duration interval)
    : source_(std::move(source)),
      interval_(interval),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

std::optional<device::Readings> ReadingsWatch::latest(TimePoint now) const {
  const std::lock_guard lock(mutex_);
  return now - read_at_ > kOld ? std::nullopt : latest_;
}

void ReadingsWatch::run(const std::stop_token& stop) {
  std::condition_variable_any stopped;
  while (!stop.stop_requested()) {
    const device::Readings readings = source_->read();
    std::unique_lock lock(mutex_);
    latest_ = readings;
    read_at_ = std::chrono::steady_clock::now();
    stopped.wait_for(lock, stop, interval_, [&] { return stop.stop_requested(); });
  }
}

}  // namespace weft::worker
