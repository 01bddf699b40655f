// SPDX-License-Identifier: Apache-2.0
// Draws synthetic frames for tuning and for the measurement of a stream's cost (cost_probe.h). A
// few frames are drawn and then copied, since drawing a frame takes longer than most filters.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "server/graph/pipeline.h"

namespace weft::worker {

class DrawnFrames {
 public:
  // Writes frame `number` % kPeriod of this format into `staged`. The content is the same in every
  // call.
  void write(const graph::PortFormat& format, int64_t number, const graph::StagedUnit& staged);

  static constexpr int kPeriod = 4;

 private:
  graph::PortFormat format_;
  // frames in format_, without padding; empty: not drawn yet
  std::array<std::vector<std::byte>, kPeriod> frames_;
};

}  // namespace weft::worker
