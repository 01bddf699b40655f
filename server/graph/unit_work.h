// SPDX-License-Identifier: Apache-2.0
// What a device has to do for a unit of a network's source, as the nodes state it (CostShape): what a device that never ran the
// network is predicted by.
#pragma once

#include "server/graph/network.h"

namespace weft::graph {

struct NetworkWork {
  double bytes = 0;       // read and written in the device's memory
  double operations = 0;  // additions, multiplications, comparisons
  double launches = 0;    // of kernels

  bool is_known() const { return bytes > 0; }
};

// For a unit of the source, all units that become of it together.
NetworkWork unit_work(const Network& network);

}  // namespace weft::graph
