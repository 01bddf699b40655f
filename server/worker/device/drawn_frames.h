// SPDX-License-Identifier: Apache-2.0
// The frames that kernels are tuned by, and that tell what a frame of a stream costs (cost_probe.h). A few are drawn and then copied, since drawing one takes longer than most filters take for it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "server/graph/pipeline.h"

namespace weft::worker {

class DrawnFrames {
 public:
  // Frame number % kPeriod of that format, the same each time.
  void write(const graph::PortFormat& format, int64_t number, const graph::StagedUnit& staged);

  static constexpr int kPeriod = 4;

 private:
  graph::PortFormat format_;
  std::array<std::vector<std::byte>, kPeriod> frames_;  // of format_, rows side by side; empty: not drawn yet
};

}  // namespace weft::worker
