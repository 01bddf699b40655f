// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/cost_probe.h"

#include <atomic>

#include "server/worker/device/drawn_frames.h"

namespace weft::worker {
namespace {

constexpr int kFrames = 6;  // the first loads kernels; the others are measured
constexpr std::chrono::seconds kLongestProbe{10};

Status push_drawn(graph::Pipeline& pipeline, DrawnFrames& drawn, int64_t index) {
  ASSIGN_OR_RETURN(const graph::StagedUnit staged, pipeline.stage());
  drawn.write(pipeline.source_format(), index, staged);
  graph::FrameInfo info;
  info.pts = index;
  info.interlaced = true;
  info.top_field_first = true;
  pipeline.push(info);
  return ok_status();
}

}  // namespace

Status probe_cost(Preparing& preparing, graph::Pipeline& pipeline, schedule::SourceSpec source) {
  static std::atomic<uint64_t> probes{0};
  DeviceLoop& loop = preparing.loop();
  source.work_class = schedule::SourceClass::kNormal;
  source.max_units = 1;
  const std::string key = source.cost_key;
  const std::string own = fmt::format("{}{} {}", DeviceLoop::kMeasured, ++probes, key);
  source.cost_key = own;
  DrawnFrames drawn;
  int pushed = 0;
  const auto step = [&]() -> StatusOr<bool> {
    while (pushed < kFrames && pipeline.has_capacity()) {
      RETURN_IF_ERROR(push_drawn(pipeline, drawn, pushed++));
      if (pushed == kFrames) pipeline.finish();
    }
    ASSIGN_OR_RETURN(const auto picture, pipeline.pop());
    return picture.has_value();
  };
  Status status = preparing.run_all(pipeline, std::move(source), kLongestProbe,
                                    "What a frame of the stream costs cannot be measured", step);
  // If frames take seconds, those that ended in time are sufficient.
  if (status.code() == StatusCode::kDeadlineExceeded && loop.cost(own).known()) status = ok_status();
  loop.take_measured_cost(own, status.ok() ? key : std::string());
  return status;
}

}  // namespace weft::worker
