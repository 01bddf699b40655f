// SPDX-License-Identifier: Apache-2.0
// Selects pictures by a map.
#pragma once

#include <memory>

#include "server/filters/engine.h"
#include "server/graph/network.h"

namespace weft::filters {

// Returns the pictures that the map contains, unchanged, at the times of the map.
StatusOr<Port> add_select(Network& network, Port pictures, std::shared_ptr<const FrameMap> map);

}  // namespace weft::filters
