// SPDX-License-Identifier: Apache-2.0
// Fixture of convolutions by FFT on every device, and the direct sum in float64 for comparison.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>

#include <gmock/gmock.h>

#include "kernels/lang/registry.h"
#include "server/filters/bloom/convolution.h"
#include "server/filters/bloom/long_lines.h"
#include "server/filters/bloom/short_lines.h"
#include "tests/server/filters/bloom/device_bench.h"

namespace weft::filters::bloom {

struct Kernel {
  Image image;
  int centre_x, centre_y;
  bool has_channels;
};

// Returns the index of the sample that `padding` puts at index `i`, or -1 for zero. A transform
// continues each end only halfway, so this is true within the kernel's reach.
inline int outside(int i, int n, Padding padding) {
  if (i >= 0 && i < n) return i;
  if (padding == Padding::kZero) return -1;
  if (padding == Padding::kClamp) return std::clamp(i, 0, n - 1);
  const int m = ((i % (2 * n)) + 2 * n) % (2 * n);
  return m < n ? m : 2 * n - 1 - m;
}

// Returns the convolution by direct summation in float64.
inline std::vector<double> direct(const Image& image, const Kernel& kernel, Padding padding,
                                  bool is_circular) {
  std::vector<double> out(image.values.size(), 0.0);
  for (int j = 0; j < kernel.image.height; j++) {
    for (int i = 0; i < kernel.image.width; i++) {
      double k[4];
      for (int c = 0; c < 4; c++) k[c] = kernel.image.at(i, j, kernel.has_channels ? c : 0);
      if (k[0] == 0 && k[1] == 0 && k[2] == 0 && k[3] == 0) continue;
      for (int y = 0; y < image.height; y++) {
        int sy = y - (j - kernel.centre_y);
        sy = is_circular ? (sy % image.height + image.height) % image.height
                         : outside(sy, image.height, padding);
        if (sy < 0) continue;
        for (int x = 0; x < image.width; x++) {
          int sx = x - (i - kernel.centre_x);
          sx = is_circular ? (sx % image.width + image.width) % image.width
                           : outside(sx, image.width, padding);
          if (sx < 0) continue;
          for (int c = 0; c < 4; c++)
            out[(size_t(y) * image.width + x) * 4 + c] += k[c] * double(image.at(sx, sy, c));
        }
      }
    }
  }
  return out;
}

struct Options {
  ConvolutionShape shape = {};
  bool has_half_source = false;  // the values of the image are half floats (half_image)
  int portions = 1;              // number of portions of the work
  // The following fields replace the convolution's own choice.
  bool is_circular = false;  // the transform has the size of the image, which therefore repeats
  TransformSides sides = {};
  int parts_x = 1, parts_y = 1;
  std::optional<PointLayout> layout = {};
  std::function<void(ConvolutionPlan&)> change = {};
};

inline uint16_t half_bits(float value) { return std::bit_cast<uint16_t>(static_cast<_Float16>(value)); }
inline float of_half(uint16_t bits) { return static_cast<float>(std::bit_cast<_Float16>(bits)); }

inline Image half_image(Image image) {
  for (float& v : image.values) v = of_half(half_bits(v));
  return image;
}

// Sets alpha to 0 in the reference, since the convolution leaves alpha out.
inline void drop_alpha(std::vector<double>& reference) {
  for (size_t i = 3; i < reference.size(); i += 4) reference[i] = 0;
}

inline std::vector<float> floats(const std::vector<std::byte>& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class ConvolutionBench : public DeviceBench {
 protected:
  // Returns true for a Vulkan device in software, which needs a second for a hundred small
  // convolutions.
  bool is_slow() const {
    return device_->info().kind == device::BackendKind::kVulkan && device_->info().is_software;
  }

  // Returns the layouts to test. The CPU also runs the kernels for GPUs if it was built with a
  // kernel's checks.
  std::vector<std::optional<PointLayout>> layouts() const {
    const kernels::KernelImage* const rows = kernels::find_kernel("bloom/fft_rows.1.rgb");
    const bool is_built = rows != nullptr && rows->cpu[0] != nullptr;
    if (device_->info().kind != device::BackendKind::kCpu || !is_built) return {std::nullopt};
    return {std::nullopt, PointLayout::kHalves};
  }
  // Returns the kernels for single lengths of a pass. On a device that needs seconds to compile
  // each, returns one of each kind.
  std::vector<FixedLine> fixed_lines(LinePass pass) const {
    std::vector<FixedLine> lines;
    if (device_->info().kind == device::BackendKind::kCpu) return lines;
    // number of passes, and complex numbers of a pixel that are transformed together
    std::set<std::pair<size_t, int>> kinds;
    for (const FixedLine& line : all_fixed_lines(pass)) {
      if (line.shared_bytes > device_->info().shared_memory_bytes) continue;
      const bool is_new = kinds.emplace(line.plan.radices.size(), line.planes).second;
      if (is_new || !is_slow()) lines.push_back(line);
    }
    return lines;
  }

  // Sets a kernel for a single length in a pass.
  static std::function<void(ConvolutionPlan&)> with_line(LinePass pass, const FixedLine& line) {
    return [=](ConvolutionPlan& plan) {
      if (pass == LinePass::kColumns) plan.columns = line;
      if (pass == LinePass::kRows) plan.rows = {line, line};
      if (pass == LinePass::kRowsBack) plan.rows_back = {line, line};
    };
  }

  StatusOr<std::unique_ptr<Convolution>> make(const Options& options) {
    const ConvolutionShape& shape = options.shape;
    const device::DeviceInfo& info = device_->info();
    if (options.parts_x * options.parts_y > 1) {
      const auto split = [&](LineAxis axis, int side, int parts) -> StatusOr<LineSplit> {
        if (options.is_circular) return LineSplit{parts, side / parts};
        return split_line(needed_points(shape, axis), parts, radices_of(info));
      };
      ASSIGN_OR_RETURN(const LineSplit x, split(LineAxis::kRows, shape.width, options.parts_x));
      ASSIGN_OR_RETURN(const LineSplit y, split(LineAxis::kColumns, shape.height, options.parts_y));
      return LongLines::make(*device_, shape, x, y);
    }
    const TransformSides sides =
        options.is_circular ? TransformSides{shape.width, shape.height} : options.sides;
    if (sides == TransformSides() && !options.layout && !options.change)
      return Convolution::make(*device_, shape);
    ASSIGN_OR_RETURN(ConvolutionPlan plan,
                     plan_convolution(shape, sides, options.layout.value_or(layout_of(info)), info));
    if (options.change) options.change(plan);
    return ShortLines::make(*device_, shape, plan);
  }

  // Convolves images of floats. The scratch memory is filled with NaN first.
  StatusOr<std::vector<float>> convolve(const std::vector<Image>& images, const Kernel& kernel,
                                        Options options = {}) {
    const int width = images[0].width, height = images[0].height;
    ConvolutionShape& shape = options.shape;
    shape.width = width;
    shape.height = height;
    if (shape.reach_x == 0 && shape.reach_y == 0) {
      shape.reach_x = std::max(kernel.centre_x, kernel.image.width - 1 - kernel.centre_x);
      shape.reach_y = std::max(kernel.centre_y, kernel.image.height - 1 - kernel.centre_y);
    }
    shape.has_channel_kernels = kernel.has_channels;
    ASSIGN_OR_RETURN(const auto convolution, make(options));
    std::vector<float> all;
    for (const Image& image : images) all.insert(all.end(), image.values.begin(), image.values.end());
    const size_t bytes = all.size() * sizeof(float);
    std::vector<uint16_t> halves;
    if (options.has_half_source) std::ranges::transform(all, std::back_inserter(halves), half_bits);
    const auto source = options.has_half_source ? upload(halves.data(), halves.size() * sizeof(uint16_t))
                                                : upload(all.data(), bytes);
    const auto target = device_->allocate(MemoryKind::kDevice, bytes).value();
    const auto scratch =
        device_->allocate(MemoryKind::kDevice, convolution->scratch_bytes(int(images.size()))).value();
    stream_->fill(*scratch, 0, scratch->size_bytes(), std::byte{0xff});
    const auto taps = upload(kernel.image.values.data(), kernel.image.values.size() * sizeof(float));
    const KernelImage kernel_image{
        taps.get(), 0, kernel.image.width, kernel.image.height, kernel.centre_x, kernel.centre_y};
    ASSIGN_OR_RETURN(const auto spectrum, convolution->make_spectrum(*stream_, *scratch, kernel_image));
    stream_->fill(*scratch, 0, scratch->size_bytes(), std::byte{0xff});
    const PixelType type = options.has_half_source ? PixelType::kHalf : PixelType::kFloat;
    const Pixels in{source.get(), 0, type, width, width * height};
    const Pixels out{target.get(), 0, PixelType::kFloat, width, width * height};
    const ConvolutionWork work{.source = in,
                               .target = out,
                               .spectrum = spectrum.get(),
                               .scratch = scratch.get(),
                               .units = int(images.size())};
    for (int i = 0; i < options.portions; i++)
      convolution->enqueue(*stream_, work, portion_of(i, options.portions));
    return floats(download(*target));
  }

  void expect_direct(const Image& image, const Kernel& kernel, const Options& options = {}) {
    const auto result = convolve({image}, kernel, options);
    ASSERT_THAT(result, IsOk());
    auto reference = direct(image, kernel, options.shape.padding, options.is_circular);
    drop_alpha(reference);
    EXPECT_LT(relative_error(*result, reference), 2e-6)
        << image.width << "x" << image.height << " points " << options.sides.x << "x" << options.sides.y;
  }
};

// Returns a kernel with few taps, the corners among them, so that a direct sum is fast at any size.
inline Kernel sparse_kernel(int width, int height, bool has_channels, uint32_t seed) {
  Kernel kernel{Image(width, height), width / 2, height / 2, has_channels};
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(0.1f, 1.0f);
  const auto put = [&](int x, int y) {
    for (int c = 0; c < 4; c++) kernel.image.at(x, y, c) = value(random);
  };
  put(0, 0);
  put(width - 1, 0);
  put(width - 1, height - 1);
  put(width / 2, height / 2);
  for (int i = 0; i < 3; i++) put(int(random() % uint32_t(width)), int(random() % uint32_t(height)));
  return kernel;
}

}  // namespace weft::filters::bloom
