// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/bloom_memory.h"

#include <algorithm>
#include <cmath>
#include <thread>

#include "server/filters/bloom/bloom_kernel.h"
#include "server/filters/bloom/fft_plan.h"
#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

constexpr size_t kPixelFloats = 4 * sizeof(float);  // light, glow and a kernel's samples
constexpr size_t kRowPoint = 2 * kComplexBytes;     // a point of a transformed row

// Returns an upper bound of the transforms' points: the length for CPUs, plus a margin for other
// radices and for whole tiles of rows.
TransformSides points_for(const BloomShape& shape, int reach, Padding padding) {
  constexpr int kTile = 8;
  constexpr double kLonger = 1.03;
  ConvolutionShape asked;
  asked.width = shape.width;
  asked.height = shape.height;
  asked.reach_x = asked.reach_y = reach;
  asked.padding = padding;
  const auto side = [&](LineAxis axis) {
    const int needed = needed_points(asked, axis);
    return int(kLonger * cheapest_length(needed).value_or(needed)) + kTile;
  };
  return {side(LineAxis::kRows), side(LineAxis::kColumns)};
}

// Returns an upper bound of the kernel's reach from its centre.
int reach_of(const BloomShape& shape, const v1::BloomOptions& options, const BloomPictures& pictures) {
  if (options.mode() == v1::BLOOM_MODE_CONVOLVE && pictures.kernel != nullptr)
    return std::max(pictures.kernel->width, pictures.kernel->height) - 1;
  const GlarePlacement placement = placement_of(options, pictures.kernel, shape.width, shape.height);
  return int(std::ceil(placement.radius * placement.cut));
}

}  // namespace

size_t BloomMemory::scratch_bytes(int units) const {
  return std::max(size_t(std::min(units, max_units)) * unit_bytes, least_bytes);
}

// The kernel's samples exist in host memory, in the upload buffer and on the device, which
// transforms them with the scratch memory of a unit.
ExpectedPreparation BloomMemory::preparation() const {
  return {.kept_bytes = spectrum_bytes,
          .device_bytes = kernel_bytes + least_bytes,
          .host_bytes = 2 * kernel_bytes,
          .making_bytes = making_bytes};
}

BloomMemory memory_of(const BloomShape& shape, const v1::BloomOptions& options,
                      const BloomPictures& pictures) {
  BloomMemory memory;
  const auto width = size_t(shape.width), height = size_t(shape.height);
  const size_t glow = width * height * kPixelFloats;
  const auto units_of = [](double points) { return int(std::clamp((0x1p30 - 1) / points, 1.0, 65535.0)); };
  if (options.method() == v1::BLOOM_METHOD_DUAL) {
    memory.unit_bytes =
        // A level has a quarter of the pixels of the level above.
        glow + glow / 3 + kPixelFloats * (width + height);
    memory.max_units = units_of(double(width) * double(height));
    return memory;
  }
  const int reach = reach_of(shape, options, pictures);
  const bool is_zero =
      options.padding() != v1::BLOOM_PADDING_CLAMP && options.padding() != v1::BLOOM_PADDING_MIRROR;
  const auto [points_x, points_y] = points_for(shape, reach, is_zero ? Padding::kZero : Padding::kClamp);
  const size_t row_bytes = (size_t(points_x) + 8) * kRowPoint, rows = is_zero ? height : size_t(points_y);
  memory.unit_bytes = rows * row_bytes + glow;
  memory.least_bytes = size_t(points_y) * row_bytes + glow;
  memory.spectrum_bytes = size_t(points_y) * row_bytes / (has_coloured_glow(options, pictures) ? 1 : 4);
  memory.kernel_bytes = size_t(2 * reach + 1) * size_t(2 * reach + 1) * kPixelFloats;
  memory.making_bytes = memory.kernel_bytes / kPixelFloats * (kPixelFloats + 3 * sizeof(double));
  memory.max_units = units_of(double(points_x) * points_y);
  const double x = points_x, y = points_y;
  const double operations = 10 * (x * std::log2(x) * double(rows + height) + 2 * y * std::log2(y) * x);
  const double processors = std::max(1u, std::thread::hardware_concurrency());
  memory.has_portions =
      operations / (kCpuOperations * processors) > std::chrono::duration<double>(Bloom::kLongest).count();
  return memory;
}

}  // namespace weft::filters::bloom
