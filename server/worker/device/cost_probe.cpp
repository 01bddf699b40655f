// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/cost_probe.h"

#include <atomic>
#include <cstring>

#include "options/values.h"
#include "server/filters/filter.h"

namespace weft::worker {
namespace {

constexpr int kFrames = 6;  // the first loads kernels; the others say what is true
constexpr std::chrono::seconds kLongestProbe{10};

Status push_blank(filters::Pipeline& pipeline, int64_t index) {
  ASSIGN_OR_RETURN(const filters::StagedUnit staged, pipeline.stage());
  const VideoFormat& format = pipeline.source_format().video;
  for (int plane = 0; plane < format.planes(); plane++)
    std::memset(staged.data[plane], 0,
                size_t(staged.stride_bytes[plane]) * size_t(format.plane_height(plane)));
  filters::FrameInfo info;
  info.pts = index;
  info.interlaced = true;
  info.top_field_first = true;
  pipeline.push(info);
  return ok_status();
}

}  // namespace

Status probe_cost(Preparing& preparing, filters::Pipeline& pipeline, schedule::SourceSpec source) {
  static std::atomic<uint64_t> probes{0};
  DeviceLoop& loop = preparing.loop();
  source.work_class = schedule::SourceClass::kNormal;
  source.max_units = 1;
  const std::string key = source.cost_key;
  const std::string own = fmt::format("{}{} {}", DeviceLoop::kMeasured, ++probes, key);
  source.cost_key = own;
  int pushed = 0;
  const auto step = [&]() -> StatusOr<bool> {
    while (pushed < kFrames && pipeline.has_room()) {
      RETURN_IF_ERROR(push_blank(pipeline, pushed++));
      if (pushed == kFrames) pipeline.finish();
    }
    ASSIGN_OR_RETURN(const auto picture, pipeline.pop());
    return picture.has_value();
  };
  const Status status = preparing.run_all(pipeline, std::move(source), kLongestProbe,
                                          "What a frame of the stream costs cannot be measured", step);
  loop.take_measured_cost(own, status.ok() ? key : std::string());
  return status;
}

StatusOr<Duration> measure_reference_cost(device::Device& device) {
  constexpr VideoFormat kFormat{360, 240, Chroma::k420, 8};
  v1::Bwdif settings;
  options::apply_defaults(settings);
  filters::Network network;
  const filters::Port frames = network.set_source(filters::PortFormat::picture(kFormat));
  filters::FilterContext context;
  context.device = &device;
  ASSIGN_OR_RETURN(const filters::Port pictures, filters::expand_filter(context, settings, network, frames));
  RETURN_IF_ERROR(network.set_outputs({pictures}));
  ASSIGN_OR_RETURN(auto pipeline, filters::Pipeline::make(device, std::move(network), {}));
  DeviceLoop loop;
  Preparing preparing(loop);
  schedule::SourceSpec source;
  source.cost_key = "reference";
  RETURN_IF_ERROR(probe_cost(preparing, *pipeline, source));
  return loop.cost(source.cost_key).predict(1) * 1'000'000 / int64_t(kFormat.packed_bytes());
}

}  // namespace weft::worker
