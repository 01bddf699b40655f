// SPDX-License-Identifier: Apache-2.0
// Implements the inexpensive bloom. Each level has half the size of the level above, computed with
// 13 taps; on the way up, a tent enlarges each level and blends it into the next larger one. The
// result is a sum of blurs, each twice as wide as the previous one.
//
//   ASSIGN_OR_RETURN(auto filter, DualFilter::make(device, {1920, 1080, levels}));
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
  int levels = 6;  // 1 to kMaxDualLevels; fewer if a level has a single pixel
  // Number of the widest levels that share the light; 0: all levels. With the same number, pictures
  // of every resolution distribute light equally: finer levels keep none, and if there are fewer
  // levels, the finest one keeps the share of the missing ones.
  int blended = 0;
};

struct DualWork {
  // Frames of float RGBA, [frame][height][width], finite and not negative. They are replaced by the
  // glow, which has the same total light away from the edges.
  const device::Buffer* light = nullptr;
  size_t light_offset_bytes = 0;            // a multiple of 16
  const device::Buffer* scratch = nullptr;  // scratch memory of scratch_bytes() bytes
  int units = 1;
  // Fraction, 0 to 1, that each sharing level takes from the wider levels.
  float scatter = 0.7f;
  // reduces the weight of single bright pixels (Karis); their light is lost
  bool suppresses_fireflies = false;
  Padding padding = Padding::kClamp;  // values outside each level
};

// Is made for one device and shape. Not thread-safe.
class DualFilter {
 public:
  // Returns the number of levels for a blur of `radius` pixels. The blur of a level reaches about
  // twice the size of its pixels.
  static int levels_for(double radius, int width, int height);

  // Creates a filter. INVALID_ARGUMENT: a side or the number of levels is out of range.
  static StatusOr<std::unique_ptr<DualFilter>> make(device::Device& device, const DualShape& shape);

  int levels() const { return int(sizes_.size()) - 1; }
  size_t scratch_bytes(int units) const;
  // Enqueues the work. Does not fail: errors occur at creation, and the stream's wait returns a
  // device error.
  void enqueue(device::Stream& stream, const DualWork& work) const;

 private:
  struct Size {
    int width = 0;
    int height = 0;
    size_t pixels() const { return size_t(width) * size_t(height); }
  };
  struct Location {
    const device::Buffer* buffer = nullptr;
    size_t offset_bytes = 0;
  };
  DualFilter(const device::Kernel* down, const device::Kernel* up, std::vector<Size> sizes, int blended)
      : down_(down), up_(up), sizes_(std::move(sizes)), blended_(blended) {}
  float spread_of(size_t level, float scatter) const;
  Location location(const DualWork& work, size_t level) const;
  template <class Params>
  Params params(const DualWork& work, size_t source, size_t target) const;

  const device::Kernel* down_;
  const device::Kernel* up_;
  std::vector<Size> sizes_;  // sizes of the light, then of each level
  int blended_;
};

}  // namespace weft::filters::bloom
