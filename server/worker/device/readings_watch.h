// SPDX-License-Identifier: Apache-2.0
// Reads a device's sensors from its driver some times a second, on a separate thread, since a call
// of the driver may take long.
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

  // Returns the newest readings, or nullopt if they are older than kOld at `now` or do not exist
  // yet.
  std::optional<device::Readings> latest(TimePoint now) const;

 private:
  void run(const std::stop_token& stop);

  std::unique_ptr<device::ReadingsSource> source_;
  const Duration interval_;
  mutable std::mutex mutex_;
  std::optional<device::Readings> latest_;
  TimePoint read_at_{};
  // last member, so that the thread ends before the members it uses are destroyed
  std::jthread thread_;
};

}  // namespace weft::worker
