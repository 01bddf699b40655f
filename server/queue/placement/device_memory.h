// SPDX-License-Identifier: Apache-2.0
// Plans the memory of a device that has memory of its own. No side effects.
//
// Free for a further job is: all memory, less a margin, less the memory of other programs (reported
// by the driver through the worker), less the memory of running jobs and streams by their plans or,
// if that is more, the memory in the worker's buffers. A job that has just started has not made its
// buffers yet. Its planned bytes count from its start to its end, so that no other job is given
// bytes that the driver still reports as free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/placement/memory_budget.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

// Device memory that is not given to jobs: the code of kernels, buffers that the driver rounds up,
// and growth of other programs. 1 / kDeviceMarginShare of all memory, but at most
// kDeviceMarginBytes.
inline constexpr int64_t kDeviceMarginBytes = int64_t{256} << 20;
inline constexpr int64_t kDeviceMarginShare = 16;

// The device memory of a job. The values are those of JobEstimate.
struct DeviceNeed {
  // with the usual batches, with batches of half as many units, and so on; empty: unknown
  std::vector<int64_t> bytes{};
  int64_t segment_bytes = 0;

  int64_t least() const { return bytes.empty() ? 0 : bytes.back(); }
  auto operator<=>(const DeviceNeed&) const = default;
};
DeviceNeed device_need_of(const v1::JobEstimate& estimate);

// Memory given to an attempt or task at its start. The fields are those of v1.JobAttempt.
struct MemoryGrant {
  int segments_at_once = 1;
  int64_t device_bytes = 0;
  int batch_halvings = 0;
};
// Sets the fields of a v1::JobAttempt or v1::JobTask.
template <class Attempt>
void set_grant(const MemoryGrant& grant, Attempt& attempt) {
  attempt.set_segments_at_once(grant.segments_at_once);
  attempt.set_device_bytes(grant.device_bytes);
  attempt.set_batch_halvings(grant.batch_halvings);
}

// A job's chance of memory on a device.
struct DeviceRoom {
  enum class Kind {
    kFits,      // at least with batches of one unit; also if figures are unknown
    kTaken,     // fits when running jobs and streams have ended
    kOthers,    // other programs use memory that it needs
    kTooSmall,  // never fits
  };
  Kind kind = Kind::kFits;
  int64_t wanted = 0;  // bytes with the batches that fit, or the least bytes; 0: unknown
  int64_t free = 0, limit = 0;
  int64_t others = 0;  // bytes of other programs and of the driver
};
// Returns a clause such as "it needs 6 GB of the device's memory, 2.1 GB of 7.7 GB are free".
std::string describe(const DeviceRoom& room);

class DeviceMemory {
 public:
  // Sets the device. Without memory of its own (`is_shared`), or with an unknown size, everything
  // fits. A worker that starts has no buffers.
  void set_device(const v1::DeviceStatus& device, bool is_shared);
  // Sets the memory in use, by the worker's newest report.
  void set_use(const v1::DeviceSample& sample);

  // As in MemoryBudget; `key` is that of a running job or task.
  void take(const std::string& key, int64_t bytes) { budget_.take(key, bytes); }
  void give_back(const std::string& key) { budget_.give_back(key); }

  DeviceRoom room_for(const DeviceNeed& need) const;
  // Returns the memory for a job that fits. `most_segments` is the limit of the segments at the
  // same time by the host's memory. Further segments are given only next to batches of the usual
  // size.
  MemoryGrant grant(const DeviceNeed& need, int most_segments) const;
  // Returns the bytes that a further job or stream may take, or nullopt if they are unknown.
  std::optional<int64_t> free() const;
  // Returns the bytes that a job may take if it has the device alone. 0: unknown.
  int64_t most() const;

 private:
  void update();

  int64_t all_ = 0;  // 0: unknown, or the host's memory
  int64_t others_ = 0;
  MemoryBudget budget_;  // its limit is most(), less the memory of other programs
};

}  // namespace weft::queue
