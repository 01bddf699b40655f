// SPDX-License-Identifier: Apache-2.0
// Contains the parts that deinterlacers share: the descriptor of their nodes, the properties of
// their pictures, and a node of one launch.
#pragma once

#include <functional>
#include <string_view>
#include <utility>

#include "server/filters/deinterlace/field_timing.h"
#include "server/filters/nodes/picture_node.h"

namespace weft::filters {

// Returns the descriptor of a deinterlacer. `operations` are those of an output sample (CostShape).
template <class Options>
NodeDescriptor deinterlacer(std::string_view name, const Window& window, double operations,
                            const Options& options, const PortFormat& format) {
  NodeDescriptor descriptor;
  descriptor.name = name;
  descriptor.inputs = {window};
  descriptor.outputs = {format};
  descriptor.rule = by_fields(field_rule_of(options));
  descriptor.cost.frames_written = options.rate() == v1::OUTPUT_RATE_FIELD ? 2 : 1;
  descriptor.cost.operations = operations * descriptor.cost.frames_written;
  return descriptor;
}

inline Port progressive(Network& network, Port pictures) {
  PictureProperties properties = network.properties(pictures);
  properties.interlaced = false;
  properties.progressive = true;
  network.set_properties(pictures, properties);
  return pictures;
}

template <class Options>
void note_progressive(Network& network, Port input, const Options& options) {
  if (network.properties(input).progressive && options.frames() == v1::FRAME_SELECTION_ALL)
    network.add_note(
        "The input says that it is progressive, and is deinterlaced all the same; frames=flagged leaves "
        "such frames as they are.");
}

// Adds a deinterlacer that is one launch of one kernel. `operations` are those of an output sample
// (CostShape). The output pictures are progressive.
template <class Params, class Options>
StatusOr<Port> add_deinterlacer(const FilterContext& context, Network& network, Port input,
                                std::string_view name, const Window& window, double operations,
                                const Options& options,
                                std::function<void(const Step& step, Params& params)> complete = {}) {
  note_progressive(network, input, options);
  typename FrameNode<Params>::Parts parts;
  parts.descriptor = deinterlacer(name, window, operations, options, network.format(input));
  parts.complete = std::move(complete);
  ASSIGN_OR_RETURN(
      const Port pictures,
      add_frame_node<Params>(context, network, {input}, fmt::format("video/{}", name), std::move(parts)));
  return progressive(network, pictures);
}

}  // namespace weft::filters
