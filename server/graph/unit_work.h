// SPDX-License-Identifier: Apache-2.0
// Computes the device work per source unit of a network from the CostShape of its nodes. The work
// predicts the cost on a device that has not run the network.
#pragma once

#include "server/graph/network.h"

namespace weft::graph {

struct NetworkWork {
  double bytes = 0;       // bytes read and written in device memory
  double operations = 0;  // number of additions, multiplications and comparisons
  double launches = 0;    // number of kernel launches

  bool is_known() const { return bytes > 0; }
};

// Returns the work for one source unit and for all units made from it.
NetworkWork unit_work(const Network& network);

}  // namespace weft::graph
