// SPDX-License-Identifier: Apache-2.0
// Pictures chosen by a map.
#pragma once

#include <memory>

#include "server/filters/engine.h"
#include "server/graph/network.h"

namespace weft::filters {

// Those that the map names, as they are, at its times.
StatusOr<Port> add_select(Network& network, Port pictures, std::shared_ptr<const FrameMap> map);

}  // namespace weft::filters
