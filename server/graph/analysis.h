// SPDX-License-Identifier: Apache-2.0
// An analysis of the whole input: a network measures every unit, the measurements are kept as records, and a pure function makes a
// decision of them, which the filter follows when it is expanded again. A filter may have several analyses, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

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

// The result of an analysis.
struct AnalysisDecision {
  std::shared_ptr<const FrameMap> map{};  // timeline of the filter's output; null: the decision states none
  std::vector<std::byte> bytes{};         // parameters of the filter's nodes
  std::string report{};                   // sentence for the job's notes; empty: none
};
using Decide = std::function<StatusOr<AnalysisDecision>(const Records&)>;

// Decisions of a chain, by the names of their analyses: "filters[1].decimate".
using Decisions = std::map<std::string, std::shared_ptr<const AnalysisDecision>, std::less<>>;

}  // namespace weft::graph
