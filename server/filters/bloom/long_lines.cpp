// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/long_lines.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "kernels/bloom/join_lines.kernel"
#include "kernels/bloom/split_lines.kernel"
#include "server/filters/bloom/short_lines.h"
#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

using device::at;
using device::Buffer;
using device::Stream;

constexpr int kParts[] = {1, 2, 3, 4, 5, 7, 8};  // the variants of split_lines.kernel
constexpr size_t kComplexPixelBytes = 2 * kComplexBytes;

}  // namespace

StatusOr<LineSplit> split_line(int needed, int parts, RadixSet set) {
  ASSIGN_OR_RETURN(const int points, cheapest_length((needed + parts - 1) / parts, set));
  return LineSplit{parts, points};
}

StatusOr<LineSplit> choose_split(const ConvolutionShape& shape, LineAxis axis,
                                 const device::DeviceInfo& device) {
  const int longest = longest_line(device), needed = needed_points(shape, axis);
  for (const int parts : kParts) {
    if (needed > parts * longest) continue;
    ASSIGN_OR_RETURN(const LineSplit split, split_line(needed, parts, radices_of(device)));
    if (split.points <= longest) return split;
  }
  return failed_precondition(
      "{} cannot transform {} of {} points: 8 times what a block's shared memory holds is {}; make the image "
      "or "
      "the kernel smaller, or use another device.",
      device.id, axis == LineAxis::kRows ? "rows" : "columns", needed, 8 * longest);
}

LongLines::LongLines(device::Device& device, const ConvolutionShape& shape, const LineSplit& x,
                     const LineSplit& y)
    : Convolution(device, shape, {x.parts * x.points, y.parts * y.points}), x_{x}, y_{y} {
  shape_.intermediates = Intermediates::kFp32;
}

StatusOr<std::unique_ptr<LongLines>> LongLines::make(device::Device& device, const ConvolutionShape& shape,
                                                     const LineSplit& x, const LineSplit& y) {
  std::unique_ptr<LongLines> made(new LongLines(device, shape, x, y));
  RETURN_IF_ERROR(check_sides(made->sides_));
  RETURN_IF_ERROR(made->make_part());
  RETURN_IF_ERROR(made->make_tables());
  RETURN_IF_ERROR(made->load_kernels());
  return made;
}

// A part is periodic, so its transform has as many points as the part.
Status LongLines::make_part() {
  const TransformSides sides = {x_.split.points, y_.split.points};
  ConvolutionShape part{.width = sides.x, .height = sides.y};
  part.has_channel_kernels = shape_.has_channel_kernels;
  ASSIGN_OR_RETURN(const ConvolutionPlan plan,
                   plan_convolution(part, sides, PointLayout::kComplex, device_.info()));
  ASSIGN_OR_RETURN(part_, ShortLines::make(device_, part, plan));
  return ok_status();
}

Status LongLines::make_tables() {
  std::vector<float> values;
  for (Axis* axis : {&x_, &y_}) {
    axis->twiddles_offset = values.size() * sizeof(float);
    const std::vector<float> table = twiddles({axis->points(), {axis->split.parts, axis->split.points}});
    values.insert(values.end(), table.begin(), table.end());
  }
  ASSIGN_OR_RETURN(tables_, make_constants(device_, std::as_bytes(std::span(values))));
  return ok_status();
}

Status LongLines::load_kernels() {
  for (Axis* axis : {&x_, &y_}) {
    ASSIGN_OR_RETURN(axis->splitting, device_.load(fmt::format("bloom/split_lines.{}", axis->split.parts)));
    ASSIGN_OR_RETURN(axis->joining, device_.load(fmt::format("bloom/join_lines.{}", axis->split.parts)));
  }
  return ok_status();
}

size_t LongLines::image_bytes() const {
  return kComplexPixelBytes * static_cast<size_t>(x_.points()) * static_cast<size_t>(y_.points());
}

// Returns an offset after the working memory of the parts' convolution.
size_t LongLines::image_offset(int image, int units) const {
  const size_t part_bytes = round_up(part_->scratch_bytes(units), FrameLayout::kPlaneAlignment);
  return part_bytes + static_cast<size_t>(image * units) * image_bytes();
}

size_t LongLines::scratch_bytes(int units) const { return image_offset(images(), units); }

size_t LongLines::spectrum_bytes() const {
  return part_->spectrum_bytes() * static_cast<size_t>(images() * x_.split.parts * y_.split.parts);
}

double LongLines::operations_per_unit() const {
  const double parts = x_.split.parts * y_.split.parts;
  return images() * parts *
         (part_->operations_per_unit() + 2 * 2 * 5 * std::log2(parts) * x_.split.points * y_.split.points);
}

template <class Do>
void LongLines::each_part(Do&& act) const {
  int number = 0;
  for (int image = 0; image < images(); image++)
    for (int y = 0; y < y_.split.parts; y++)
      for (int x = 0; x < x_.split.parts; x++) {
        const size_t first = static_cast<size_t>(y * y_.split.points) * static_cast<size_t>(x_.points()) +
                             static_cast<size_t>(x * x_.split.points);
        act(image, first * kComplexPixelBytes, static_cast<size_t>(number++));
      }
}

void LongLines::enqueue_split(Stream& stream, const Source& source, int image, bool is_kernel,
                              const Buffer& scratch) const {
  namespace k = kernels::split_lines;
  k::Params params{};
  params.source = at<k::Halves>(*source.pixels.buffer, source.pixels.offset_bytes);
  params.target = at<k::Floats>(scratch, image_offset(image, source.units));
  params.twiddles = at<k::Twiddles>(*tables_, y_.twiddles_offset);
  params.part = y_.split.points;
  params.width = x_.points();
  params.height = y_.points();
  params.source_stride = source.pixels.stride;
  params.source_frame = source.pixels.frame_stride;
  params.is_float = source.pixels.type == PixelType::kFloat ? 1 : 0;
  params.source_width = source.width;
  params.source_height = source.height;
  params.padding = source.padding;
  params.shift_x = source.centre_x;
  params.shift_y = source.centre_y;
  params.channels = shape_.has_channel_kernels ? 2 + image : is_kernel ? 1 : 0;
  // The zeros after the image need not be written if the next pass does not read them.
  const bool is_filled = x_.split.parts == 1 || is_kernel || source.padding != 0;
  params.filled_width = is_filled ? x_.points() : source.width;
  const auto units = static_cast<uint32_t>(source.units);
  stream.launch(*y_.splitting,
                {static_cast<uint32_t>(params.filled_width), static_cast<uint32_t>(params.part), units},
                params);
  if (x_.split.parts == 1) return;
  params.twiddles = at<k::Twiddles>(*tables_, x_.twiddles_offset);
  params.along_x = 1;
  params.part = x_.split.points;
  stream.launch(*x_.splitting,
                {static_cast<uint32_t>(params.part), static_cast<uint32_t>(params.height), units}, params);
}

void LongLines::enqueue_join(Stream& stream, const ConvolutionWork& work, int image) const {
  namespace k = kernels::join_lines;
  k::Params params{};
  params.source = at<k::Floats>(*work.scratch, image_offset(image, work.units));
  params.target = at<k::Halves>(*work.target.buffer, work.target.offset_bytes);
  params.width = x_.points();
  params.height = y_.points();
  params.target_stride = work.target.stride;
  params.target_frame = work.target.frame_stride;
  params.target_is_float = work.target.type == PixelType::kFloat ? 1 : 0;
  params.target_width = shape_.width;
  params.target_height = shape_.height;
  params.weight = 1;
  params.alpha_weight = 0;
  params.channels = shape_.has_channel_kernels ? 2 + image : 0;
  const auto units = static_cast<uint32_t>(work.units);
  if (x_.split.parts > 1) {
    params.twiddles = at<k::Twiddles>(*tables_, x_.twiddles_offset);
    params.along_x = 1;
    params.part = x_.split.points;
    stream.launch(*x_.joining,
                  {static_cast<uint32_t>(params.part), static_cast<uint32_t>(params.height), units}, params);
  }
  params.twiddles = at<k::Twiddles>(*tables_, y_.twiddles_offset);
  params.along_x = 0;
  params.part = y_.split.points;
  stream.launch(*y_.joining, {static_cast<uint32_t>(shape_.width), static_cast<uint32_t>(params.part), units},
                params);
}

void LongLines::enqueue_spectrum(Stream& stream, const Buffer& scratch, const KernelImage& kernel,
                                 const Buffer& spectrum, size_t offset_bytes, const Portion& portion) const {
  const double parts = parts_in_all();
  const Source source{pixels_of(kernel), kernel.width, kernel.height, kernel.centre_x, kernel.centre_y, 0, 1};
  if (has_begin(portion))
    for (int image = 0; image < images(); image++) enqueue_split(stream, source, image, true, scratch);
  each_part([&](int image, size_t offset, size_t number) {
    const KernelImage part{
        &scratch, image_offset(image, 1) + offset, x_.split.points, y_.split.points, 0, 0, x_.points()};
    part_->enqueue_spectrum(stream, scratch, part, spectrum, offset_bytes + number * part_->spectrum_bytes(),
                            of_step(portion, double(number) / parts, double(number + 1) / parts));
  });
}

// Splitting and joining are not divided into portions: the convolutions between them take most of
// the time, and those have many portions.
void LongLines::enqueue_pass(Stream& stream, const ConvolutionWork& work, int pass,
                             const Portion& portion) const {
  const int units = work.units;
  if (pass == 0 && has_begin(portion)) {
    const Source source{work.source, shape_.width, shape_.height, 0, 0, static_cast<int>(shape_.padding),
                        units};
    for (int image = 0; image < images(); image++) enqueue_split(stream, source, image, false, *work.scratch);
  }
  if (pass == 1) {
    const double parts = parts_in_all();
    each_part([&](int image, size_t offset, size_t number) {
      const Pixels pixels{work.scratch, image_offset(image, units) + offset, PixelType::kFloat, x_.points(),
                          x_.points() * y_.points()};
      ConvolutionWork part = work;
      part.source = part.target = pixels;
      part.spectrum_offset_bytes = work.spectrum_offset_bytes + number * part_->spectrum_bytes();
      const double begin = double(number) / parts;
      part_->enqueue(stream, part, of_step(portion, begin, begin + 1 / parts));
    });
  }
  if (pass == 2 && has_begin(portion))
    for (int image = 0; image < images(); image++) enqueue_join(stream, work, image);
}

}  // namespace weft::filters::bloom
