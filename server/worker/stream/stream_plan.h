// SPDX-License-Identifier: Apache-2.0
// Plans a stream for a device: its format, its pipeline, and its source in the device's loop. The
// daemon has checked the request and filled in defaults.
#pragma once

#include <memory>
#include <mutex>
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
#include "server/worker/stream/stream_analysis.h"
#include "server/worker/texture/texture_plan.h"
#include "weft/internal/v1/stream.pb.h"

namespace weft::worker {

// The processing of a stream's frames: a chain of filters or, for textures, upsampling.
struct StreamTask {
  Chain chain{};
  std::optional<TexturePlan> texture{};

  std::string name() const { return texture ? "upsample" : chain.name; }
  std::string cost_key() const { return texture ? texture->cost_key() : chain.cost_key; }
};

bool is_realtime(const v1::OpenStream& open);
Duration period_of(const v1::OpenStream& open);
// Returns the limit of the time from the readiness of a frame to the end of its pictures, or 0 if
// the stream has no deadline.
Duration deadline_of(const v1::OpenStream& open);

// Plans the processing of the frames. `inputs` are the files named by the filters' options.
// INVALID_ARGUMENT, with violations: a filter does not accept the format or a file.
StatusOr<StreamTask> work_of(const v1::OpenStream& open, const std::vector<OpenJobFile>& inputs);
// The pipelines of a stream. Each analysis decides ahead for the pipelines that follow.
struct StreamPipelines {
  std::vector<StreamAnalysisParts> analyses{};
  std::unique_ptr<graph::Pipeline> pictures;
  std::shared_ptr<std::mutex> maps{};  // PipelineOptions::maps; null without analyses

  // Returns the device memory of all of them.
  size_t device_bytes() const;
};
// Creates the pipelines and blocks until their filters are prepared. INVALID_ARGUMENT: a filter
// does not accept its options on this device, or a realtime stream needs an analysis, since the
// cost of a frame then depends on the decisions. RESOURCE_EXHAUSTED: the device's memory, or the
// order's limit of it, is insufficient for batches of one frame. DEADLINE_EXCEEDED: the device had
// no time to prepare the filters within ten seconds. CANCELLED: `preparing` was stopped.
StatusOr<StreamPipelines> make_stream_pipelines(const DeviceShare& share, Preparing& preparing,
                                                const internal::v1::StartStream& order,
                                                const StreamTask& work);
// Returns the stream's source without an id; the loop assigns it.
schedule::SourceSpec source_of(const v1::OpenStream& open, const StreamTask& work,
                               const graph::Pipeline& pipeline);
// Reports the properties of the pictures: those of the frames, with changes by the filters.
void report_textures(const v1::OpenStream& open, const graph::PictureProperties& pictures,
                     internal::v1::StreamStarted& started);
// Returns the answer to the request, without the stream's number. `frames_ahead` as in the answer.
internal::v1::StreamStarted started_of(const v1::OpenStream& open, const StreamTask& work,
                                       const graph::Pipeline& pipeline, int frames_ahead);

// Return the bytes of a frame and of a picture.
size_t frame_bytes_of(const graph::Pipeline& pipeline);
size_t picture_bytes_of(const graph::Pipeline& pipeline);

}  // namespace weft::worker
