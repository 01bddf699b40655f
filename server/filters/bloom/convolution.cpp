// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/convolution.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/bloom/fft_columns.kernel"
#include "kernels/bloom/fft_rows.kernel"
#include "kernels/bloom/fft_rows_back.kernel"
#include "server/filters/bloom/length_table.h"
#include "server/filters/bloom/long_lines.h"
#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

using device::at;
using device::Buffer;
using device::MemoryKind;
using device::Stream;

constexpr size_t kPointBytes = 2 * kComplexBytes;
constexpr size_t kHalfPointBytes = kPointBytes / 2;
constexpr double kMostStored = 0x1p15;          // half of what a half holds: what was rounded has room
constexpr int kTileRows = 1 << TILE_ROWS_LOG2;  // kernels/bloom/tiles.h

// Rows of a transform, in whole tiles.
constexpr int tiled(int rows) { return int(round_up(size_t(rows), size_t{kTileRows})); }

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
  if (shape.skew < -1 || shape.skew > Skews::kNone)
    return invalid_argument("The skew of lines in shared memory is out of range ({}, from 0 to {}).",
                            shape.skew, Skews::kNone);
  for (const auto& [name, value] :
       {std::pair{"brightest sample", shape.brightest}, std::pair{"kernel's sum", shape.kernel_sum}})
    if (!(value >= 1e-12 && value <= 1e12))
      return invalid_argument("The {} of a convolution is out of range ({:g}, from 1e-12 to 1e12).", name,
                              value);
  return ok_status();
}

// The largest power of 2 that leaves what is at most `bound` below kMostStored.
double scale_within(double bound) { return std::exp2(std::floor(std::log2(kMostStored / bound))); }

Pixels pixels_of(const KernelImage& kernel) {
  const int stride = kernel.stride > 0 ? kernel.stride : kernel.width;
  return {kernel.buffer, kernel.offset_bytes, PixelType::kFloat, stride, 0};
}

uint32_t bytes_of(PixelType type) { return type == PixelType::kHalf ? 8 : 16; }

// Places in an image are counted in 31 bits, in pairs of channels.
constexpr double kMostPoints = 0x1p30 - 1;

Status check_points(const ConvolutionShape& shape) {
  if (double(shape.points_x) * shape.points_y <= kMostPoints) return ok_status();
  return invalid_argument(
      "An image with its kernel's reach is too large for a transform ({} x {} points, at most 2^30 - 1 in "
      "all); make the "
      "image or the kernel smaller.",
      shape.points_x, shape.points_y);
}

}  // namespace

Convolution::Convolution(device::Device& device, const ConvolutionShape& shape)
    : device_(device), shape_(shape) {}
Convolution::~Convolution() = default;

StatusOr<std::unique_ptr<Convolution>> Convolution::make(device::Device& device,
                                                         const ConvolutionShape& asked) {
  RETURN_IF_ERROR(check_shape(asked));
  const ConvolutionShape shape = with_fastest_sides(asked, device.info());
  const RadixSet set = device.info().kind == device::BackendKind::kVulkan ? RadixSet::kFew : RadixSet::kAll;
  std::unique_ptr<Convolution> made(new Convolution(device, shape));
  const bool has_variants =
      !shape.rows_variant.empty() || !shape.columns_variant.empty() || !shape.rows_back_variant.empty();
  made->is_wide_ = device.info().kind == device::BackendKind::kCpu && !shape.is_portable && !has_variants &&
                   !shape.is_complex;
  made->is_rgb_ = !shape.has_alpha && !shape.is_complex && !made->is_wide_;
  if (!made->is_rgb_) made->shape_.intermediates = Intermediates::kFp32;
  ASSIGN_OR_RETURN(const LineSplit split_x, choose_split(shape, LineAxis::kRows, set, device.info()));
  ASSIGN_OR_RETURN(const LineSplit split_y, choose_split(shape, LineAxis::kColumns, set, device.info()));
  if (split_x.parts * split_y.parts > 1) {
    ASSIGN_OR_RETURN(made->long_lines_, LongLines::make(device, shape, split_x, split_y));
    made->shape_.points_x = made->long_lines_->points_x();
    made->shape_.points_y = made->long_lines_->points_y();
    RETURN_IF_ERROR(check_points(made->shape_));
    return made;
  }
  RETURN_IF_ERROR(made->choose_lines(LineAxis::kRows, set));
  RETURN_IF_ERROR(made->choose_rows_back(set));
  RETURN_IF_ERROR(made->choose_lines(LineAxis::kColumns, set));
  RETURN_IF_ERROR(check_points(made->shape_));
  RETURN_IF_ERROR(made->make_tables());
  RETURN_IF_ERROR(made->load_kernels());
  return made;
}

int Convolution::padded_rows() const {
  return shape_.padding == Padding::kZero ? shape_.height : shape_.points_y;
}

// Points of a transformed row: two real channels each of its first half, four columns at a time. As much as the whole
// complex one, which the CPU keeps. Of three channels, two of each column and then the third of each two, in whole pieces.
size_t Convolution::row_points() const {
  if (!is_rgb_) return 8 * (static_cast<size_t>(shape_.points_x) / 8 + 1);
  return static_cast<size_t>(BLUE_BEGIN(shape_.points_x)) + blue_points();
}

size_t Convolution::blue_points() const {
  const auto columns = static_cast<size_t>(shape_.points_x / 2 + 1);
  return round_up(divide_up(columns, 2), size_t{1} << PIECE_LOG2);
}

size_t Convolution::row_bytes() const {
  return row_points() * (shape_.intermediates == Intermediates::kFp16 ? kHalfPointBytes : kPointBytes);
}

double Convolution::rows_scale() const {
  if (shape_.intermediates == Intermediates::kFp32) return 1;
  return scale_within(2.0 * shape_.points_x * shape_.brightest);
}

double Convolution::columns_scale() const {
  if (shape_.intermediates == Intermediates::kFp32) return 1;
  return scale_within(2.0 * shape_.brightest * shape_.kernel_sum);
}

size_t Convolution::scratch_bytes(int units) const {
  if (long_lines_) return long_lines_->scratch_bytes(units);
  return std::max(static_cast<size_t>(units) * static_cast<size_t>(tiled(padded_rows())) * row_bytes(),
                  static_cast<size_t>(tiled(shape_.points_y)) * row_points() * kPointBytes);
}

size_t Convolution::spectrum_bytes() const {
  if (long_lines_) return long_lines_->spectrum_bytes();
  const size_t points = row_points() * static_cast<size_t>(shape_.points_y);
  if (shape_.has_channel_kernels) return points * kPointBytes;
  if (is_rgb_) return 2 * blue_points() * static_cast<size_t>(shape_.points_y) * kComplexBytes;
  return (shape_.is_complex ? points : points / 2) * kComplexBytes;
}

double Convolution::bytes_per_unit(PixelType source, PixelType target) const {
  if (long_lines_) return long_lines_->bytes_per_unit(source, target);
  const double pixels = double(shape_.width) * shape_.height;
  const double rows = double(padded_rows()), rows_back = double(shape_.height);
  return pixels * (bytes_of(source) + bytes_of(target)) + double(row_bytes()) * (2 * rows + 2 * rows_back);
}

double Convolution::operations_per_unit() const {
  if (long_lines_) return long_lines_->operations_per_unit();
  const double x = shape_.points_x, y = shape_.points_y;
  const double columns = (is_rgb_ ? 0.75 : 1) * x;  // of four channels
  return 2 * 5 * (x * std::log2(x) * (padded_rows() + shape_.height) + 2 * y * std::log2(y) * columns);
}

double Convolution::operations_of_spectrum() const {
  const double points = double(shape_.points_x) * shape_.points_y;
  return 2 * 5 * points * std::log2(points);
}

Status Convolution::check_kernel(const KernelImage& kernel) const {
  for (const auto& [name, size, centre, points, reach] :
       {std::tuple{"width", kernel.width, kernel.centre_x, shape_.points_x, shape_.reach_x},
        std::tuple{"height", kernel.height, kernel.centre_y, shape_.points_y, shape_.reach_y}}) {
    if (size < 1 || size > points || centre < 0 || centre >= size)
      return invalid_argument(
          "A kernel's {} or centre is out of range ({} pixels, from 1 to {}; centre {}, inside it).", name,
          size, points, centre);
    if (!shape_.is_circular && std::max(centre, size - 1 - centre) > reach)
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
  enqueue_spectrum(stream, scratch, kernel, *spectrum, 0);
  return spectrum;
}

void Convolution::enqueue_spectrum(Stream& stream, const Buffer& scratch, const KernelImage& kernel,
                                   const Buffer& spectrum, size_t offset_bytes,
                                   const Portion& portion) const {
  if (long_lines_) return long_lines_->enqueue_spectrum(stream, scratch, kernel, spectrum, portion);
  const double row = std::log2(shape_.points_x), column = std::log2(shape_.points_y);
  const double rows = row / (row + column);
  enqueue_rows(stream, pixels_of(kernel), scratch, 1, &kernel, of_step(portion, 0, rows));
  enqueue_columns(stream, scratch, spectrum, offset_bytes, 1, true, of_step(portion, rows, 1));
}

// As their operations are; of lines in parts the first and the last pass do little but go through memory.
std::array<double, Convolution::kPasses> Convolution::pass_shares() const {
  if (long_lines_) return {0.1, 0.75, 0.15};
  const double x = shape_.points_x, y = shape_.points_y;
  const double row = x * std::log2(x), columns = (is_rgb_ ? 1.5 : 2) * x * y * std::log2(y);
  const double all = row * (padded_rows() + shape_.height) + columns;
  return {row * padded_rows() / all, columns / all, row * shape_.height / all};
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

void Convolution::enqueue_pass(Stream& stream, const ConvolutionWork& work, int pass,
                               const Portion& portion) const {
  if (long_lines_) return long_lines_->enqueue_pass(stream, work, pass, portion);
  if (pass == 0) enqueue_rows(stream, work.source, *work.scratch, work.units, nullptr, portion);
  if (pass == 1)
    enqueue_columns(stream, *work.scratch, *work.spectrum, work.spectrum_offset_bytes, work.units, false,
                    portion);
  if (pass == 2) enqueue_rows_back(stream, work, portion);
}

template <class Params>
void Convolution::describe_rows(Params& params, const Line& line) const {
  params.radices = line.plan.packed_radices();
  params.passes = static_cast<int>(line.plan.radices.size());
  params.points = shape_.points_x;
  params.rows = line.lines;
  params.skews = line.skews.packed();
  params.is_complex = shape_.is_complex ? 1 : 0;
}

template <class Params>
void Convolution::launch_rows(Stream& stream, const Line& line, const device::Kernel& kernel, int rows,
                              int units, const Portion& portion, Params& params) const {
  describe_rows(params, line);
  const Items blocks = items_of(portion, int(divide_up(size_t(rows), size_t(line.lines))));
  params.first_block = blocks.first;
  if (blocks.count == 0) return;
  const uint32_t planes = uint32_t(2 / line.planes);
  stream.launch(kernel, {uint32_t(blocks.count) * planes * kernel.shape().block_x, 1, uint32_t(units)},
                params);
}

void Convolution::enqueue_rows(Stream& stream, const Pixels& source, const Buffer& target, int units,
                               const KernelImage* kernel, const Portion& portion) const {
  namespace k = kernels::fft_rows;
  k::Params params{};
  params.padded_rows = kernel == nullptr ? padded_rows() : shape_.points_y;
  const Line& line = rows_for(rows_, params.padded_rows, units);
  params.source = at<k::Halves>(*source.buffer, source.offset_bytes);
  params.target = at<k::Points>(target);
  params.twiddles = at<k::Twiddles>(*tables_, line.twiddles_offset);
  params.order = at<k::Places>(*tables_, line.order_offset);
  params.source_stride = source.stride;
  params.source_frame = source.frame_stride;
  params.is_float = source.type == PixelType::kFloat ? 1 : 0;
  params.width = kernel == nullptr ? shape_.width : kernel->width;
  params.height = kernel == nullptr ? shape_.height : kernel->height;
  params.padded_height = shape_.points_y;
  params.padding = kernel == nullptr ? static_cast<int>(shape_.padding) : 0;
  params.shift_x = kernel == nullptr ? 0 : kernel->centre_x;
  params.shift_y = kernel == nullptr ? 0 : kernel->centre_y;
  params.target_stride = static_cast<int>(row_points());
  params.target_frame = params.target_stride * tiled(params.padded_rows);
  params.scale = kernel == nullptr ? static_cast<float>(rows_scale()) : 1.0f;
  launch_rows(stream, line, kernel == nullptr ? *line.kernel : *line.spectrum_kernel, params.padded_rows,
              units, portion, params);
}

void Convolution::enqueue_columns(Stream& stream, const Buffer& data, const Buffer& spectrum,
                                  size_t spectrum_offset, int units, bool makes_spectrum,
                                  const Portion& portion) const {
  namespace k = kernels::fft_columns;
  k::Params params{};
  params.data = at<k::Points>(data);
  params.spectrum = at<k::Points>(spectrum, spectrum_offset);
  params.twiddles = at<k::Twiddles>(*tables_, columns_.twiddles_offset);
  params.stride = static_cast<int>(row_points());
  params.height = makes_spectrum ? shape_.points_y : padded_rows();
  params.frame = params.stride * tiled(params.height);
  params.width = shape_.points_x;
  params.lines_log2 = columns_.lines;
  params.mode = (makes_spectrum ? 2 : 0) + (shape_.has_channel_kernels ? 1 : 0);
  // Halves of a transform are twice as large as they are, the kernel's and the frame's.
  const bool is_whole = is_wide_ || shape_.is_complex;
  const double spectrum_scale = (is_whole ? 1 : 0.25) / (double(shape_.points_x) * shape_.points_y);
  params.scale = static_cast<float>(makes_spectrum ? spectrum_scale : columns_scale() / rows_scale());
  params.radices = columns_.plan.packed_radices();
  params.passes = static_cast<int>(columns_.plan.radices.size());
  params.points = shape_.points_y;
  params.skews = columns_.skews.packed();
  params.is_complex = shape_.is_complex ? 1 : 0;
  const Items blocks = items_of(
      portion, is_wide_ ? shape_.points_x / 8 + 1 : (params.stride * 2 / columns_.planes) >> columns_.lines);
  params.first_block = blocks.first;
  if (blocks.count == 0) return;
  const device::Kernel& kernel = makes_spectrum ? *columns_.spectrum_kernel : *columns_.kernel;
  stream.launch(
      kernel, {static_cast<uint32_t>(blocks.count) * kernel.shape().block_x, 1, static_cast<uint32_t>(units)},
      params);
}

void Convolution::enqueue_rows_back(Stream& stream, const ConvolutionWork& work,
                                    const Portion& portion) const {
  namespace k = kernels::fft_rows_back;
  const Pixels& scene = work.scene.buffer == nullptr ? work.target : work.scene;
  const Line& line = rows_for(rows_back_, shape_.height, work.units);
  k::Params params{};
  params.source = at<k::Points>(*work.scratch);
  params.target = at<k::Halves>(*work.target.buffer, work.target.offset_bytes);
  params.scene = at<k::Halves>(*scene.buffer, scene.offset_bytes);
  params.twiddles = at<k::Twiddles>(*tables_, line.twiddles_offset);
  params.order = at<k::Places>(*tables_, line.order_offset);
  params.source_stride = static_cast<int>(row_points());
  params.source_frame = params.source_stride * tiled(padded_rows());
  params.target_stride = work.target.stride;
  params.target_frame = work.target.frame_stride;
  params.target_is_float = work.target.type == PixelType::kFloat ? 1 : 0;
  params.scene_is_float = scene.type == PixelType::kFloat ? 1 : 0;
  params.width = shape_.width;
  params.height = shape_.height;
  params.weight = static_cast<float>(work.mix.weight / columns_scale());
  params.scene_weight = work.mix.scene_weight;
  params.alpha_weight = shape_.has_alpha ? static_cast<float>(work.mix.alpha_weight / columns_scale()) : 0.0f;
  params.scene_alpha_weight = work.mix.scene_alpha_weight;
  params.factors = static_cast<int>(first_twiddle(line.plan, line.plan.radices.size() - 1));
  launch_rows(stream, line, *line.kernel, shape_.height, work.units, portion, params);
}

}  // namespace weft::filters::bloom
