// SPDX-License-Identifier: Apache-2.0
// What the benchmark runs on a device: bwdif on frames that lie in its memory, and copies that use all its bandwidth.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/video_format.h"
#include "server/device/device.h"

namespace weft::bench {

// Work that comes in units, the smallest that can be started alone.
class Work {
 public:
  virtual ~Work() = default;
  virtual void enqueue(device::Stream& stream, int units) = 0;
  virtual int max_units() const = 0;
};

// A unit is a source frame (two pictures). `launches`: each unit as a launch of its own, as a frame that is a chain of many
// small kernels; else all of a batch in one.
// `units_a_launch`: a batch is a chain of launches of so many units; else one launch.
StatusOr<std::unique_ptr<Work>> make_bwdif(device::Device& device, const VideoFormat& format, int max_units,
                                           int units_a_launch);
// A unit is a source frame through all nodes of a filter, whose options are in protobuf's text format.
StatusOr<std::unique_ptr<Work>> make_filter(device::Device& device, const VideoFormat& format,
                                            const std::string& filter, const std::string& options,
                                            int max_units);
// A unit is a copy of so many bytes from device memory to device memory.
StatusOr<std::unique_ptr<Work>> make_copies(device::Device& device, size_t unit_bytes, int max_units);

// Device time of a unit, in batches of so many one after another: the median of several, or of the second half of
// `busy`, for a device that slows down when it is never idle.
StatusOr<Duration> unit_cost(device::Device& device, Work& work, int units, Duration busy = Duration(0));

}  // namespace weft::bench
