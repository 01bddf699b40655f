// SPDX-License-Identifier: Apache-2.0
// Registers the bilateral filter, on a grid or sample by sample. Each plane is filtered by its own
// values, and images by their colours, pixel by pixel.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/denoise/bilateral_blur.kernel"
#include "kernels/denoise/bilateral_direct.kernel"
#include "kernels/denoise/bilateral_pixels.kernel"
#include "kernels/denoise/bilateral_slice.kernel"
#include "kernels/denoise/bilateral_splat.kernel"
#include "server/filters/nodes/layout_node.h"
#include "server/filters/nodes/rows_node.h"
#include "weft/v1/enhance.pb.h"

namespace weft::filters::registered {
namespace {

using BlurParams = kernels::bilateral_blur::Params;
using DirectParams = kernels::bilateral_direct::Params;
using PixelParams = kernels::bilateral_pixels::Params;
using SliceParams = kernels::bilateral_slice::Params;
using SplatParams = kernels::bilateral_splat::Params;

// pixels per cell; with smaller cells a grid is not faster than the samples themselves
constexpr double kFinestGrid = 4;
constexpr double kDeviationsReach = 3;  // deviations from which on a weight is 0
constexpr int64_t kMostCell = 64;       // pixels per side: the maximum of the option
static_assert((kMostCell + 1) * (kMostCell + 1) * UINT16_MAX <= INT32_MAX, "A cell's sum is an int.");

struct Deviations {
  double luma_x, luma_y, chroma_x, chroma_y, value;  // samples, except `value`: code values
};

Deviations deviations_of(const v1::Bilateral& options, const VideoFormat& format) {
  const double sigma = options.sigma();
  return {sigma, sigma, sigma / columns_of_chroma(format.chroma), sigma / rows_of_chroma(format.chroma),
          options.range() * double((1 << format.bit_depth) - 1)};
}

// Returns the normal distribution without its factor.
float bell_at(int distance, double deviation) {
  return float(std::exp(-0.5 * (distance / deviation) * (distance / deviation)));
}

uint32_t lanes_of(int all, int of_lane) { return uint32_t(all + of_lane - 1) / uint32_t(of_lane); }

// Returns the number of cells along a side. The last cell is beyond the last sample, so that each
// sample is between two cells.
int cells_along(int samples, double cell) { return int(std::floor((samples - 1) / cell + 0.5)) + 2; }

class GridNode final : public Node {
 public:
  GridNode(const PortFormat& format, const Deviations& deviations) : deviations_(deviations) {
    descriptor_.name = "bilateral";
    descriptor_.cost.operations = 1200;
    descriptor_.inputs = {Window{}};
    descriptor_.outputs = {format};
    const VideoFormat& video = format.video;
    bins_ = cells_along(1 << video.bit_depth, deviations.value);
    columns_ = cells_along(video.width, deviations.luma_x);
    rows_ = cells_along(video.height, deviations.luma_y);
    if (video.planes() == 1) return;
    chroma_columns_ = cells_along(video.plane_width(1), deviations.chroma_x);
    chroma_rows_ = cells_along(video.plane_height(1), deviations.chroma_y);
  }

  Status load(const FilterContext& context, const VideoFormat& format) {
    run_ = run_of(context, 1);
    slice_run_ = std::max(run_, 2);
    ASSIGN_OR_RETURN(slice_, load_for(context, "denoise/bilateral_slice", format));
    ASSIGN_OR_RETURN(blur_, context.load("denoise/bilateral_blur"));
    if (context.device == nullptr) return ok_status();
    ASSIGN_OR_RETURN(splat_,
                     context.device->load(fmt::format("denoise/bilateral_splat.{}", sample_name(format)),
                                          size_t(bins_) * SPLAT_LANES * kCellBytes));
    return ok_status();
  }

  const NodeDescriptor& descriptor() const override { return descriptor_; }
  size_t scratch_bytes(int units) const override { return 2 * grid_bytes(units); }

  void enqueue(device::Stream& stream, const Step& step) override {
    const VideoFormat& format = step.outputs[0]->format.video;
    const uint32_t planes = uint32_t(step.units * format.planes());
    auto splat = frame_params<SplatParams>(step, run_);
    set_grid(splat);
    splat.grid = device::at<decltype(SplatParams::grid)>(*step.scratch);
    splat.cell_x = float(deviations_.luma_x);
    splat.cell_y = float(deviations_.luma_y);
    splat.chroma_cell_x = float(deviations_.chroma_x);
    splat.chroma_cell_y = float(deviations_.chroma_y);
    splat.bins_of_value = float(1 / deviations_.value);
    stream.launch(*splat_, {lanes_of(columns_, SPLAT_CELLS) * SPLAT_LANES, uint32_t(rows_), planes}, splat);

    BlurParams blur{};
    set_grid(blur);
    blur.source = device::at<decltype(BlurParams::source)>(*step.scratch);
    blur.target = device::at<decltype(BlurParams::target)>(*step.scratch, grid_bytes(step.units));
    blur.planes = format.planes();
    stream.launch(*blur_, {uint32_t(columns_ * bins_), lanes_of(rows_, BLUR_ROWS), planes}, blur);

    auto slice = frame_params<SliceParams>(step, run_);
    set_grid(slice);
    slice.grid = device::at<decltype(SliceParams::grid)>(*step.scratch, grid_bytes(step.units));
    slice.cells_of_x = float(1 / deviations_.luma_x);
    slice.cells_of_y = float(1 / deviations_.luma_y);
    slice.chroma_cells_of_x = float(1 / deviations_.chroma_x);
    slice.chroma_cells_of_y = float(1 / deviations_.chroma_y);
    slice.bins_of_value = splat.bins_of_value;
    slice.run = slice_run_;
    device::Grid slices = picture_grid(format, step.units, slice_run_);
    slices.y = lanes_of(format.height, SLICE_ROWS);
    stream.launch(*slice_, slices, slice);
  }

 private:
  static constexpr size_t kCellBytes = 2 * sizeof(float);

  template <class Params>
  void set_grid(Params& params) const {
    params.bins = bins_;
    params.columns = columns_;
    params.rows = rows_;
    params.chroma_columns = chroma_columns_;
    params.chroma_rows = chroma_rows_;
  }
  size_t grid_bytes(int units) const {
    const size_t cells =
        size_t(columns_) * size_t(rows_) + 2 * size_t(chroma_columns_) * size_t(chroma_rows_);
    return (size_t(units) * cells * size_t(bins_) * kCellBytes + 255) / 256 * 256;
  }

  Deviations deviations_;
  int bins_ = 0, columns_ = 0, rows_ = 0, chroma_columns_ = 0, chroma_rows_ = 0;
  const device::Kernel *splat_ = nullptr, *blur_ = nullptr, *slice_ = nullptr;
  int run_ = 1, slice_run_ = 1;
  NodeDescriptor descriptor_;
};

StatusOr<Port> add_grid(const FilterContext& context, Network& network, Port input,
                        const Deviations& deviations) {
  const PortFormat& format = network.format(input);
  auto node = std::make_unique<GridNode>(format, deviations);
  RETURN_IF_ERROR(node->load(context, format.video));
  return network.add(std::move(node), {input});
}

StatusOr<Port> add_direct(const FilterContext& context, Network& network, Port input,
                          const Deviations& deviations) {
  const VideoFormat& format = network.format(input).video;
  std::vector<float> weights;
  std::array<int, 4> radii{};
  const std::array by_distance = {deviations.luma_x, deviations.luma_y, deviations.chroma_x,
                                  deviations.chroma_y};
  const auto add_weights = [&](int count, double deviation) {
    for (int i = 0; i < count; i++) weights.push_back(bell_at(i, deviation));
  };
  for (size_t i = 0; i < radii.size(); i++) {
    radii[i] = int(std::ceil(kDeviationsReach * by_distance[i]));
    add_weights(radii[i] + 1, by_distance[i]);
  }
  add_weights(1 << format.bit_depth, deviations.value);
  FrameNode<DirectParams>::Parts parts;
  parts.descriptor.name = "bilateral";
  parts.descriptor.cost.operations = 20.0 * (2 * radii[0] + 1) * (2 * radii[1] + 1);
  parts.descriptor.inputs = {Window{}};
  ASSIGN_OR_RETURN(const Constants constants, make_constants_of(context, std::span<const float>(weights)));
  parts.complete = [constants, radii](const Step&, DirectParams& params) {
    params.weights = device::at<kernels::bilateral_direct::Weights>(*constants);
    params.radius_x = radii[0];
    params.radius_y = radii[1];
    params.chroma_radius_x = radii[2];
    params.chroma_radius_y = radii[3];
  };
  return add_frame_node<DirectParams>(context, network, {input}, "denoise/bilateral_direct",
                                      std::move(parts));
}

// Adds the filter for images. Their samples are light and may exceed white, so that no grid has
// cells for all of them. The range from black to white is 1.
StatusOr<Port> add_pixels(const FilterContext& context, const v1::Bilateral& options, Network& network,
                          Port input) {
  const PortFormat format = network.format(input);
  const int radius = int(std::ceil(kDeviationsReach * options.sigma()));
  std::vector<float> weights;
  for (int i = 0; i <= radius; i++) weights.push_back(bell_at(i, options.sigma()));
  ASSIGN_OR_RETURN(const Constants constants, make_constants_of(context, std::span<const float>(weights)));
  RowsNode<PixelParams>::Parts parts;
  parts.descriptor.name = "bilateral";
  const PixelType type = context.result_pixels.value_or(format.pixels);
  parts.descriptor.outputs = {PortFormat::image(format.width, format.height, type)};
  constexpr double kPixelOperations = 30;  // operations per neighbouring pixel
  parts.shape = {uint32_t(format.width), format.height,
                 kPixelOperations * (2 * radius + 1) * (2 * radius + 1)};
  parts.complete = [=, falloff = float(0.5 / (options.range() * options.range()))](const Step& step, int unit,
                                                                                   PixelParams& params) {
    params.source = source_of<kernels::bilateral_pixels::Pixels>(step, unit);
    params.target = target_of<kernels::bilateral_pixels::Result>(step, unit);
    params.weights = device::at<kernels::bilateral_pixels::Weights>(*constants);
    params.width = format.width;
    params.height = format.height;
    params.radius = radius;
    params.falloff = falloff;
  };
  if (options.method() == v1::BILATERAL_METHOD_GRID)
    network.add_note("The bilateral filter of images is computed pixel by pixel: a grid is of video alone.");
  return add_rows_node<PixelParams>(
      context, network, {input},
      fmt::format("denoise/bilateral_pixels.{}.{}", name_of(format.pixels), name_of(type)), std::move(parts));
}

StatusOr<Port> expand(const FilterContext& context, const v1::Bilateral& options, Network& network,
                      Port input) {
  network.set_inexact();
  if (network.format(input).kind == PortKind::kPixels) return add_pixels(context, options, network, input);
  const Deviations deviations = deviations_of(options, network.format(input).video);
  if (options.method() == v1::BILATERAL_METHOD_DIRECT) return add_direct(context, network, input, deviations);
  if (options.sigma() >= kFinestGrid) return add_grid(context, network, input, deviations);
  network.add_note(fmt::format(
      "The bilateral filter is computed sample by sample: a grid needs a width of at least {:g} pixels.",
      kFinestGrid));
  return add_direct(context, network, input, deviations);
}

// 8-bit code values; difference between sums of thousands of floats and sums in double precision
constexpr double kTolerance = 0.02;

constexpr Case kCases[] = {
    {"", {97, 65, Chroma::k420, 8}},
    {"sigma: 5.5 range: 0.03", {64, 48, Chroma::k422, 10}},
    {"sigma: 9 range: 1", {37, 50, Chroma::k444, 16}},
    {"sigma: 2 range: 0.2 method: BILATERAL_METHOD_DIRECT", {37, 50, Chroma::k420, 8}},
    {"sigma: 1.5", {31, 22, Chroma::k422, 10}},
};

}  // namespace

extern const Registration kBilateral;
const Registration kBilateral =
    registration<v1::Bilateral, expand>({.takes_images = true}, kCases, 0, kTolerance);

}  // namespace weft::filters::registered
