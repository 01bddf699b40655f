// SPDX-License-Identifier: Apache-2.0
// Asks a device's driver for its readings some times a second, on a thread of its own: a driver takes as long as it likes.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "server/device/readings.h"

namespace weft::worker {

// Thread-safe.
class ReadingsWatch {
 public:
  static constexpr Duration kOld = std::chrono::seconds(5);

  explicit ReadingsWatch(std::unique_ptr<device::ReadingsSource> source,
                         Duration interval = std::chrono::milliseconds(250));

  // The newest readings; nothing when they are older than kOld at `now`, or there are none yet.
  std::optional<device::Readings> latest(TimePoint now) const;

 private:
  void run(const std::stop_token& stop);

  std::unique_ptr<device::ReadingsSource> source_;
  const Duration interval_;
  mutable std::mutex mutex_;
  std::optional<device::Readings> latest_;
  TimePoint read_at_{};
  std::jthread thread_;  // last: ends before what it uses
};

}  // namespace weft::worker
