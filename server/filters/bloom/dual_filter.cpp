// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/dual_filter.h"

#include <algorithm>
#include <cmath>

#include "base/video_format.h"
#include "kernels/bloom/dual_down.kernel"
#include "kernels/bloom/dual_up.kernel"

namespace weft::filters::bloom {

namespace {

constexpr size_t kPixelBytes = 16;

}  // namespace

int DualFilter::levels_for(double radius, int width, int height) {
  const int most = int(std::ceil(std::log2(std::max({width, height, 2}))));
  return std::clamp(int(std::lround(std::log2(std::max(radius, 2.0)))) - 1, 1,
                    std::min(most, kMaxDualLevels));
}

StatusOr<std::unique_ptr<DualFilter>> DualFilter::make(device::Device& device, const DualShape& shape) {
  if (shape.width < 1 || shape.height < 1 || shape.width > kMaxPictureSide || shape.height > kMaxPictureSide)
    return invalid_argument(
        "The picture ({}x{}) is outside what the dual filter takes (1 to {} in either direction).",
        shape.width, shape.height, kMaxPictureSide);
  if (shape.levels < 1 || shape.levels > kMaxDualLevels)
    return invalid_argument("The dual filter has 1 to {} levels, not {}.", kMaxDualLevels, shape.levels);
  std::vector<Size> sizes = {{shape.width, shape.height}};
  do {
    sizes.push_back({(sizes.back().width + 1) / 2, (sizes.back().height + 1) / 2});
  } while (int(sizes.size()) <= shape.levels && sizes.back().pixels() > 1);
  if (shape.blended < 0 || shape.blended > kMaxDualLevels)
    return invalid_argument("At most {} levels of the dual filter share the light, not {}.", kMaxDualLevels,
                            shape.blended);
  const int blended = shape.blended == 0 ? int(sizes.size()) - 1 : shape.blended;
  ASSIGN_OR_RETURN(const device::Kernel* down, device.load("bloom/dual_down"));
  ASSIGN_OR_RETURN(const device::Kernel* up, device.load("bloom/dual_up"));
  return std::unique_ptr<DualFilter>(new DualFilter(down, up, std::move(sizes), blended));
}

size_t DualFilter::scratch_bytes(int units) const {
  size_t pixels = 0;
  for (size_t level = 1; level < sizes_.size(); level++) pixels += sizes_[level].pixels();
  return pixels * size_t(units) * kPixelBytes;
}

// Level 0 is the light itself. The other levels follow each other in the scratch memory, with all
// units of a level together.
DualFilter::Location DualFilter::location(const DualWork& work, size_t level) const {
  if (level == 0) return {work.light, work.light_offset_bytes};
  size_t pixels = 0;
  for (size_t before = 1; before < level; before++) pixels += sizes_[before].pixels();
  return {work.scratch, pixels * size_t(work.units) * kPixelBytes};
}

template <class Params>
Params DualFilter::params(const DualWork& work, size_t source, size_t target) const {
  const Size &from = sizes_[source], &to = sizes_[target];
  const Location source_location = location(work, source), target_location = location(work, target);
  Params params = {};
  params.source = device::at<decltype(params.source)>(*source_location.buffer, source_location.offset_bytes);
  params.target = device::at<decltype(params.target)>(*target_location.buffer, target_location.offset_bytes);
  params.source_width = params.source_stride = from.width;
  params.source_height = from.height;
  params.source_frame = int(from.pixels());
  params.target_width = params.target_stride = to.width;
  params.target_height = to.height;
  params.target_frame = int(to.pixels());
  params.padding = static_cast<int>(work.padding);
  return params;
}

// Returns the fraction of a level that comes from the wider levels. The light itself is replaced
// entirely.
float DualFilter::spread_of(size_t level, float scatter) const {
  // position among the sharing levels, from 1
  const int location = int(level) - (levels() - blended_);
  if (level == 0 || location < 1) return 1;
  return level == 1 ? std::pow(scatter, float(location)) : scatter;
}

void DualFilter::enqueue(device::Stream& stream, const DualWork& work) const {
  const auto grid = [&](size_t level) {
    return device::Grid{uint32_t(sizes_[level].width), uint32_t(sizes_[level].height), uint32_t(work.units)};
  };
  for (size_t level = 1; level < sizes_.size(); level++) {
    auto down = params<kernels::bloom_dual_down::Params>(work, level - 1, level);
    down.is_first = level == 1 && work.suppresses_fireflies ? 1 : 0;
    stream.launch(*down_, grid(level), down);
  }
  for (size_t level = sizes_.size() - 1; level-- > 0;) {
    auto up = params<kernels::bloom_dual_up::Params>(work, level + 1, level);
    up.spread = spread_of(level, work.scatter);
    up.keep = 1 - up.spread;
    stream.launch(*up_, grid(level), up);
  }
}

}  // namespace weft::filters::bloom
