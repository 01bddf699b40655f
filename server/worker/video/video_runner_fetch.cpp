// SPDX-License-Identifier: Apache-2.0
// Of a video job's runner: how frames come from NVDEC.
#include "server/worker/video/video_runner.h"

namespace weft::worker {
namespace {

// Outside of queues: one that is decoded, one on its way into the queue, one out of it.
constexpr size_t kFramesInHands = 3;

}  // namespace

// Through Vulkan NVDEC's frames come by CUDA's context all the same, and the schedule has no stream of that.
void VideoRunner::plan_fetch(VideoPlan& plan, const VideoFormat& format) {
  const device::DeviceInfo& info = share_.device.info();
  if (!plan.source.hardware || info.kind != device::BackendKind::kCuda) return;
  const std::lock_guard lock(fetch_mutex_);
  auto fetch =
      PlannedFetch::open(share_.device, share_.loop, source(), graph::PortFormat::picture(format).text());
  if (!fetch.ok()) {
    notes_.add(fmt::format("Frames are fetched from NVDEC without a plan. {}", message_of(fetch.status())));
    return;
  }
  fetch_ = *std::move(fetch);
  plan.source.fetch = fetch_.get();
  plan.source.keeps_frames = share_.keeps_frames;
}

// From here on frames that NVDEC decodes stay on the device, where there is memory for all that are on their way.
void VideoRunner::keep_frames(const VideoPlan& plan, const media::VideoSource& source,
                              const FilterStage& filter) {
  if (plan.source.fetch == nullptr || !plan.source.keeps_frames || !source.asks_hardware()) return;
  const size_t slots = queue_capacity(plan.facts.video.format) + media::kSeenFrames +
                       graph::Pipeline::kMostLent + kFramesInHands;
  const auto turn = share_.loop.opening_turn();
  auto frames = KeptFrames::make(share_.device, filter.source_format(), int(slots));
  if (frames.ok())
    fetch_->keep_in(*std::move(frames));
  else
    notes_.add(
        fmt::format("What NVDEC decodes goes through the host's memory. {}", message_of(frames.status())));
}

}  // namespace weft::worker
