// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/convolution.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "server/filters/bloom/length_table.h"
#include "server/filters/bloom/long_lines.h"
#include "server/filters/bloom/short_lines.h"

namespace weft::filters::bloom {
namespace {

using device::Buffer;
using device::MemoryKind;
using device::Stream;

Status check_shape(const ConvolutionShape& shape) {
  for (const auto& [name, side, reach] :
       {std::tuple{"width", shape.width, shape.reach_x}, std::tuple{"height", shape.height, shape.reach_y}}) {
    if (side < 1 || side > kLongestImageSide)
      return invalid_argument("An image's {} is out of range ({}, from 1 to {}).", name, side,
                              kLongestImageSide);
    if (reach < 0 || reach >= kLongestLine)
      return invalid_argument("A kernel's reach along the image's {} is out of range ({}, from 0 to {}).",
                              name, reach, kLongestLine - 1);
  }
  for (const auto& [name, value] :
       {std::pair{"brightest sample", shape.brightest}, std::pair{"kernel's sum", shape.kernel_sum}})
    if (!(value >= 1e-12 && value <= 1e12))
      return invalid_argument("The {} of a convolution is out of range ({:g}, from 1e-12 to 1e12).", name,
                              value);
  return ok_status();
}

}  // namespace

StatusOr<std::unique_ptr<Convolution>> Convolution::make(device::Device& device,
                                                         const ConvolutionShape& shape) {
  RETURN_IF_ERROR(check_shape(shape));
  const std::optional<TransformSides> fastest = fastest_sides(shape, device.info());
  if (!fastest) {
    ASSIGN_OR_RETURN(const LineSplit x, choose_split(shape, LineAxis::kRows, device.info()));
    ASSIGN_OR_RETURN(const LineSplit y, choose_split(shape, LineAxis::kColumns, device.info()));
    if (x.parts * y.parts > 1) return LongLines::make(device, shape, x, y);
  }
  ASSIGN_OR_RETURN(const ConvolutionPlan plan, plan_convolution(shape, fastest.value_or(TransformSides()),
                                                                layout_of(device.info()), device.info()));
  return ShortLines::make(device, shape, plan);
}

double Convolution::operations_of_spectrum() const {
  const double points = double(sides_.x) * sides_.y;
  return 2 * 5 * points * std::log2(points);
}

Status Convolution::check_kernel(const KernelImage& kernel) const {
  for (const auto& [name, size, centre, points, reach] :
       {std::tuple{"width", kernel.width, kernel.centre_x, sides_.x, shape_.reach_x},
        std::tuple{"height", kernel.height, kernel.centre_y, sides_.y, shape_.reach_y}}) {
    if (size < 1 || size > points || centre < 0 || centre >= size)
      return invalid_argument(
          "A kernel's {} or centre is out of range ({} pixels, from 1 to {}; centre {}, inside it).", name,
          size, points, centre);
    if (std::max(centre, size - 1 - centre) > reach)
      return invalid_argument(
          "A kernel goes further from its centre along its {} than was said ({}, at most {}).", name,
          std::max(centre, size - 1 - centre), reach);
  }
  return ok_status();
}

StatusOr<std::unique_ptr<Buffer>> Convolution::make_spectrum(Stream& stream, const Buffer& scratch,
                                                             const KernelImage& kernel) const {
  RETURN_IF_ERROR(check_kernel(kernel));
  if (scratch.size_bytes() < scratch_bytes(1))
    return invalid_argument(
        "The scratch memory for a kernel's spectrum is too small ({} bytes, {} are needed).",
        scratch.size_bytes(), scratch_bytes(1));
  ASSIGN_OR_RETURN(auto spectrum, device_.allocate(MemoryKind::kDevice, spectrum_bytes()));
  // The kernels do not write the padding after the last line.
  stream.fill(*spectrum, 0, spectrum_bytes(), std::byte{0});
  enqueue_spectrum(stream, scratch, kernel, *spectrum, 0);
  return spectrum;
}

void Convolution::enqueue(Stream& stream, const ConvolutionWork& work, const Portion& portion) const {
  const std::array<double, kPasses> shares = pass_shares();
  double begin = 0;
  for (int pass = 0; pass < kPasses; pass++) {
    const double end = begin + shares[size_t(pass)];
    enqueue_pass(stream, work, pass, of_step(portion, begin, end));
    begin = end;
  }
}

Pixels pixels_of(const KernelImage& kernel) {
  const int stride = kernel.stride > 0 ? kernel.stride : kernel.width;
  return {kernel.buffer, kernel.offset_bytes, PixelType::kFloat, stride, 0};
}

}  // namespace weft::filters::bloom
