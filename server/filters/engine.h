// SPDX-License-Identifier: Apache-2.0
// Names of the engine (server/graph/), which filters use without a prefix.
#pragma once

namespace weft::graph {}

namespace weft::filters {
using namespace graph;
}
