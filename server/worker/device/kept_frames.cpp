// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/kept_frames.h"

namespace weft::worker {

StatusOr<std::shared_ptr<KeptFrames>> KeptFrames::make(device::Device& device, const VideoFormat& format,
                                                       int slots) {
  const auto layout = graph::FrameLayout::of(format);
  ASSIGN_OR_RETURN(filters::Unpack unpack, filters::Unpack::make(device, layout));
  std::shared_ptr<KeptFrames> frames(new KeptFrames(layout, std::move(unpack)));
  ASSIGN_OR_RETURN(frames->frames_,
                   device.allocate(device::MemoryKind::kDevice, layout.frame_bytes * size_t(slots)));
  ASSIGN_OR_RETURN(frames->host_frame_, device.allocate(device::MemoryKind::kDownload, layout.frame_bytes));
  for (int slot = 0; slot < slots; slot++)
    frames->slots_.push_back({frames->frames_.get(), size_t(slot) * layout.frame_bytes});
  for (const KeptFrame& slot : frames->slots_) frames->free_.push_back(&slot);
  return frames;
}

std::shared_ptr<const KeptFrame> KeptFrames::enqueue(device::Stream& stream, const Surface& surface) {
  if (!unpack_.takes(surface)) return nullptr;
  const KeptFrame* slot = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return nullptr;
    slot = free_.back();
    free_.pop_back();
  }
  unpack_.enqueue(stream, surface, *slot->buffer, slot->offset_bytes);
  return {slot, [frames = shared_from_this()](const KeptFrame* taken) { frames->take_back(taken); }};
}

void KeptFrames::take_back(const KeptFrame* slot) {
  const std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

StatusOr<media::PictureView> KeptFrames::read(device::Stream& stream, const KeptFrame& frame) {
  stream.copy(*host_frame_, 0, *frame.buffer, frame.offset_bytes, layout_.frame_bytes);
  RETURN_IF_ERROR(stream.wait(stream.mark()));
  media::PictureView picture;
  picture.format = layout_.format;
  for (size_t plane = 0; plane < size_t(layout_.format.planes()); plane++) {
    picture.plane[plane] =
        reinterpret_cast<const uint8_t*>(host_frame_->host() + layout_.planes[plane].offset_bytes);
    picture.stride_bytes[plane] = layout_.planes[plane].stride_bytes;
  }
  return picture;
}

}  // namespace weft::worker
