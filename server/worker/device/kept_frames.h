// SPDX-License-Identifier: Apache-2.0
// Keeps frames of NVDEC in device memory until the pipeline has read them. The memory has a fixed
// number of slots, each with the layout of the pipeline's source, so that a unit is one plain copy.
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

// The object to which media::SourceFrame::kept points.
struct KeptFrame {
  const device::Buffer* buffer = nullptr;
  size_t offset_bytes = 0;
};

// Slots may be released on any thread; all other use is for one thread at a time.
class KeptFrames final : public std::enable_shared_from_this<KeptFrames> {
 public:
  // Allocates the slots. RESOURCE_EXHAUSTED: the device's memory is insufficient. NOT_FOUND: the
  // device has no kernel for the format.
  static StatusOr<std::shared_ptr<KeptFrames>> make(device::Device& device, const VideoFormat& format,
                                                    int slots);

  // Enqueues the copy of a surface into a slot. The returned handle holds the slot and keeps this
  // object alive. Returns null if the surface has another format, or no slot is free.
  std::shared_ptr<const KeptFrame> enqueue(device::Stream& stream, const Surface& surface);
  // Copies a frame to host memory and returns its samples, which are valid until the next call.
  // `stream` must be a stream of the device.
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
