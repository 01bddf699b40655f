// SPDX-License-Identifier: Apache-2.0
// What a stream's request means on a device: its format, its graph, how the device's loop knows it. The request is one that
// the daemon has checked, with defaults filled in.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/status.h"
#include "base/video_format.h"
#include "server/device/device.h"
#include "server/filters/graph.h"
#include "server/schedule/source.h"
#include "weft/internal/v1/stream.pb.h"

namespace weft::worker {

VideoFormat format_of(const v1::OpenStream& open);
std::string filter_of(const v1::OpenStream& open);  // "bwdif"
bool is_realtime(const v1::OpenStream& open);
Duration period_of(const v1::OpenStream& open);
// From a frame's being ready for work to its pictures; zero: there is none.
Duration deadline_of(const v1::OpenStream& open);

// INVALID_ARGUMENT: the filter does not take the format; RESOURCE_EXHAUSTED: the device's memory is short.
StatusOr<std::unique_ptr<filters::Graph>> make_stream_graph(device::Device& device,
                                                            const v1::OpenStream& open);
// Without an id, which the loop gives.
schedule::SourceSpec source_of(const v1::OpenStream& open, const filters::Graph& graph);
// Without the stream's number.
internal::v1::StreamStarted facts_of(const v1::OpenStream& open, const filters::Graph& graph);

}  // namespace weft::worker
