// SPDX-License-Identifier: Apache-2.0
// Reads the clock and the power of the device while a row runs. A board at its power limit slows
// frames down under any policy.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/spare_time/run.h"
#include "server/device/readings.h"

namespace weft::bench {

// Reads on a separate thread from construction until result(). The source may be null; otherwise it
// must outlive this object.
class ClockWatch {
 public:
  static constexpr std::chrono::milliseconds kInterval{250};

  explicit ClockWatch(device::ReadingsSource* source)
      : reader_([this, source](const std::stop_token& stop) {
          if (source != nullptr) read(stop, *source);
        }) {}

  ClockAndPower result() {
    reader_.request_stop();
    reader_.join();
    if (clocks_.empty()) return {};
    return {quantile(clocks_, 0.5), quantile(clocks_, 0), quantile(watts_, 0.5)};
  }

 private:
  void read(const std::stop_token& stop, device::ReadingsSource& source) {
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex_);
    while (!stopped.wait_for(lock, stop, kInterval, [&] { return stop.stop_requested(); })) {
      lock.unlock();
      const device::Readings readings = source.read();
      lock.lock();
      if (readings.graphics_clock_mhz.has_value()) clocks_.push_back(*readings.graphics_clock_mhz);
      if (readings.power_watts.has_value()) watts_.push_back(*readings.power_watts);
    }
  }

  std::mutex mutex_;
  std::vector<double> clocks_, watts_;
  std::jthread reader_;  // the last member, so that it ends before the members that it uses
};

}  // namespace weft::bench
