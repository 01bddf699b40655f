// SPDX-License-Identifier: Apache-2.0
#include "kernels/telecine/field_cells.kernel"
#include "kernels/telecine/field_counts.kernel"
#include "server/filters/deinterlace/field_timing.h"
#include "server/filters/kfm/cells.h"

namespace weft::filters::kfm {
namespace {

class FieldCells final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    auto params = frame_params<kernels::field_cells::Params>(step, parts_.run);
    parts_.sizes.set(params);
    params.shift = 4 + step.inputs[0]->frame.format.bit_depth - 8;
    stream.launch(*parts_.kernel, parts_.sizes.grid(step.units, parts_.run), params);
  }
};

class FieldCountsNode final : public NodeOf<CellParts> {
 public:
  using NodeOf::NodeOf;
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      stream.fill(*step.arena, step.output_offset(1, unit), COUNTS_INTS * sizeof(uint32_t), std::byte{0});
    kernels::field_counts::Params params = {};
    set_slot_params(step, parts_.run, 1, params);
    parts_.sizes.set(params);
    params.planes = parts_.sizes.planes;
    params.combs_target = step.shape->targets[0];
    params.record_target = step.shape->targets[1];
    stream.launch(*parts_.kernel, parts_.sizes.grid(step.units, parts_.run), params);
  }
};

// Copies the records of all inputs into one.
class JoinedRecords final : public Node {
 public:
  explicit JoinedRecords(NodeDescriptor descriptor) : descriptor_(std::move(descriptor)) {}
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++) {
      size_t at = step.output_offset(0, unit);
      for (size_t input = 0; input < step.inputs.size(); input++) {
        const size_t bytes = step.inputs[input]->format.bytes;
        stream.copy(*step.arena, at, *step.arena, step.input_offset(int(input), unit), bytes);
        at += bytes;
      }
    }
  }

 private:
  NodeDescriptor descriptor_;
};

}  // namespace

StatusOr<FieldStatistics> add_field_statistics(const FilterContext& context, Network& network, Port frames,
                                               v1::Parity parity) {
  const VideoFormat format = network.format(frames).video;
  CellParts cells = cell_parts(context, format);
  CellParts counts = cells;
  ASSIGN_OR_RETURN(cells.kernel, load_for(context, "telecine/field_cells", format));
  cells.descriptor.name = "kfm_field_cells";
  cells.descriptor.inputs = {{.before = 0, .after = 1}};
  cells.descriptor.outputs = {PortFormat::data("field cells", CELLS_HEADER + 2 * cells.sizes.bytes())};
  cells.descriptor.rule = by_fields({.per_field = true, .parity = parity});
  cells.descriptor.cost = {.frames_read = 1, .frames_written = 0.25, .operations = 100};
  ASSIGN_OR_RETURN(const Port measured,
                   network.add(std::make_unique<FieldCells>(std::move(cells)), {frames}));
  ASSIGN_OR_RETURN(counts.kernel, context.load("telecine/field_counts"));
  counts.descriptor.name = "kfm_field_counts";
  counts.descriptor.inputs = {{.before = 1, .after = 0}};
  counts.descriptor.outputs = {PortFormat::data("combs", counts.sizes.bytes()),
                               PortFormat::data("field counts", COUNTS_INTS * sizeof(uint32_t))};
  const Port inputs[] = {measured};
  ASSIGN_OR_RETURN(const std::vector<Port> ports,
                   network.add_node(std::make_unique<FieldCountsNode>(std::move(counts)), inputs));
  return FieldStatistics{ports[0], ports[1]};
}

StatusOr<Port> add_joined_records(Network& network, std::initializer_list<Port> records,
                                  std::vector<UnitMapPtr> maps) {
  NodeDescriptor descriptor;
  descriptor.name = "kfm_records";
  descriptor.inputs.assign(records.size(), {});
  descriptor.maps = std::move(maps);
  size_t bytes = 0;
  for (const Port record : records) bytes += network.format(record).bytes;
  descriptor.outputs = {PortFormat::data("records", bytes)};
  return network.add(std::make_unique<JoinedRecords>(std::move(descriptor)), records);
}

MeasuredFields measured_fields(const graph::Records& records, const VideoFormat& format) {
  MeasuredFields fields;
  // Chroma counts as much as in 4:2:0, where it has a quarter of the samples.
  const int chroma = columns_of_chroma(format.chroma) * rows_of_chroma(format.chroma);
  for (size_t unit = 0; unit < records.size(); unit++) {
    const auto count = [&](size_t index) {
      return number_of(records, unit, index) + number_of(records, unit, index + COUNTS_CHROMA) * chroma / 4;
    };
    fields.counts.push_back({count(0), count(1), count(2)});
    if (unit % 2 != 0) continue;
    const int flags = number_of(records, unit, COUNTS_FLAGS);
    fields.begins_run.push_back((flags & COUNTS_FIRST) != 0);
    fields.bottom_first.push_back((flags & COUNTS_BOTTOM) != 0);
  }
  return fields;
}

}  // namespace weft::filters::kfm
