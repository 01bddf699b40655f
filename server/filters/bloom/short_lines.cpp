// SPDX-License-Identifier: Apache-2.0
#include "server/filters/bloom/short_lines.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

#include "kernels/bloom/fft_columns.kernel"
#include "kernels/bloom/fft_rows.kernel"
#include "kernels/bloom/fft_rows_back.kernel"
#include "server/graph/frame_layout.h"

namespace weft::filters::bloom {
namespace {

using device::at;
using device::Buffer;
using device::Stream;

constexpr size_t kPointBytes = 2 * kComplexBytes;
constexpr size_t kHalfPointBytes = kPointBytes / 2;
// half of the largest half-float, a margin for rounding
constexpr double kMostStored = 0x1p15;
constexpr int kTileRows = 1 << TILE_ROWS_LOG2;  // kernels/bloom/tiles.h
constexpr size_t kVulkanSizeBytes = 4096;
constexpr size_t kTableAlignment = 128;  // bytes of a GPU's cache line

// Returns the rows of a transform, rounded up to whole tiles.
constexpr int tiled(int rows) { return int(round_up(size_t(rows), size_t{kTileRows})); }

// Returns the largest power of 2 that scales `bound` below kMostStored.
double scale_within(double bound) { return std::exp2(std::floor(std::log2(kMostStored / bound))); }

}  // namespace

ShortLines::ShortLines(device::Device& device, const ConvolutionShape& shape, const ConvolutionPlan& plan)
    : Convolution(device, shape, plan.sides()),
      layout_(plan.layout),
      rows_(plan.rows),
      rows_back_(plan.rows_back),
      columns_{plan.columns} {
  if (layout_ != PointLayout::kHalves) shape_.intermediates = Intermediates::kFp32;
}

StatusOr<std::unique_ptr<ShortLines>> ShortLines::make(device::Device& device, const ConvolutionShape& shape,
                                                       const ConvolutionPlan& plan) {
  std::unique_ptr<ShortLines> made(new ShortLines(device, shape, plan));
  RETURN_IF_ERROR(made->make_tables());
  RETURN_IF_ERROR(made->load_kernels());
  return made;
}

Status ShortLines::make_tables() {
  std::vector<std::byte> bytes;
  const auto append = [&bytes](const auto& values) {
    const size_t offset = round_up(bytes.size(), kTableAlignment);
    bytes.resize(offset + values.size() * sizeof(values[0]));
    std::memcpy(bytes.data() + offset, values.data(), values.size() * sizeof(values[0]));
    return offset;
  };
  columns_.twiddles_offset = append(twiddles(columns_.line.plan));
  for (RowPass* const rows : {&rows_, &rows_back_}) {
    const FftPlan& plan = rows->usual.line.plan;
    rows->usual.twiddles_offset = rows->spread.twiddles_offset = append(twiddles(plan));
    rows->usual.order_offset = rows->spread.order_offset = append(block_order(plan));
  }
  ASSIGN_OR_RETURN(tables_, make_constants(device_, bytes));
  return ok_status();
}

StatusOr<const device::Kernel*> ShortLines::load(std::string_view name, const LinePlan& line,
                                                 std::string_view kept) {
  // Vulkan drivers compile a kernel for each size of shared memory, which takes seconds on a CPU.
  // Sizes are rounded up so that there are only a few.
  const device::DeviceInfo& info = device_.info();
  const size_t unit = info.kind != device::BackendKind::kVulkan ? 1
                      : info.is_software                        ? info.shared_memory_bytes
                                                                : kVulkanSizeBytes;
  const size_t bytes = std::min(round_up(line.shared_bytes, unit), size_t{info.shared_memory_bytes});
  return device_.load(fmt::format("bloom/{}.{}{}", name, line.variant, kept), bytes);
}

Status ShortLines::load_kernels() {
  const std::string_view plain = layout_ == PointLayout::kHalves ? ".rgb" : "";
  const std::string_view kept = shape_.intermediates == Intermediates::kFp16 ? ".rgb_half" : plain;
  for (Pass* const pass : {&rows_.usual, &rows_.spread}) {
    ASSIGN_OR_RETURN(pass->kernel, load("fft_rows", pass->line, kept));
    ASSIGN_OR_RETURN(pass->spectrum_kernel, load("fft_rows", pass->line, plain));
  }
  for (Pass* const pass : {&rows_back_.usual, &rows_back_.spread}) {
    ASSIGN_OR_RETURN(pass->kernel, load("fft_rows_back", pass->line, kept));
  }
  ASSIGN_OR_RETURN(columns_.kernel, load("fft_columns", columns_.line, kept));
  ASSIGN_OR_RETURN(columns_.spectrum_kernel, load("fft_columns", columns_.line, plain));
  return ok_status();
}

int ShortLines::padded_rows() const { return shape_.padding == Padding::kZero ? shape_.height : sides_.y; }

// Returns the points of a transformed row: the first half of the transforms of two real channels,
// four columns at a time. That is as large as the whole complex transform, which the CPU stores.
// With three channels, the row contains two channels of each column and then the third channel of
// each pair of columns, in whole groups.
size_t ShortLines::row_points() const {
  if (layout_ != PointLayout::kHalves) return 8 * (static_cast<size_t>(sides_.x) / 8 + 1);
  return static_cast<size_t>(BLUE_BEGIN(sides_.x)) + blue_points();
}

size_t ShortLines::blue_points() const {
  const auto columns = static_cast<size_t>(sides_.x / 2 + 1);
  return round_up(divide_up(columns, 2), size_t{1} << CHUNK_LOG2);
}

size_t ShortLines::row_bytes() const {
  return row_points() * (shape_.intermediates == Intermediates::kFp16 ? kHalfPointBytes : kPointBytes);
}

double ShortLines::rows_scale() const {
  if (shape_.intermediates == Intermediates::kFp32) return 1;
  return scale_within(2.0 * sides_.x * shape_.brightest);
}

double ShortLines::columns_scale() const {
  if (shape_.intermediates == Intermediates::kFp32) return 1;
  return scale_within(2.0 * shape_.brightest * shape_.kernel_sum);
}

size_t ShortLines::scratch_bytes(int units) const {
  return std::max(static_cast<size_t>(units) * static_cast<size_t>(tiled(padded_rows())) * row_bytes(),
                  static_cast<size_t>(tiled(sides_.y)) * row_points() * kPointBytes);
}

size_t ShortLines::spectrum_bytes() const {
  const size_t points = row_points() * static_cast<size_t>(sides_.y);
  if (shape_.has_channel_kernels) return points * kPointBytes;
  if (layout_ == PointLayout::kHalves)
    return 2 * blue_points() * static_cast<size_t>(sides_.y) * kComplexBytes;
  return (layout_ == PointLayout::kComplex ? points : points / 2) * kComplexBytes;
}

double ShortLines::operations_per_unit() const {
  const double x = sides_.x, y = sides_.y;
  // equivalent columns of four channels
  const double columns = (layout_ == PointLayout::kHalves ? 0.75 : 1) * x;
  return 2 * 5 * (x * std::log2(x) * (padded_rows() + shape_.height) + 2 * y * std::log2(y) * columns);
}

void ShortLines::enqueue_spectrum(Stream& stream, const Buffer& scratch, const KernelImage& kernel,
                                  const Buffer& spectrum, size_t offset_bytes, const Portion& portion) const {
  const double row = std::log2(sides_.x), column = std::log2(sides_.y);
  const double rows = row / (row + column);
  enqueue_rows(stream, pixels_of(kernel), scratch, 1, &kernel, of_step(portion, 0, rows));
  enqueue_columns(stream, scratch, spectrum, offset_bytes, 1, true, of_step(portion, rows, 1));
}

// The shares are proportional to the operations.
std::array<double, ShortLines::kPasses> ShortLines::pass_shares() const {
  const double x = sides_.x, y = sides_.y;
  const double row = x * std::log2(x),
               columns = (layout_ == PointLayout::kHalves ? 1.5 : 2) * x * y * std::log2(y);
  const double all = row * (padded_rows() + shape_.height) + columns;
  return {row * padded_rows() / all, columns / all, row * shape_.height / all};
}

void ShortLines::enqueue_pass(Stream& stream, const ConvolutionWork& work, int pass,
                              const Portion& portion) const {
  if (pass == 0) enqueue_rows(stream, work.source, *work.scratch, work.units, nullptr, portion);
  if (pass == 1)
    enqueue_columns(stream, *work.scratch, *work.spectrum, work.spectrum_offset_bytes, work.units, false,
                    portion);
  if (pass == 2) enqueue_rows_back(stream, work, portion);
}

// Returns the same pass for all portions of a unit, so that block numbers are consecutive.
const ShortLines::Pass& ShortLines::pass_for(const RowPass& rows, int count, int units) const {
  const LinePlan& line = rows.usual.line;
  const auto planes = uint64_t(2 / line.planes);
  const uint64_t all = divide_up(uint64_t(count), uint64_t(line.lines)) * planes * uint64_t(units),
                 at_once = uint64_t{device_.info().compute_units} * uint64_t(line.resident);
  const uint64_t padded_points = round_up(all, at_once);
  return 3 * (padded_points - all) > padded_points ? rows.spread : rows.usual;
}

template <class Params>
void ShortLines::launch_rows(Stream& stream, const Pass& pass, const device::Kernel& kernel, int rows,
                             int units, const Portion& portion, Params& params) const {
  const LinePlan& line = pass.line;
  params.twiddles = at<decltype(params.twiddles)>(*tables_, pass.twiddles_offset);
  params.order = at<decltype(params.order)>(*tables_, pass.order_offset);
  params.radices = line.plan.packed_radices();
  params.passes = static_cast<int>(line.plan.radices.size());
  params.points = sides_.x;
  params.rows = line.lines;
  params.skews = line.skews.packed();
  const Items blocks = items_of(portion, int(divide_up(size_t(rows), size_t(line.lines))));
  params.first_block = blocks.first;
  if (blocks.count == 0) return;
  const uint32_t planes = uint32_t(2 / line.planes);
  stream.launch(kernel, {uint32_t(blocks.count) * planes * kernel.shape().block_x, 1, uint32_t(units)},
                params);
}

void ShortLines::enqueue_rows(Stream& stream, const Pixels& source, const Buffer& target, int units,
                              const KernelImage* kernel, const Portion& portion) const {
  namespace k = kernels::fft_rows;
  k::Params params{};
  params.padded_rows = kernel == nullptr ? padded_rows() : sides_.y;
  const Pass& pass = pass_for(rows_, params.padded_rows, units);
  params.source = at<k::Halves>(*source.buffer, source.offset_bytes);
  params.target = at<k::Points>(target);
  params.source_stride = source.stride;
  params.source_frame = source.frame_stride;
  params.is_float = source.type == PixelType::kFloat ? 1 : 0;
  params.width = kernel == nullptr ? shape_.width : kernel->width;
  params.height = kernel == nullptr ? shape_.height : kernel->height;
  params.padded_height = sides_.y;
  params.padding = kernel == nullptr ? static_cast<int>(shape_.padding) : 0;
  params.shift_x = kernel == nullptr ? 0 : kernel->centre_x;
  params.shift_y = kernel == nullptr ? 0 : kernel->centre_y;
  params.target_stride = static_cast<int>(row_points());
  params.target_frame = params.target_stride * tiled(params.padded_rows);
  params.scale = kernel == nullptr ? static_cast<float>(rows_scale()) : 1.0f;
  launch_rows(stream, pass, kernel == nullptr ? *pass.kernel : *pass.spectrum_kernel, params.padded_rows,
              units, portion, params);
}

void ShortLines::enqueue_columns(Stream& stream, const Buffer& data, const Buffer& spectrum,
                                 size_t spectrum_offset, int units, bool makes_spectrum,
                                 const Portion& portion) const {
  namespace k = kernels::fft_columns;
  k::Params params{};
  params.data = at<k::Points>(data);
  params.spectrum = at<k::Points>(spectrum, spectrum_offset);
  params.twiddles = at<k::Twiddles>(*tables_, columns_.twiddles_offset);
  params.stride = static_cast<int>(row_points());
  params.height = makes_spectrum ? sides_.y : padded_rows();
  params.frame = params.stride * tiled(params.height);
  params.width = sides_.x;
  params.lines_log2 = columns_.line.lines;
  params.mode = (makes_spectrum ? 2 : 0) + (shape_.has_channel_kernels ? 1 : 0);
  // Stored halves contain twice the transform's values, for the kernel and for the frame.
  const bool is_whole = layout_ != PointLayout::kHalves;
  const double spectrum_scale = (is_whole ? 1 : 0.25) / (double(sides_.x) * sides_.y);
  params.scale = static_cast<float>(makes_spectrum ? spectrum_scale : columns_scale() / rows_scale());
  params.radices = columns_.line.plan.packed_radices();
  params.passes = static_cast<int>(columns_.line.plan.radices.size());
  params.points = sides_.y;
  params.skews = columns_.line.skews.packed();
  const Items blocks =
      items_of(portion, layout_ == PointLayout::kWide
                            ? sides_.x / 8 + 1
                            : (params.stride * 2 / columns_.line.planes) >> columns_.line.lines);
  params.first_block = blocks.first;
  if (blocks.count == 0) return;
  const device::Kernel& kernel = makes_spectrum ? *columns_.spectrum_kernel : *columns_.kernel;
  stream.launch(
      kernel, {static_cast<uint32_t>(blocks.count) * kernel.shape().block_x, 1, static_cast<uint32_t>(units)},
      params);
}

void ShortLines::enqueue_rows_back(Stream& stream, const ConvolutionWork& work,
                                   const Portion& portion) const {
  namespace k = kernels::fft_rows_back;
  const Pass& pass = pass_for(rows_back_, shape_.height, work.units);
  k::Params params{};
  params.source = at<k::Points>(*work.scratch);
  params.target = at<k::Halves>(*work.target.buffer, work.target.offset_bytes);
  params.source_stride = static_cast<int>(row_points());
  params.source_frame = params.source_stride * tiled(padded_rows());
  params.target_stride = work.target.stride;
  params.target_frame = work.target.frame_stride;
  params.target_is_float = work.target.type == PixelType::kFloat ? 1 : 0;
  params.width = shape_.width;
  params.height = shape_.height;
  params.weight = static_cast<float>(1 / columns_scale());
  params.alpha_weight = layout_ == PointLayout::kComplex ? params.weight : 0.0f;
  params.factors = static_cast<int>(first_twiddle(pass.line.plan, pass.line.plan.radices.size() - 1));
  launch_rows(stream, pass, *pass.kernel, shape_.height, work.units, portion, params);
}

}  // namespace weft::filters::bloom
