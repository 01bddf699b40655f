// SPDX-License-Identifier: Apache-2.0
// A decoder's surface in the device's memory to planes, as pipelines take them.
//
//   ASSIGN_OR_RETURN(const Unpack unpack, Unpack::make(device, layout));
//   if (unpack.takes(surface)) unpack.enqueue(stream, surface, buffer, offset);
#pragma once

#include <cstddef>

#include "base/status.h"
#include "base/video_format.h"
#include "server/device/device.h"
#include "server/filters/engine.h"
#include "server/graph/frame_layout.h"

namespace weft::filters {

class Unpack {
 public:
  // `layout`: of the frames that come out. NOT_FOUND: the device has no kernel for it.
  static StatusOr<Unpack> make(device::Device& device, const FrameLayout& layout);

  // Of the layout's format, and aligned to its samples.
  bool takes(const Surface& surface) const;
  // Into the frame that begins so far in the buffer. The surface, which takes() let pass, stays until that is done.
  void enqueue(device::Stream& stream, const Surface& surface, const device::Buffer& buffer,
               size_t offset_bytes) const;

 private:
  Unpack(const device::Kernel& kernel, const FrameLayout& layout, int run)
      : kernel_(&kernel), layout_(layout), run_(run) {}

  const device::Kernel* kernel_;
  FrameLayout layout_;
  int run_;
};

}  // namespace weft::filters
