// SPDX-License-Identifier: Apache-2.0
// Checks at the submit whether a job can ever have its memory on a device that its settings permit.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "server/queue/placement/placement.h"
#include "weft/v1/job.pb.h"

namespace weft::queue {

class MemoryCheck {
 public:
  // `placement` outlives this object.
  explicit MemoryCheck(const Placement& placement) : placement_(placement) {}

  // RESOURCE_EXHAUSTED: the job never fits into the memory of any permitted device. The message
  // contains the figures of the largest one.
  Status check_devices(const v1::Job& job) const;
  // Returns the host memory that the job needs on the device that it names, or, if it names none,
  // on the permitted device where it needs the least. Devices with too little memory of their own
  // do not count.
  int64_t least_host_bytes(const v1::Job& job) const;

 private:
  const Placement& placement_;
};

}  // namespace weft::queue
