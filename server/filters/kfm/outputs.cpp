// SPDX-License-Identifier: Apache-2.0
#include "kernels/telecine/choose.kernel"
#include "kernels/telecine/still_parts.kernel"
#include "kernels/telecine/stills.kernel"
#include "server/filters/kfm/cells.h"

namespace weft::filters::kfm {
namespace {

struct StillParts {
  NodeDescriptor descriptor;
  const device::Kernel* kernel;
  VideoFormat format;
  int run;
};

class StillMeasures final : public NodeOf<StillParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<kernels::still_parts::Params>(step, parts_.run);
    params.depth_shift = parts_.format.bit_depth - 8;
    stream.launch(*parts_.kernel, picture_grid(parts_.format, step.units, parts_.run), params);
  }
};

class Stills final : public NodeOf<StillParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    const VideoFormat& format = parts_.format;
    kernels::stills::Params params = {};
    set_slot_params(step, parts_.run, 1, params);
    params.width = format.width;
    params.height = format.height;
    params.chroma_width = format.plane_width(1);
    params.chroma_height = format.plane_height(1);
    params.chroma_shift_x = log2_of(columns_of_chroma(format.chroma));
    params.chroma_shift_y = log2_of(rows_of_chroma(format.chroma));
    params.planes = format.planes();
    stream.launch(*parts_.kernel,
                  {uint32_t((format.width + parts_.run - 1) / parts_.run), uint32_t(format.height),
                   uint32_t(step.units)},
                  params);
  }
};

// Numbers of inputs of the node below: with still parts alone, and without one-sided 60p frames.
constexpr size_t kStillInputs = 3, kOutputInputs = 7;

// Chooses output frames, or only inserts still parts into 60p frames.
class Outputs final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<kernels::choose::Params>(step, parts_.run);
    const std::vector<int>& inputs = step.shape->inputs;
    const bool is_fields = inputs.size() == kStillInputs;
    // Inputs that are not read repeat the first one.
    params.frame = inputs[is_fields ? 1 : 0];
    params.fields = inputs[is_fields ? 0 : 1];
    params.stills = inputs[2];
    params.film = inputs[is_fields ? 0 : 3];
    params.film_mask = inputs[is_fields ? 0 : 4];
    params.frames = inputs[is_fields ? 0 : 5];
    params.frame_mask = inputs[is_fields ? 0 : 6];
    params.before = inputs[inputs.size() > kOutputInputs ? 7 : 0];
    params.after = inputs[inputs.size() > kOutputInputs ? 8 : 0];
    params.word = is_fields ? OUTPUT_WORD(SOURCE_60P, 0, 0, 0) : -1;
    params.grid_columns = parts_.sizes.grid_columns;
    params.grid_rows = parts_.sizes.grid_rows;
    const VideoFormat& format = step.outputs[0]->format.video;
    params.chroma_shift_x = log2_of(columns_of_chroma(format.chroma));
    params.chroma_shift_y = log2_of(rows_of_chroma(format.chroma));
    stream.launch(*parts_.kernel, picture_grid(format, step.units, parts_.run), params);
  }
};

}  // namespace

StatusOr<Port> add_stills(const FilterContext& context, Network& network, Port frames) {
  const VideoFormat format = network.format(frames).video;
  StillParts measures{.descriptor = {}, .kernel = nullptr, .format = format, .run = run_of(context)};
  StillParts stills = measures;
  size_t samples = 0;
  for (int plane = 0; plane < format.planes(); plane++)
    samples += size_t(format.plane_width(plane)) * size_t(format.plane_height(plane));
  ASSIGN_OR_RETURN(measures.kernel, load_for(context, "telecine/still_parts", format));
  measures.descriptor.name = "kfm_still_measures";
  measures.descriptor.inputs = {{.before = 3, .after = 3}};
  measures.descriptor.outputs = {PortFormat::data("still parts", 2 * samples)};
  measures.descriptor.cost = {.frames_read = 1, .frames_written = 2, .operations = 40};
  ASSIGN_OR_RETURN(const Port measured,
                   network.add(std::make_unique<StillMeasures>(std::move(measures)), {frames}));
  ASSIGN_OR_RETURN(stills.kernel, context.load("telecine/stills"));
  stills.descriptor.name = "kfm_stills";
  stills.descriptor.inputs = {Window()};
  stills.descriptor.outputs = {PortFormat::data("stills", size_t(format.width) * size_t(format.height))};
  stills.descriptor.cost = {.frames_read = 2, .frames_written = 0.7, .operations = 40};
  return network.add(std::make_unique<Stills>(std::move(stills)), {measured});
}

StatusOr<Port> add_outputs(const FilterContext& context, Network& network, const OutputPorts& ports,
                           const OutputTables& tables) {
  const VideoFormat format = network.format(ports.frames).video;
  CellParts parts = cell_parts(context, format, kSamplesOfLane);
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, "telecine/choose", format));
  parts.descriptor.name = "kfm_outputs";
  const OutputUnits units = tables.units();
  parts.descriptor.maps = {nullptr,          units.fields, units.stills,     units.film,
                           units.film_masks, units.frames, units.frame_masks};
  std::vector<Port> inputs{ports.frames,    ports.fields,     ports.stills,    ports.film,
                           ports.film_mask, ports.frames_30p, ports.frame_mask};
  if (ports.sided.before.id >= 0) {
    parts.descriptor.maps.insert(parts.descriptor.maps.end(), {units.before, units.after});
    inputs.insert(inputs.end(), {ports.sided.before, ports.sided.after});
  }
  parts.descriptor.inputs.assign(inputs.size(), Window());
  parts.descriptor.outputs = {network.format(ports.frames)};
  parts.descriptor.rule = by_map(tables.map(), true);
  parts.descriptor.cost = {.frames_read = 2, .frames_written = 1, .operations = 20};
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   network.add_node(std::make_unique<Outputs>(std::move(parts)), inputs));
  return outputs[0];
}

StatusOr<Port> add_still_parts(const FilterContext& context, Network& network, Port fields, Port frames,
                               Port stills) {
  const VideoFormat format = network.format(fields).video;
  CellParts parts = cell_parts(context, format, kSamplesOfLane);
  ASSIGN_OR_RETURN(parts.kernel, load_for(context, "telecine/choose", format));
  auto frame_of_field = std::make_shared<UnitMap>();
  frame_of_field->per = 2;
  parts.descriptor.name = "kfm_still_parts";
  parts.descriptor.inputs.assign(3, Window());
  parts.descriptor.maps = {nullptr, frame_of_field, frame_of_field};
  parts.descriptor.outputs = {network.format(fields)};
  parts.descriptor.cost = {.frames_read = 2.7, .frames_written = 1, .operations = 10};
  return network.add(std::make_unique<Outputs>(std::move(parts)), {fields, frames, stills});
}

}  // namespace weft::filters::kfm
