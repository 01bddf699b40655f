// SPDX-License-Identifier: Apache-2.0
// Makes the names of the engine (server/graph/) visible to filters without a prefix.
#pragma once

namespace weft::graph {}

namespace weft::filters {
using namespace graph;
}
