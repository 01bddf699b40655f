// SPDX-License-Identifier: Apache-2.0
// A filter that has to know the whole input first: a network measures every unit, what it measured is kept as records, and a pure
// function decides on a timeline by them, which the filter then follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "server/graph/frame_map.h"

namespace weft::graph {

// What was measured of a unit. Plain bytes follow each other in memory and in files: times first, then the bytes that the node wrote.
struct RecordTimes {
  int64_t pts = 0;  // as the measured port's clock counts it
  int64_t duration = 0;
};

// Of all units, in order.
struct Records {
  size_t bytes_each = 0;  // that a node wrote of a unit
  std::span<const std::byte> bytes;

  size_t size() const { return bytes.size() / (sizeof(RecordTimes) + bytes_each); }
  RecordTimes times(size_t unit) const;
  std::span<const std::byte> measured(size_t unit) const;
};

// Of the filters of a chain that were decided on, by their paths: "filters[1].decimate".
using Decisions = std::map<std::string, std::shared_ptr<const FrameMap>, std::less<>>;

using Decide = std::function<StatusOr<std::shared_ptr<const FrameMap>>(const Records&)>;

}  // namespace weft::graph
