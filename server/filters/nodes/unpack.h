// SPDX-License-Identifier: Apache-2.0
// Copies a decoder's surface in device memory into planes, the form that pipelines read.
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
  // Creates the object for output frames with `layout`. NOT_FOUND: the device has no such kernel.
  static StatusOr<Unpack> make(device::Device& device, const FrameLayout& layout);

  // Returns true for a surface of the layout's format, aligned to its samples.
  bool takes(const Surface& surface) const;
  // Enqueues the copy into the frame that begins at `offset_bytes` in the buffer. takes() has
  // returned true for the surface, which stays valid until the copy has ended.
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
