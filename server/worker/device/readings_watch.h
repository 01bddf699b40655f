// SPDX-License-Identifier: Apache-2.0
// Asks a device's driver for its readings some times a second, on a thread of its own: a driver takes as long as it likes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "server/device/readings.h"
#include "server/schedule/clock_guard.h"

namespace weft::worker {

// As the schedule wants it; nothing where the driver does not tell.
std::optional<schedule::DeviceClock> clock_of(const device::Readings& readings);

// Thread-safe.
class ReadingsWatch {
 public:
  static constexpr Duration kOld = std::chrono::seconds(5);

  // `tell` is called with each reading, on the watch's thread; it may be null.
  using Tell = std::function<void(const device::Readings&)>;
  explicit ReadingsWatch(std::unique_ptr<device::ReadingsSource> source, Tell tell = nullptr,
                         Duration interval = std::chrono::milliseconds(250));

  // The newest readings; nothing when they are older than kOld at `now`, or there are none yet.
  std::optional<device::Readings> latest(TimePoint now) const;

 private:
  void run(const std::stop_token& stop);

  std::unique_ptr<device::ReadingsSource> source_;
  const Tell tell_;
  const Duration interval_;
  mutable std::mutex mutex_;
  std::optional<device::Readings> latest_;
  TimePoint read_at_{};
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::worker
