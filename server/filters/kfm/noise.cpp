// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <memory>

#include "kernels/telecine/cells.h"
#include "kernels/telecine/field_noise.kernel"
#include "kernels/telecine/noise_sums.kernel"
#include "kernels/telecine/pair_combs.kernel"
#include "kernels/telecine/pick.kernel"
#include "server/filters/deinterlace/field_timing.h"
#include "server/filters/kfm/cells.h"

namespace weft::filters::kfm {
namespace {

// Sizes of the pictures of a field's noise.
struct NoiseSizes {
  int crop_x, crop_y;  // samples left out on each side of a chroma plane
  int64_t luma, all;   // samples

  static NoiseSizes of(const VideoFormat& format) {
    NoiseSizes sizes{NOISE_CROP / columns_of_chroma(format.chroma),
                     NOISE_CROP / rows_of_chroma(format.chroma), 0, 0};
    sizes.luma = int64_t{format.width - 2 * NOISE_CROP} * (format.height / 2 - 2 * NOISE_CROP);
    const int64_t chroma =
        int64_t{format.plane_width(1) - 2 * sizes.crop_x} * (format.plane_height(1) / 2 - 2 * sizes.crop_y);
    sizes.all = sizes.luma + (format.planes() - 1) * chroma;
    return sizes;
  }
};

struct NoiseParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel;
  VideoFormat format;
  int run;
};

class FieldNoiseNode final : public NodeOf<NoiseParts> {
 public:
  using NodeOf::NodeOf;
  size_t scratch_bytes(int units) const override {
    return size_t(units) * 2 * size_t(NoiseSizes::of(parts_.format).all) *
           size_t(parts_.format.sample_bytes());
  }
  void enqueue(device::Stream& stream, const Step& step) override {
    using Params = kernels::field_noise::Params;
    const NoiseSizes sizes = NoiseSizes::of(parts_.format);
    auto params = frame_params<Params>(step, parts_.run);
    params.blurred = device::at<decltype(Params::blurred)>(*step.scratch);
    params.crop_x = sizes.crop_x;
    params.crop_y = sizes.crop_y;
    params.depth = parts_.format.bit_depth;
    const device::Grid grid = {uint32_t((parts_.format.width + parts_.run - 1) / parts_.run),
                               uint32_t(parts_.format.height / 2),
                               uint32_t(2 * step.units * parts_.format.planes())};
    for (const int task : {TASK_COLUMNS, TASK_ROWS}) {
      params.task = task;
      stream.launch(*parts_.kernel, grid, params);
    }
  }
};

class NoiseSums final : public NodeOf<NoiseParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.fill(*step.arena, step.output_offset(0, unit), SUM_INTS * sizeof(uint32_t), std::byte{0});
    const NoiseSizes sizes = NoiseSizes::of(parts_.format);
    kernels::noise_sums::Params params = {};
    set_slot_params(step, 1, 1, params);
    params.luma = int(sizes.luma);
    params.all = int(sizes.all);
    const int64_t most = std::max(sizes.luma, sizes.all - sizes.luma);
    stream.launch(*parts_.kernel,
                  {uint32_t((most + SUM_RUN - 1) / SUM_RUN), parts_.format.planes() > 1 ? 2u : 1u,
                   uint32_t(step.units)},
                  params);
  }
};

class PairCombs final : public NodeOf<NoiseParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      for (int field = 0; field < 2; field++)
        stream.fill(*step.arena, step.output_offset(0, unit, field), SUM_INTS * sizeof(uint32_t),
                    std::byte{0});
    const auto params = frame_params<kernels::pair_combs::Params>(step, 1);
    stream.launch(*parts_.kernel,
                  {uint32_t((parts_.format.width + SUM_RUN - 1) / SUM_RUN), uint32_t(parts_.format.height),
                   uint32_t(2 * step.units * parts_.format.planes())},
                  params);
  }
};

class Pick final : public NodeOf<NoiseParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<kernels::pick::Params>(step, parts_.run);
    params.second = step.shape->inputs[1];
    params.third = step.shape->inputs[2];
    stream.launch(*parts_.kernel, picture_grid(parts_.format, step.units, parts_.run), params);
  }
};

}  // namespace

StatusOr<Port> add_field_noise(const FilterContext& context, Network& network, Port frames, Port counts,
                               v1::Parity parity) {
  const VideoFormat format = network.format(frames).video;
  const NoiseParts parts{.descriptor = {}, .kernel = nullptr, .format = format, .run = run_of(context)};
  const size_t record = SUM_INTS * sizeof(uint32_t);
  NoiseParts noise = parts, sums = parts, combs = parts;
  ASSIGN_OR_RETURN(noise.kernel, load_for(context, "telecine/field_noise", format));
  noise.descriptor.name = "kfm_field_noise";
  noise.descriptor.inputs = {Window()};
  noise.descriptor.outputs = {PortFormat::data("field noise", size_t(NoiseSizes::of(format).all))};
  noise.descriptor.rule = by_fields({.per_field = true, .parity = parity});
  noise.descriptor.cost = {.frames_read = 1, .frames_written = 1, .operations = 60};
  ASSIGN_OR_RETURN(const Port pictures,
                   network.add(std::make_unique<FieldNoiseNode>(std::move(noise)), {frames}));
  ASSIGN_OR_RETURN(sums.kernel, context.load("telecine/noise_sums"));
  sums.descriptor.name = "kfm_noise_sums";
  sums.descriptor.inputs = {{.before = 0, .after = 1}};
  sums.descriptor.outputs = {PortFormat::data("noise sums", record)};
  sums.descriptor.cost = {.frames_read = 1, .frames_written = 0, .operations = 10};
  ASSIGN_OR_RETURN(const Port summed, network.add(std::make_unique<NoiseSums>(std::move(sums)), {pictures}));
  ASSIGN_OR_RETURN(combs.kernel, load_for(context, "telecine/pair_combs", format));
  combs.descriptor.name = "kfm_pair_combs";
  combs.descriptor.inputs = {{.before = 0, .after = 1}};
  combs.descriptor.outputs = {PortFormat::data("pair combs", record)};
  combs.descriptor.rule = by_fields({.per_field = true, .parity = parity});
  combs.descriptor.cost = {.frames_read = 1.5, .frames_written = 0, .operations = 20};
  ASSIGN_OR_RETURN(const Port combed, network.add(std::make_unique<PairCombs>(std::move(combs)), {frames}));
  return add_joined_records(network, {counts, summed, combed}, {});
}

std::vector<FieldNoise> measured_noise(const graph::Records& records, const VideoFormat& format) {
  const NoiseSizes sizes = NoiseSizes::of(format);
  const auto chroma = double(sizes.all - sizes.luma);
  const double of_chroma = columns_of_chroma(format.chroma) * rows_of_chroma(format.chroma) / 4.0;
  const double scale = std::ldexp(1.0, format.bit_depth - 8);
  std::vector<FieldNoise> all;
  for (size_t unit = 0; unit < records.size(); unit++) {
    const auto sum = [&](size_t first, size_t index) {
      const auto part = [&](size_t at) {
        return double(uint32_t(number_of(records, unit, COUNTS_INTS + first + at)));
      };
      return part(2 * index) + SUM_LOW * part(2 * index + 1);
    };
    const double combs =
        sum(SUM_INTS, SUM_COMB) / scale + sum(SUM_INTS, SUM_CHROMA + SUM_COMB) / scale * of_chroma;
    all.push_back({.luma = sum(0, SUM_NOISE) / double(sizes.luma),
                   .chroma = chroma > 0 ? sum(0, SUM_CHROMA + SUM_NOISE) / chroma : 0,
                   .luma_change = sum(0, SUM_CHANGE) / double(sizes.luma),
                   .chroma_change = chroma > 0 ? sum(0, SUM_CHROMA + SUM_CHANGE) / chroma : 0,
                   .comb = combs / (6.0 * format.width * format.height) * 100});
  }
  return all;
}

StatusOr<Port> add_replaced(const FilterContext& context, Network& network, Port pictures,
                            const SidedPorts& fields, const ReplacedUnits& units) {
  const VideoFormat format = network.format(pictures).video;
  NoiseParts parts{.descriptor = {}, .kernel = nullptr, .format = format, .run = run_of(context)};
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, "telecine/pick", format));
  parts.descriptor.name = "kfm_replaced";
  parts.descriptor.inputs.assign(3, Window());
  parts.descriptor.maps = {nullptr, units.before, units.after};
  parts.descriptor.outputs = {network.format(pictures)};
  parts.descriptor.rule = by_map(units.choices);
  return network.add(std::make_unique<Pick>(std::move(parts)), {pictures, fields.before, fields.after});
}

}  // namespace weft::filters::kfm
