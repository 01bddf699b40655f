// SPDX-License-Identifier: Apache-2.0
// Memory of the device for frames that NVDEC decoded, until the pipeline has them: so many slots, each a frame as the pipeline's source
// lies, which makes a unit one plain copy.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/nodes/unpack.h"
#include "server/media/read/pictures/frame_fetch.h"

namespace weft::worker {

// What media::SourceFrame::kept points to.
struct KeptFrame {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;
};

// Slots may come back on any thread; all else is for one thread at a time.
class KeptFrames final : public std::enable_shared_from_this<KeptFrames> {
 public:
  // RESOURCE_EXHAUSTED: the device's memory is short. NOT_FOUND: it has no kernel for the format.
  static StatusOr<std::shared_ptr<KeptFrames>> make(device::Device& device, const VideoFormat& format,
                                                    int slots);

  // Enqueues a surface's way into a slot, which is taken as long as what is returned, and keeps this alive. Null: the surface is of
  // another format, or no slot is free.
  std::shared_ptr<const KeptFrame> enqueue(device::Stream& stream, const Surface& surface);
  // The samples of a frame, until the next call. `stream` is of the device.
  StatusOr<media::PictureView> read(device::Stream& stream, const KeptFrame& frame);

 private:
  KeptFrames(const graph::FrameLayout& layout, filters::Unpack unpack)
      : layout_(layout), unpack_(std::move(unpack)) {}
  void take_back(const KeptFrame* slot);

  graph::FrameLayout layout_;
  filters::Unpack unpack_;
  std::unique_ptr<device::Buffer> frames_, host_frame_;
  std::vector<KeptFrame> slots_;
  std::mutex mutex_;
  std::vector<const KeptFrame*> free_;
};

}  // namespace weft::worker
