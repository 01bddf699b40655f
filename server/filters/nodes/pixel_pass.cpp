// SPDX-License-Identifier: Apache-2.0
#include "server/filters/nodes/pixel_pass.h"

#include <bit>

#include "kernels/picture/resize_pixels.kernel"
#include "server/filters/nodes/layout_node.h"

namespace weft::filters {
namespace {

using Params = kernels::resize_pixels::Params;

int samples_per_unit(PixelType type) { return int(kSlotUnitBytes / (bytes_of_pixel(type) / 4)); }

std::vector<int32_t> table_of(const FilterWeights& filter, bool is_rows) {
  std::vector<int32_t> table(filter.first.begin(), filter.first.end());
  const size_t sides = filter.first.size(), taps = size_t(filter.taps);
  for (size_t i = 0; i < filter.weights.size(); i++) {
    const size_t at = is_rows ? i % sides * taps + i / sides : i;
    table.push_back(std::bit_cast<int32_t>(float(filter.weights[at])));
  }
  return table;
}

}  // namespace

StatusOr<Port> add_pixel_pass(const FilterContext& context, Network& network, Port input,
                              const FilterWeights& filter, bool is_rows, PixelType type) {
  const PortFormat from = network.format(input);
  const int side = int(filter.first.size());
  LayoutNode<Params>::Parts parts;
  parts.descriptor.name = is_rows ? "resize_rows" : "resize_columns";
  parts.descriptor.cost.operations = 150;
  parts.descriptor.inputs = {Window{}};
  parts.descriptor.outputs = {
      PortFormat::image(is_rows ? side : from.width, is_rows ? from.height : side, type)};
  const std::vector<int32_t> table = table_of(filter, is_rows);
  ASSIGN_OR_RETURN(const Constants weights, make_constants_of(context, std::span<const int32_t>(table)));
  parts.complete = [=, taps = filter.taps](const Step&, Params& params) {
    params.slot_samples = samples_per_unit(from.pixels);
    params.weights = device::at<kernels::resize_pixels::Table>(*weights);
    params.taps = taps;
    params.is_rows = is_rows ? 1 : 0;
    params.result_samples = samples_per_unit(type);
  };
  const std::string kernel = fmt::format("picture/resize_pixels.{}.{}", name_of(from.pixels), name_of(type));
  return add_layout_node<Params>(context, network, {input}, kernel, std::move(parts));
}

StatusOr<Port> add_pixel_resize(const FilterContext& context, Network& network, Port input,
                                const v1::Resize& options, int width, int height) {
  const PortFormat from = network.format(input);
  const FilterWeights rows = filter_weights(options, {from.width, width, from.width, width});
  const FilterWeights columns = filter_weights(options, {from.height, height, from.height, height});
  for (const FilterWeights* filter : {&rows, &columns})
    RETURN_IF_ERROR(context.blame("kernel", check_weights(*filter)));
  ASSIGN_OR_RETURN(const Port middle, add_pixel_pass(context, network, input, rows, true, PixelType::kFloat));
  return add_pixel_pass(context, network, middle, columns, false,
                        context.result_pixels.value_or(from.pixels));
}

StatusOr<Port> with_result_pixels(const FilterContext& context, Network& network, Port pixels) {
  const PortFormat format = network.format(pixels);
  if (format.kind != PortKind::kPixels || context.result_pixels.value_or(format.pixels) == format.pixels)
    return pixels;
  const FilterWeights same = filter_weights({}, {format.width, format.width, format.width, format.width});
  return add_pixel_pass(context, network, pixels, same, true, *context.result_pixels);
}

}  // namespace weft::filters
