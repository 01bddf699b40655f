// SPDX-License-Identifier: Apache-2.0
// The cheap bloom: levels of half the size by 13 taps, and back up by a tent, each level blended with the wider one below it. Its
// shape is a sum of blurs, each twice as wide as the one before.
//
//   ASSIGN_OR_RETURN(auto filter, DualFilter::make(device, {1920, 1080, DualFilter::levels_for(200, 1920, 1080)}));
//   filter->enqueue(stream, {.light = buffer, .scratch = scratch.get()});
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/status.h"
#include "server/device/device.h"
#include "server/filters/bloom/convolution.h"

namespace weft::filters::bloom {

inline constexpr int kMaxDualLevels = 13;

struct DualShape {
  int width = 0;  // pixels, 1 to kMaxPictureSide
  int height = 0;
  int levels = 6;  // 1 to kMaxDualLevels; fewer where a level would have sides of 1 pixel only
  // How many of the widest levels share the light, so that pictures of every resolution share it alike: finer levels than these keep
  // nothing, and where there are fewer the finest keeps what finer ones would. 0: as many as there are.
  int blended = 0;
};

struct DualWork {
  // Frames of float RGBA, [frame][height][width], finite and not negative; becomes the glow. Away from the edges it has as much light as before.
  const device::Buffer* light = nullptr;
  size_t light_offset_bytes = 0;            // a multiple of 16
  const device::Buffer* scratch = nullptr;  // scratch_bytes() of it
  int units = 1;
  float scatter = 0.7f;               // 0 to 1: how much of each level that shares is the wider ones'
  bool suppresses_fireflies = false;  // weighs single bright pixels down (Karis); loses their light
  Padding padding = Padding::kClamp;  // what lies outside each level
};

// Made for one device and shape. One thread at a time.
class DualFilter {
 public:
  // How many levels reach `radius` pixels: a level's blur reaches about twice its pixel.
  static int levels_for(double radius, int width, int height);

  // INVALID_ARGUMENT: a side or the levels out of range.
  static StatusOr<std::unique_ptr<DualFilter>> make(device::Device& device, const DualShape& shape);

  int levels() const { return int(sizes_.size()) - 1; }
  size_t scratch_bytes(int units) const;
  // Cannot fail: what can, did at creation; a device error comes out of the stream's wait.
  void enqueue(device::Stream& stream, const DualWork& work) const;

 private:
  struct Size {
    int width = 0;
    int height = 0;
    size_t pixels() const { return size_t(width) * size_t(height); }
  };
  struct Place {
    const device::Buffer* buffer = nullptr;
    size_t offset_bytes = 0;
  };
  DualFilter(const device::Kernel* down, const device::Kernel* up, std::vector<Size> sizes, int blended)
      : down_(down), up_(up), sizes_(std::move(sizes)), blended_(blended) {}
  float spread_of(size_t level, float scatter) const;
  Place place(const DualWork& work, size_t level) const;
  template <class Params>
  Params params(const DualWork& work, size_t source, size_t target) const;

  const device::Kernel* down_;
  const device::Kernel* up_;
  std::vector<Size> sizes_;  // of the light, then of each level
  int blended_;
};

}  // namespace weft::filters::bloom
