// SPDX-License-Identifier: Apache-2.0
// Defines workloads on a device: bwdif on frames in device memory, and copies that use the whole
// bandwidth.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/video_format.h"
#include "server/device/device.h"

namespace weft::bench {

// Work that consists of units. A unit is the smallest amount that can be started alone.
class Work {
 public:
  virtual ~Work() = default;
  virtual void enqueue(device::Stream& stream, int units) = 0;
  virtual int max_units() const = 0;
};

// Returns bwdif as work. A unit is a source frame (two output frames). A batch of more than
// `units_a_launch` units is a chain of launches with this number of units each, like a frame made
// by many small kernels.
StatusOr<std::unique_ptr<Work>> make_bwdif(device::Device& device, const VideoFormat& format, int max_units,
                                           int units_a_launch);
// Returns a filter as work, with options in protobuf's text format. A unit is a source frame
// through all its nodes.
StatusOr<std::unique_ptr<Work>> make_filter(device::Device& device, const VideoFormat& format,
                                            const std::string& filter, const std::string& options,
                                            int max_units);
// Returns copies as work. A unit is a copy of `unit_bytes` in device memory.
StatusOr<std::unique_ptr<Work>> make_copies(device::Device& device, size_t unit_bytes, int max_units);

// Returns the device time of a unit in consecutive batches of `units`. It is the median of several
// batches, or of the second half of `busy`, for a device that slows down when it is never idle.
StatusOr<Duration> unit_cost(device::Device& device, Work& work, int units, Duration busy = Duration(0));

}  // namespace weft::bench
