// SPDX-License-Identifier: Apache-2.0
// Measures the cost of a frame before a realtime stream with a new filter and format is admitted,
// or before a stream is refused.
#pragma once

#include "base/status.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/preparing.h"

namespace weft::worker {

// Measures the cost of `source.cost_key`. Runs a few synthetic frames (drawn_frames.h), which
// exercise all code paths of a filter, through `pipeline`, one frame a batch, as a background
// source of the loop: if streams are active, the batches run in the gaps between their frames.
// Blocks until the loop has the cost; an earlier cost is replaced only by a clearly lower one. The
// pipeline cannot be used afterwards. Errors are the device's. DEADLINE_EXCEEDED: the schedule left
// no gap within ten seconds. CANCELLED: `preparing` was stopped.
Status probe_cost(Preparing& preparing, graph::Pipeline& pipeline, schedule::SourceSpec source);

}  // namespace weft::worker
