// SPDX-License-Identifier: Apache-2.0
#include "server/graph/network.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

namespace weft::graph {
namespace {

// A node that copies its inputs to its outputs.
class Copy final : public Node {
 public:
  explicit Copy(std::vector<PortFormat> formats) {
    descriptor_.name = "copy";
    descriptor_.cost.operations = 0;
    descriptor_.inputs.resize(formats.size());
    descriptor_.outputs = std::move(formats);
  }
  const NodeDescriptor& descriptor() const override { return descriptor_; }
  void enqueue(device::Stream& stream, const Step& step) override {
    for (int unit = 0; unit < step.units; unit++)
      for (size_t port = 0; port < step.outputs.size(); port++)
        stream.copy(*step.arena, step.output_offset(int(port), unit), *step.arena,
                    step.input_offset(int(port), unit), step.outputs[port]->unit_bytes);
  }

 private:
  NodeDescriptor descriptor_;
};

// Returns the product, or nullopt if it exceeds an int.
std::optional<Rate> product(const Rate& a, const Rate& b) {
  int64_t numerator = int64_t{a.numerator} * b.numerator,
          denominator = int64_t{a.denominator} * b.denominator;
  const int64_t divisor = std::gcd(numerator, denominator);
  numerator /= divisor;
  denominator /= divisor;
  if (std::max(numerator, denominator) > std::numeric_limits<int>::max()) return std::nullopt;
  return Rate{int(numerator), int(denominator)};
}

// Returns the units that the map reads for `units` of its node.
UnitSet units_read(const UnitMap& map, const UnitSet& units) {
  if (map.per > 0) return units.is_none() ? units : UnitSet::all();
  UnitSet read;
  for (size_t i = map.units.first(); i < map.units.size(); i++)
    if (units.has(int64_t(i)) && (map.is_read.empty() || map.is_read[i]))
      read.add(map.units[i], map.units[i] + 1);
  return read;
}

}  // namespace

RecordTimes Records::times(size_t unit) const {
  RecordTimes times;
  std::memcpy(&times, bytes.data() + unit * (sizeof(times) + bytes_each), sizeof(times));
  return times;
}
std::span<const std::byte> Records::measured(size_t unit) const {
  return bytes.subspan(unit * (sizeof(RecordTimes) + bytes_each) + sizeof(RecordTimes), bytes_each);
}

Rate rate_of(std::span<const ClockRule> clocks, int clock) {
  Rate rate;
  for (int at = clock; at > 0; at = clocks[size_t(at)].parent)
    // The product does not overflow: clock_of() has checked it.
    rate = product(rate, clocks[size_t(at)].rule->rate()).value_or(Rate());
  return rate;
}

Port Network::set_source(const PortFormat& format, const PictureProperties& properties) {
  ports_.push_back({.format = format, .properties = properties, .readers = {}});
  return {0};
}

int Network::quantiser_ints(size_t node) const {
  const NodeInfo& info = nodes_[node];
  if (!info.node->descriptor().reads_quantisers) return 0;
  return graph::quantiser_ints(ports_[size_t(info.inputs[0])].format.video);
}

bool Network::reads_quantisers() const {
  return std::ranges::any_of(nodes_,
                             [](const NodeInfo& info) { return info.node->descriptor().reads_quantisers; });
}

Rate Network::rate(Port port) const { return rate_of(clocks_, ports_[size_t(port.id)].clock); }

double Network::time_divisor(Port port) const {
  double divisor = 1;
  for (int at = ports_[size_t(port.id)].clock; at > 0; at = clocks_[size_t(at)].parent)
    divisor *= double(clocks_[size_t(at)].rule->time_divisor());
  return divisor;
}

int Network::most_sources(Port port, int units) const {
  for (int at = ports_[size_t(port.id)].clock; at > 0; at = clocks_[size_t(at)].parent)
    units = std::min(clocks_[size_t(at)].rule->most_parents(units), kMostWindow);
  return units;
}

StatusOr<int> Network::clock_of(int parent, const TimeRulePtr& rule) {
  if (rule == nullptr) return parent;
  for (size_t i = 1; i < clocks_.size(); i++)
    if (clocks_[i].parent == parent && equal_rules(clocks_[i].rule, rule)) return int(i);
  const std::optional<Rate> rate = product(rate_of(clocks_, parent), rule->rate());
  if (!rate)
    return invalid_argument(
        "The filters change the number of pictures by a ratio whose terms exceed {}; leave out one that "
        "drops or "
        "doubles pictures.",
        std::numeric_limits<int>::max());
  if (int64_t{rate->numerator} > int64_t{kMostRate} * rate->denominator)
    return invalid_argument(
        "The filters give {} pictures for one, and {} are the most; leave one out that doubles them.",
        rate->numerator / rate->denominator, kMostRate);
  clocks_.push_back({.parent = parent, .rule = rule});
  return int(clocks_.size()) - 1;
}

StatusOr<std::vector<Port>> Network::add_node(std::unique_ptr<Node> node, std::span<const Port> inputs) {
  const NodeDescriptor& descriptor = node->descriptor();
  if (inputs.size() != descriptor.inputs.size() || inputs.empty() || descriptor.maps.size() > inputs.size())
    return internal_error("The node {} takes {} inputs and is given {}.", descriptor.name,
                          descriptor.inputs.size(), inputs.size());
  if (int(nodes_.size()) >= kMostNodes)
    return invalid_argument("The filters need more nodes than a network holds ({}); leave some out.",
                            kMostNodes);
  const int clock = ports_[size_t(inputs[0].id)].clock;
  NodeInfo info;
  for (size_t i = 0; i < inputs.size(); i++) {
    const Port input = inputs[i];
    const UnitMap* map = descriptor.map(i);
    if (map != nullptr && (i == 0 || (!map->has(0) && !map->grows) || !std::ranges::is_sorted(map->units)))
      return internal_error("The map of input {} of the node {} is not in order, or is that of its first.", i,
                            descriptor.name);
    if (map == nullptr && ports_[size_t(input.id)].clock != clock)
      return invalid_argument(
          "The filter {} joins pictures that come at different times, since one of its chains doubles or "
          "drops pictures and "
          "another does not; let them all do so.",
          descriptor.name);
    info.inputs.push_back(input.id);
  }
  ASSIGN_OR_RETURN(const int outputs_clock, clock_of(clock, descriptor.rule));
  info.clock = descriptor.rule != nullptr && descriptor.rule->is_by_unit() ? outputs_clock : clock;
  const int number = int(nodes_.size());
  for (size_t i = 0; i < inputs.size(); i++)
    ports_[size_t(inputs[i].id)].readers.emplace_back(number, int(i));
  PictureProperties properties = ports_[size_t(inputs[0].id)].properties;
  if (descriptor.rule != nullptr)
    properties.frame_rate =
        product(properties.frame_rate, descriptor.rule->rate()).value_or(PictureProperties().frame_rate);
  std::vector<Port> outputs;
  for (size_t i = 0; i < descriptor.outputs.size(); i++) {
    outputs.push_back({int(ports_.size())});
    info.outputs.push_back(int(ports_.size()));
    ports_.push_back({.format = descriptor.outputs[i],
                      .properties = properties,
                      .clock = outputs_clock,
                      .node = number,
                      .output = int(i),
                      .readers = {}});
  }
  info.node = std::move(node);
  nodes_.push_back(std::move(info));
  return outputs;
}

StatusOr<Port> Network::add(std::unique_ptr<Node> node, std::initializer_list<Port> inputs) {
  ASSIGN_OR_RETURN(const std::vector<Port> outputs,
                   add_node(std::move(node), std::span(inputs.begin(), inputs.size())));
  return outputs.front();
}

Status Network::set_outputs(std::vector<Port> outputs) {
  outputs_.clear();
  for (const Port port : outputs) {
    if (ports_[size_t(port.id)].clock != ports_[size_t(outputs[0].id)].clock)
      return internal_error("A network's outputs come at different times.");
    outputs_.push_back(port.id);
  }
  return ok_status();
}

std::vector<UnitSet> Network::demand() const {
  std::vector<UnitSet> demand(nodes_.size());
  for (size_t i = nodes_.size(); i-- > 0;) {
    const TimeRule* rule = nodes_[i].node->descriptor().rule.get();
    UnitSet& units = demand[i];
    if (nodes_[i].outputs.empty()) units = UnitSet::all();
    for (const int output : nodes_[i].outputs) units.add(demand_of(output, demand));
    if (rule != nullptr && !rule->is_by_unit()) units = rule->parents_of(units);
  }
  return demand;
}

// Returns the units of a port that its readers demand; all readers are later nodes.
UnitSet Network::demand_of(int port, const std::vector<UnitSet>& nodes) const {
  if (std::ranges::find(outputs_, port) != outputs_.end()) return UnitSet::all();
  UnitSet needed;
  for (const auto& [reader, input] : ports_[size_t(port)].readers) {
    const NodeDescriptor& descriptor = nodes_[size_t(reader)].node->descriptor();
    UnitSet units = nodes[size_t(reader)];
    if (const UnitMap* map = descriptor.map(size_t(input)))
      units = units_read(*map, units);
    else if (descriptor.rule != nullptr && descriptor.rule->is_by_unit())
      units = descriptor.rule->parents_of(units);
    needed.add(units.around(descriptor.inputs[size_t(input)]));
  }
  return needed;
}

Status Network::complete() {
  if (outputs_.empty()) return ok_status();
  remove_unused();
  return separate_outputs();
}

void Network::remove_unused() {
  std::vector<bool> is_used(ports_.size());
  is_used[0] = true;
  for (const int output : outputs_) is_used[size_t(output)] = true;
  std::vector<bool> runs(nodes_.size());
  for (size_t i = nodes_.size(); i-- > 0;) {
    const std::vector<int>& outputs = nodes_[i].outputs;
    runs[i] =
        outputs.empty() || std::ranges::any_of(outputs, [&](int port) { return is_used[size_t(port)]; });
    for (const std::vector<int>* ports : {&nodes_[i].inputs, &nodes_[i].outputs})
      for (const int port : *ports) is_used[size_t(port)] = is_used[size_t(port)] || runs[i];
  }
  if (std::ranges::all_of(runs, std::identity())) return;
  std::vector<int> number(ports_.size(), -1);  // new id of each port
  std::vector<PortInfo> ports;
  std::vector<NodeInfo> nodes;
  ports.push_back(std::move(ports_[0]));
  ports[0].readers.clear();
  number[0] = 0;
  for (size_t i = 0; i < nodes_.size(); i++) {
    if (!runs[i]) continue;
    NodeInfo& node = nodes.emplace_back(std::move(nodes_[i]));
    const int at = int(nodes.size()) - 1;
    for (size_t input = 0; input < node.inputs.size(); input++) {
      node.inputs[input] = number[size_t(node.inputs[input])];
      ports[size_t(node.inputs[input])].readers.emplace_back(at, int(input));
    }
    for (int& output : node.outputs) {
      number[size_t(output)] = int(ports.size());
      PortInfo& port = ports.emplace_back(std::move(ports_[size_t(output)]));
      output = int(ports.size()) - 1;
      port.node = at;
      port.readers.clear();
    }
  }
  ports_ = std::move(ports);
  nodes_ = std::move(nodes);
  for (int& output : outputs_) output = number[size_t(output)];
  for (Port& report : reports_) report.id = number[size_t(report.id)];
  if (analysis_) analysis_->records.id = number[size_t(analysis_->records.id)];
}

Status Network::separate_outputs() {
  const int node = ports_[size_t(outputs_[0])].node;
  bool is_separate = node >= 0 && outputs_ == nodes_[size_t(node)].outputs;
  for (const int output : outputs_) is_separate = is_separate && ports_[size_t(output)].readers.empty();
  if (is_separate) return ok_status();
  std::vector<PortFormat> formats;
  std::vector<Port> inputs;
  for (const int output : outputs_) {
    formats.push_back(ports_[size_t(output)].format);
    inputs.push_back({output});
  }
  ASSIGN_OR_RETURN(const std::vector<Port> copies,
                   add_node(std::make_unique<Copy>(std::move(formats)), inputs));
  for (size_t i = 0; i < copies.size(); i++) {
    ports_[size_t(copies[i].id)].properties = ports_[size_t(outputs_[i])].properties;
    outputs_[i] = copies[i].id;
  }
  return ok_status();
}

}  // namespace weft::graph
