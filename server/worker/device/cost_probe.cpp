// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/cost_probe.h"

#include <atomic>
#include <cstring>

#include "options/values.h"

namespace weft::worker {
namespace {

constexpr int kFrames = 6;  // the first loads kernels; the others say what is true
constexpr std::chrono::seconds kLongestProbe{10};

Status push_blank(filters::Graph& graph, int64_t index) {
  ASSIGN_OR_RETURN(const filters::StagedPicture staged, graph.stage());
  const VideoFormat& format = graph.source_format();
  for (int plane = 0; plane < format.planes(); plane++)
    std::memset(staged.data[plane], 0,
                size_t(staged.stride_bytes[plane]) * size_t(format.plane_height(plane)));
  filters::FrameInfo info;
  info.pts = index;
  info.interlaced = true;
  info.top_field_first = true;
  graph.push(info);
  return ok_status();
}

}  // namespace

Status probe_cost(Preparing& preparing, filters::Graph& graph, schedule::SourceSpec source) {
  static std::atomic<uint64_t> probes{0};
  DeviceLoop& loop = preparing.loop();
  source.work_class = schedule::WorkClass::kNormal;
  source.max_units = 1;
  const std::string key = source.cost_key;
  const std::string own = fmt::format("{}{} {}", DeviceLoop::kMeasured, ++probes, key);
  source.cost_key = own;
  int pushed = 0;
  const auto step = [&]() -> StatusOr<bool> {
    while (pushed < kFrames && graph.has_room()) {
      RETURN_IF_ERROR(push_blank(graph, pushed++));
      if (pushed == kFrames) graph.finish();
    }
    ASSIGN_OR_RETURN(const auto picture, graph.pop());
    return picture.has_value();
  };
  const Status status = preparing.run_all(graph, std::move(source), kLongestProbe,
                                          "What a frame of the stream costs cannot be measured", step);
  loop.take_measured_cost(own, status.ok() ? key : std::string());
  return status;
}

StatusOr<Duration> measure_reference_cost(device::Device& device) {
  constexpr VideoFormat kFormat{360, 240, Chroma::k420, 8};
  v1::DeinterlaceOptions settings;
  options::apply_defaults(settings);
  settings.set_filter(v1::DEINTERLACE_FILTER_BWDIF);
  std::vector<std::unique_ptr<filters::Filter>> chain(1);
  ASSIGN_OR_RETURN(chain[0], filters::make_deinterlacer(device, kFormat, settings));
  ASSIGN_OR_RETURN(auto graph, filters::Graph::make(device, std::move(chain), {}));
  DeviceLoop loop;
  Preparing preparing(loop);
  schedule::SourceSpec source;
  source.cost_key = "reference";
  RETURN_IF_ERROR(probe_cost(preparing, *graph, source));
  return loop.cost(source.cost_key).predict(1) * 1'000'000 / int64_t(kFormat.packed_bytes());
}

}  // namespace weft::worker
