// SPDX-License-Identifier: Apache-2.0
// Determines the input units that a node reads on each edge, by the node's clock or by a map.
#include <algorithm>

#include "server/graph/pipeline_parts.h"

namespace weft::graph {

std::optional<int64_t> Pipeline::Parts::input_unit(size_t number, size_t input, int64_t unit) const {
  if (network.nodes()[number].node->descriptor().map(input) != nullptr)
    return mapped_unit(number, input, unit);
  const NodePlan& node = plan.nodes[number];
  const int inputs_clock = plan.ports[size_t(network.nodes()[number].inputs[0])].clock;
  return node.clock == inputs_clock ? unit : timeline->unit(node.clock, unit).parent;
}

// Returns the unit that the map of an edge contains. A unit before the start or after the end of
// the clip is replaced by the nearest one.
std::optional<int64_t> Pipeline::Parts::mapped_unit(size_t number, size_t input, int64_t unit) const {
  const UnitMap& map = *network.nodes()[number].node->descriptor().map(input);
  const int clock = plan.ports[size_t(network.nodes()[number].inputs[input])].clock;
  const auto from = timeline->number_offset(plan.nodes[number].clock), to = timeline->number_offset(clock);
  if (!from || !to) return std::nullopt;
  const int64_t entry = std::max<int64_t>(unit + *from, 0);
  if (!map.has(0)) return 0;  // it grows
  const int64_t final_entry = int64_t(map.units.size()) - 1;
  const int64_t at = std::max<int64_t>(map.at(map.has(entry) ? entry : final_entry) - *to, 0);
  return timeline->ended(clock) ? std::min(at, std::max<int64_t>(timeline->known(clock) - 1, 0)) : at;
}

// Checks that a map reads only units within its stated reach and the run. Otherwise the node would
// read discarded units, or wait for units that have no memory.
void Pipeline::Parts::check_mapped(size_t number, int64_t unit) {
  const Network::NodeInfo& info = network.nodes()[number];
  const NodeDescriptor& descriptor = info.node->descriptor();
  const UnitInfo& own = timeline->unit(info.clock, unit);
  for (size_t input = 0; input < descriptor.maps.size(); input++) {
    const UnitMap* map = descriptor.map(input);
    if (map == nullptr) continue;
    if (is_past_map(number, input, unit)) {
      if (failure.ok())
        failure = invalid_argument(
            "The decision of the node {} is of {} units, and the input has more; analyse the input again.",
            descriptor.name, map->units.size());
      continue;
    }
    if (own.frame.context) continue;
    const int clock = plan.ports[size_t(info.inputs[input])].clock;
    const std::optional<int64_t> at = mapped_unit(number, input, unit);
    const int64_t newest = timeline->known(clock) - 1;
    if (!at || newest < 0) continue;
    const bool is_known = *at <= newest;
    // An earlier unit if that one is not known yet.
    const UnitInfo& read = timeline->unit(clock, std::min(*at, newest));
    const int64_t later = read.source_index - own.source_index;
    const int64_t entry = unit + *timeline->number_offset(info.clock);
    const bool stands_in = map->at(entry) != *at + *timeline->number_offset(clock);
    const bool is_wrong = later > map->after || (is_known && (read.run != own.run || -later > map->before));
    if (failure.ok() && (stands_in || is_wrong))
      failure = invalid_argument(
          "The decision of the node {} reads a unit of {} frames later ({} before to {} after are allowed) "
          "or of "
          "another scene for frame {}; analyse the input again.",
          descriptor.name, later, map->before, map->after, own.source_index);
  }
}

// Returns whether the map of an edge has no entry for this unit or later ones.
bool Pipeline::Parts::is_past_map(size_t number, size_t input, int64_t unit) const {
  const auto offset = timeline->number_offset(plan.nodes[number].clock);
  return offset && !network.nodes()[number].node->descriptor().map(input)->has(unit + *offset);
}

int64_t Pipeline::Parts::first_needed(size_t reader, size_t input) const {
  const NodeDescriptor& descriptor = network.nodes()[reader].node->descriptor();
  const int clock = plan.ports[size_t(network.nodes()[reader].inputs[input])].clock;
  const int own_clock = plan.nodes[reader].clock;
  const int64_t next = nodes[reader].next;
  const bool is_mapped = descriptor.map(input) != nullptr;
  bool is_known = next < timeline->known(own_clock);
  int64_t at = next;
  // The next entry of a map that grows reads no unit before that of the newest entry.
  if (is_mapped && !descriptor.map(input)->grows && is_past_map(reader, input, next))
    return ports[size_t(network.nodes()[reader].inputs[input])].produced;
  if (is_mapped)
    at = mapped_unit(reader, input, next).value_or(0);
  else if (own_clock != clock)
    at = is_known ? *input_unit(reader, input, next) : timeline->planned(own_clock);
  if (is_mapped) is_known = at < timeline->known(clock);
  const int64_t oldest = std::max<int64_t>(at - descriptor.inputs[input].before, 0);
  return is_known ? std::max(oldest, timeline->run_begin(clock, at)) : oldest;
}

// Checks that every node has processed all its units after the last batch. A node has not if a map
// reads a port that ends earlier.
void Pipeline::Parts::check_complete() {
  for (size_t i = 0; i < nodes.size() && failure.ok(); i++)
    if (nodes[i].next < timeline->known(plan.nodes[i].clock))
      failure = invalid_argument(
          "The decision of the node {} reads pictures that the input does not have, so that {} of its "
          "pictures "
          "cannot be made; analyse the input again.",
          plan.nodes[i].name, timeline->known(plan.nodes[i].clock) - nodes[i].next);
}

}  // namespace weft::graph
