// SPDX-License-Identifier: Apache-2.0
// Learns what a frame costs before a realtime stream is admitted, when nothing of its filter and format ran yet.
#pragma once

#include "base/status.h"
#include "server/filters/graph.h"
#include "server/worker/device_loop.h"

namespace weft::worker {

// Runs a few blank frames through the graph, one a batch, as a background source of the loop: beside streams that live it
// waits for their gaps. Blocks until the loop knows the cost of `source.cost_key`. The graph is used up. Errors are the
// device's; DEADLINE_EXCEEDED: there was no gap for them within ten seconds.
Status probe_cost(DeviceLoop& loop, filters::Graph& graph, schedule::SourceSpec source);

}  // namespace weft::worker
