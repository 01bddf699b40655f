// SPDX-License-Identifier: Apache-2.0
// Learns what a frame costs before a realtime stream is admitted, when nothing of its filter and format ran yet, or before it is
// refused.
#pragma once

#include "base/status.h"
#include "server/graph/pipeline.h"
#include "server/worker/device/preparing.h"

namespace weft::worker {

// Runs a few drawn frames (drawn_frames.h), which leave none of a filter's ways out, through the pipeline, one a batch, as a background source of the loop: beside streams that live it
// waits for their gaps. Blocks until the loop knows the cost of `source.cost_key`; what it knew before goes only where the new one is
// clearly less. The pipeline is used up. Errors are the device's; DEADLINE_EXCEEDED: there was no gap for them within ten seconds;
// CANCELLED: `preparing` was stopped.
Status probe_cost(Preparing& preparing, graph::Pipeline& pipeline, schedule::SourceSpec source);

}  // namespace weft::worker
