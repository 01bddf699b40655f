// SPDX-License-Identifier: Apache-2.0
// What a stream's request means on a device: its format, its pipeline, how the device's loop knows it. The request is one that
// the daemon has checked, with defaults filled in.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "base/video_format.h"
#include "server/graph/pipeline.h"
#include "server/schedule/source.h"
#include "server/worker/device/device_share.h"
#include "server/worker/device/preparing.h"
#include "server/worker/job/chain.h"
#include "server/worker/texture/texture_plan.h"
#include "weft/internal/v1/stream.pb.h"

namespace weft::worker {

// What is done to a stream's frames: a chain of filters, or, of textures, their doubling.
struct StreamTask {
  Chain chain{};
  std::optional<TexturePlan> texture{};

  std::string name() const { return texture ? "upsample" : chain.name; }
  std::string cost_key() const { return texture ? texture->cost_key() : chain.cost_key; }
};

bool is_realtime(const v1::OpenStream& open);
Duration period_of(const v1::OpenStream& open);
// From a frame's being ready for work to its pictures; zero: there is none.
Duration deadline_of(const v1::OpenStream& open);

// `inputs`: files that the filter's options name. INVALID_ARGUMENT: the filter does not take the format, or a file; with violations.
StatusOr<StreamTask> work_of(const v1::OpenStream& open, const std::vector<OpenJobFile>& inputs);
// Blocks until the filter is prepared. INVALID_ARGUMENT: the filter takes its options no further; RESOURCE_EXHAUSTED: the
// device's memory is short; DEADLINE_EXCEEDED: the device had no time to prepare the filter within ten seconds; CANCELLED:
// `preparing` was stopped.
StatusOr<std::unique_ptr<graph::Pipeline>> make_stream_pipeline(const DeviceShare& share,
                                                                Preparing& preparing,
                                                                const v1::OpenStream& open,
                                                                const StreamTask& work);
// Without an id, which the loop gives.
schedule::SourceSpec source_of(const v1::OpenStream& open, const StreamTask& work,
                               const graph::Pipeline& pipeline);
// What the pictures look like: as the frames, but for what the filters changed.
void tell_looks(const v1::OpenStream& open, const graph::PictureProperties& pictures,
                internal::v1::StreamStarted& started);
// Without the stream's number.
internal::v1::StreamStarted facts_of(const v1::OpenStream& open, const StreamTask& work,
                                     const graph::Pipeline& pipeline);

// Of a frame and of a picture.
size_t frame_bytes_of(const graph::Pipeline& pipeline);
size_t picture_bytes_of(const graph::Pipeline& pipeline);

}  // namespace weft::worker
