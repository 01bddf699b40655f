// SPDX-License-Identifier: Apache-2.0
#include "server/worker/cost_probe.h"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <optional>

#include "options/values.h"
#include "server/worker/batch_work.h"

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

Status probe_cost(DeviceLoop& loop, filters::Graph& graph, schedule::SourceSpec source) {
  std::mutex mutex;
  std::condition_variable changed;
  int64_t changes = 0;
  BatchWork work(graph, [&] {
    const std::lock_guard lock(mutex);
    changes++;
    changed.notify_all();
  });
  static std::atomic<uint64_t> probes{0};
  source.work_class = schedule::WorkClass::kNormal;
  source.max_units = 1;
  const std::string key = source.cost_key;
  const std::string own = fmt::format("{}{} {}", DeviceLoop::kMeasured, ++probes, key);
  source.cost_key = own;
  ASSIGN_OR_RETURN(const schedule::SourceId id, loop.open(std::move(source), work));
  const auto deadline = std::chrono::steady_clock::now() + kLongestProbe;
  Status status;
  int pushed = 0;
  while (status.ok() && work.error().ok() && !graph.is_submitted() &&
         std::chrono::steady_clock::now() < deadline) {
    int64_t seen = 0;
    {
      const std::lock_guard lock(mutex);
      seen = changes;
    }
    while (status.ok() && pushed < kFrames && graph.has_room()) {
      status = push_blank(graph, pushed++);
      if (pushed == kFrames) graph.finish();
    }
    loop.ready(id);
    const auto picture = graph.pop();
    if (status.ok()) status = picture.status();
    if (!picture.ok() || picture->has_value()) continue;
    std::unique_lock lock(mutex);
    changed.wait_until(lock, deadline, [&] { return changes != seen; });
  }
  const bool in_time = graph.is_submitted();
  loop.close(id);  // waits for what runs, and with it for its cost
  if (status.ok()) status = work.error();
  const bool is_measured = status.ok() && in_time && loop.cost(own).known();
  loop.take_measured_cost(own, is_measured ? key : std::string());
  RETURN_IF_ERROR(status);
  if (is_measured) return ok_status();
  return deadline_exceeded(
      "What a frame of the stream costs cannot be measured: the device had no time for it (within {} s).",
      kLongestProbe.count());
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
  schedule::SourceSpec source;
  source.cost_key = "reference";
  RETURN_IF_ERROR(probe_cost(loop, *graph, source));
  return loop.cost(source.cost_key).predict(1) * 1'000'000 / int64_t(kFormat.packed_bytes());
}

}  // namespace weft::worker
