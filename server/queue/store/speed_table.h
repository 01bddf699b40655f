// SPDX-License-Identifier: Apache-2.0
// What was learnt of devices' speed (device_speed.h), in a table of the store, for the next daemon's first predictions.
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "server/queue/placement/device_speed.h"
#include "server/queue/store/sqlite.h"

namespace weft::queue {

inline constexpr int kSpeedsKept = 4096;  // of all devices that ever were there; those learnt last

// To be prepared on the store's connection, and written in its transactions.
class SpeedTable {
 public:
  Status prepare(Database& db);
  // What was learnt last first. Rows that make no sense are removed with a warning.
  StatusOr<std::vector<KeptSpeed>> load(Database& db);
  // `revision`: rises from one call to the next, or stays.
  Status put(const std::vector<KeptSpeed>& speeds, int64_t revision);

 private:
  Statement put_;
  Statement trim_;
};

}  // namespace weft::queue
