// SPDX-License-Identifier: Apache-2.0
// Stores the measured speeds of devices (device_speed.h) in a table of the store, for the first
// predictions of the next daemon.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "server/queue/placement/device_speed.h"
#include "server/queue/store/sqlite.h"

namespace weft::queue {

// Limit of entries, for all devices that were ever present. The newest are kept.
inline constexpr int kSpeedsKept = 4096;

// The table of measured speeds in the job store. Its statements are prepared on the store's
// connection, and its writes run in the store's transactions.
class SpeedTable {
 public:
  Status prepare(Database& db);
  // Returns the entries, newest first. Invalid rows are removed with a warning.
  StatusOr<std::vector<KeptSpeed>> load(Database& db);
  // Writes `speeds`. `revision` never decreases from one call to the next.
  Status put(const std::vector<KeptSpeed>& speeds, int64_t revision);

 private:
  Statement put_;
  Statement trim_;
};

}  // namespace weft::queue
