// SPDX-License-Identifier: Apache-2.0
#include "server/filters/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::filters {
namespace {

constexpr int kForever = std::numeric_limits<int>::max();
constexpr int64_t kMostCounted = 1 << 20;  // units, more than any pipeline keeps

const FieldRule* field_rule_of_clock(const ClockRule& clock) { return std::get_if<FieldRule>(&clock.rule); }
int scaled(int units, const Rate& rate) {
  return int((int64_t(units) * rate.numerator + rate.denominator - 1) / rate.denominator);
}

// The units of the parent that so many units in a row of a clock by a map come of, at most.
int parents_of(const FrameMap& map, int units) {
  int64_t most = int64_t(units) * std::max(map.every, 1);
  for (size_t i = 0; i < map.entries.size(); i++) {
    const size_t last = std::min(i + size_t(units), map.entries.size() - 1);
    most = std::max(most, map.entries[last].unit - map.entries[i].unit);
  }
  return int(std::min<int64_t>(most, Network::kMostWindow + 1));
}

// The units of a clock by a map that come of so many in a row of its parent, at most.
int children_of(const FrameMap& map, int parents) {
  if (parents <= 0) return 0;
  size_t most = 0, end = 0;
  for (size_t i = 0; i < map.entries.size(); i++) {
    while (end < map.entries.size() && map.entries[end].unit < map.entries[i].unit + parents) end++;
    most = std::max(most, end - i);
  }
  return std::max(int(most), scaled(parents, map.rate));
}

class Compiler {
 public:
  Compiler(const Network& network, Plan& plan) : network_(network), plan_(plan) {}

  Status run() {
    describe();
    choose_lookahead();
    choose_lags();
    RETURN_IF_ERROR(choose_window());
    choose_portions();
    choose_batch();
    choose_slots();
    lay_out_tables();
    lay_out_arena();
    return ok_status();
  }

 private:
  struct Around {
    int64_t before = 0, after = 0;
    bool wanted = false;
  };

  const NodeDescriptor& descriptor(size_t node) const { return network_.nodes()[node].node->descriptor(); }
  // Units of a node's clock for a unit of the clock of its outputs: 2 where fields become pictures.
  int units_per_step(size_t node) const {
    const auto* fields = std::get_if<FieldRule>(&descriptor(node).rule);
    return fields != nullptr && fields->per_field ? 2 : 1;
  }

  void describe() {
    plan_.clocks.assign(network_.clocks().begin(), network_.clocks().end());
    plan_.outputs = network_.outputs();
    for (const Network::PortInfo& info : network_.ports()) {
      PortPlan port;
      port.layout = PortLayout::of(info.format);
      port.clock = info.clock;
      port.is_source = info.node < 0;
      plan_.ports.push_back(std::move(port));
    }
    for (const int output : plan_.outputs) plan_.ports[size_t(output)].is_output = true;
    plan_.output_clock = plan_.outputs.empty() ? 0 : plan_.ports[size_t(plan_.outputs[0])].clock;
    for (const Network::NodeInfo& info : network_.nodes()) {
      NodePlan node;
      node.name = info.node->descriptor().name;
      node.clock = info.clock;
      node.portions = std::max(info.node->portions(), 1);
      plan_.nodes.push_back(std::move(node));
    }
  }

  // A field rule looks at the next frame where that decides whether a frame passes unchanged, or where frames do not state their
  // durations.
  void choose_lookahead() {
    for (ClockRule& clock : plan_.clocks)
      if (const FieldRule* fields = field_rule_of_clock(clock))
        clock.looks_ahead = !plan_.options.exact_durations || fields->only_flagged;
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      if (!std::holds_alternative<FieldRule>(descriptor(i).rule)) continue;
      const int clock = plan_.ports[size_t(network_.nodes()[i].outputs[0])].clock;
      for (const Window& window : descriptor(i).inputs)
        if (window.after > 0) plan_.clocks[size_t(clock)].looks_ahead = true;
    }
  }

  // What a node waits for after the unit that it works on, of an input.
  int units_after(size_t node, size_t input) const {
    const int after = descriptor(node).inputs[input].after;
    if (!std::holds_alternative<FieldRule>(descriptor(node).rule)) return after;
    const int clock = plan_.ports[size_t(network_.nodes()[node].outputs[0])].clock;
    return std::max(after, plan_.clocks[size_t(clock)].looks_ahead ? 1 : 0);
  }

  // A node works on all that its inputs allow, but for units that are not its turn yet (NodePlan::ahead): it is behind the source's newest
  // by no less than its inputs are, and by no more than they are or its turn is.
  void choose_lags() {
    int nearest = kForever;
    bool waits = false;
    for (size_t i = 0; i < plan_.nodes.size(); i++)
      for (size_t input = 0; input < network_.nodes()[i].inputs.size(); input++) {
        const int after = units_after(i, input);
        plan_.nodes[i].after.push_back(after);
        waits = waits || after > 0;
        if (plan_.ports[size_t(network_.nodes()[i].inputs[input])].is_source)
          nearest = std::min(nearest, after);
      }
    plan_.lead = waits ? std::max(nearest, 1) : 0;
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      const Network::NodeInfo& info = network_.nodes()[i];
      NodePlan& node = plan_.nodes[i];
      int least = 0, most = 0;
      for (size_t input = 0; input < info.inputs.size(); input++) {
        const PortPlan& port = plan_.ports[size_t(info.inputs[input])];
        least = std::max(least, port.least_lag + node.after[input]);
        most = std::max(most, port.lag + node.after[input]);
      }
      const bool is_mapped = std::holds_alternative<std::shared_ptr<const FrameMap>>(descriptor(i).rule);
      const Rate rate = rate_of(plan_.clocks, node.clock);
      const int own = is_mapped ? most_outputs(i, most) : most;
      node.ahead = std::max(plan_.lead - scaled(own, {rate.denominator, rate.numerator}), 0);
      const int inputs_clock = plan_.ports[size_t(info.inputs[0])].clock;
      most = node.inputs_lag = std::max(most, most_units(inputs_clock, plan_.lead - node.ahead));
      node.lag = is_mapped ? most_outputs(i, most) : most;
      for (const int output : info.outputs) {
        plan_.ports[size_t(output)].least_lag = fewest_outputs(i, least);
        plan_.ports[size_t(output)].lag = most_outputs(i, most);
      }
    }
  }

  // Units of a node's outputs for a number of its inputs' units in a row: the most, and the fewest. A map that was decided on may drop
  // any of them.
  int most_outputs(size_t node, int units) const {
    if (const auto* map = std::get_if<std::shared_ptr<const FrameMap>>(&descriptor(node).rule))
      return children_of(**map, units);
    return units * units_per_step(node);
  }
  int fewest_outputs(size_t node, int units) const { return fewest_children(descriptor(node).rule, units); }
  static int fewest_children(const TimeRule& rule, int units) {
    if (const auto* map = std::get_if<std::shared_ptr<const FrameMap>>(&rule))
      return (*map)->every > 0 ? units / (*map)->every : 0;
    const auto* fields = std::get_if<FieldRule>(&rule);
    return fields != nullptr && fields->per_field && !fields->only_flagged ? 2 * units : units;
  }

  // From the outputs back to the source.
  Status choose_window() {
    std::vector<Around> around(plan_.ports.size());
    for (const int output : plan_.outputs) around[size_t(output)].wanted = true;
    for (size_t i = plan_.nodes.size(); i-- > 0;) {
      const Network::NodeInfo& info = network_.nodes()[i];
      Around units;
      units.wanted = info.outputs.empty();
      for (const int output : info.outputs) units = joined(units, around[size_t(output)]);
      if (!units.wanted) continue;
      units = of_inputs(i, units);
      for (size_t input = 0; input < info.inputs.size(); input++) {
        Around needed = units;
        const Window window = descriptor(i).inputs[input];
        const bool is_timed = std::holds_alternative<FieldRule>(descriptor(i).rule);
        const int after = units_after(i, input);
        needed.before += is_timed && after > 0 ? std::max(window.before, 1) : window.before;
        needed.after += after;
        around[size_t(info.inputs[input])] = joined(around[size_t(info.inputs[input])], needed);
      }
    }
    const int64_t most = std::max(around[0].before, around[0].after);
    if (most > Network::kMostWindow)
      return invalid_argument(
          "The filters look at more than {} frames before or after each, and {} are the most; leave some "
          "out.",
          most, int{Network::kMostWindow});
    plan_.window = {int(around[0].before), int(around[0].after)};
    return ok_status();
  }

  static Around joined(const Around& a, const Around& b) {
    if (!a.wanted || !b.wanted) return a.wanted ? a : b;
    return {std::max(a.before, b.before), std::max(a.after, b.after), true};
  }
  // Units of a node's outputs as units of its inputs.
  Around of_inputs(size_t node, Around units) const {
    const TimeRule& rule = descriptor(node).rule;
    if (const auto* fields = std::get_if<FieldRule>(&rule);
        fields != nullptr && fields->per_field && !fields->only_flagged)
      return {(units.before + 1) / 2, (units.after + 1) / 2, units.wanted};
    if (const auto* map = std::get_if<std::shared_ptr<const FrameMap>>(&rule))
      return {units.before == 0 ? 0 : parents_of(**map, int(units.before)),
              units.after == 0 ? 0 : parents_of(**map, int(units.after)), units.wanted};
    return units;
  }

  // A unit is done in portions where a node's is, which then works on one after the other; the other nodes' work is a portion each.
  void choose_portions() {
    int longest = 1, all = 0;
    for (const NodePlan& node : plan_.nodes) {
      longest = std::max(longest, node.portions);
      all += node.portions == 1 ? 1 : node.portions * units_in_batch(node, 1);
    }
    plan_.portions = longest > 1 && !plan_.options.whole_units ? all : 1;
    if (plan_.portions > 1) plan_.options.batch = 1;
  }

  // The first batch has no units before it, of a later one those that wait have their turn as well.
  int units_in_batch(const NodePlan& node, int batch) const {
    return std::max(most_units(node.clock, batch + node.ahead),
                    most_units(node.clock, std::max(batch - plan_.lead + node.ahead, 0)) + node.lag);
  }
  // Of so many units of the source in a row. What a map keeps is not evenly spread.
  int most_units(int clock, int batch) const {
    if (clock == 0) return batch;
    const ClockRule& rule = plan_.clocks[size_t(clock)];
    const int parents = most_units(rule.parent, batch);
    if (const auto* map = std::get_if<std::shared_ptr<const FrameMap>>(&rule.rule))
      return children_of(**map, parents);
    const auto* fields = std::get_if<FieldRule>(&rule.rule);
    return fields != nullptr && fields->per_field ? 2 * parents : parents;
  }

  int fewest_units(int clock, int units) const {
    if (clock == 0) return units;
    const ClockRule& rule = plan_.clocks[size_t(clock)];
    return fewest_children(rule.rule, fewest_units(rule.parent, units));
  }

  // A batch is one launch a node, with a unit's planes along z.
  void choose_batch() {
    int& batch = plan_.options.batch;
    if (plan_.options.units > 0) batch = int(std::min<int64_t>(batch, plan_.options.units));
    const int most = std::max(plan_.options.max_launch_z / 3, 1);
    for (const NodePlan& node : plan_.nodes)
      while (batch > 1 && units_in_batch(node, batch) > most) batch /= 2;
  }

  void choose_slots() {
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      NodePlan& node = plan_.nodes[i];
      node.max_units = units_in_batch(node, plan_.batch());
      node.scratch_bytes = network_.nodes()[i].node->scratch_bytes(
          plan_.portions > 1 && node.portions > 1 ? 1 : node.max_units);
      plan_.scratch_bytes = std::max(plan_.scratch_bytes, node.scratch_bytes);
    }
    for (size_t p = 0; p < plan_.ports.size(); p++) {
      PortPlan& port = plan_.ports[p];
      const Network::PortInfo& info = network_.ports()[p];
      if (info.node >= 0) {
        const NodePlan& writer = plan_.nodes[size_t(info.node)];
        port.max_units = writer.max_units * units_per_step(size_t(info.node));
        port.first_step = info.node;
      }
      port.last_step = port.first_step;
      for (const auto& [node, input] : info.readers) port.last_step = std::max(port.last_step, node);
    }
    choose_kept();
    PortPlan& source = plan_.ports[0];
    source.ring_slots = source.kept + 1 + 2 * plan_.batch();
    if (plan_.options.units > 0)
      source.ring_slots = int(std::min<int64_t>(source.ring_slots, plan_.options.units));
    plan_.upload_slots = std::min(plan_.batch() + 2, source.ring_slots);
    for (const int output : plan_.outputs)
      plan_.region_units = std::max(plan_.region_units, plan_.ports[size_t(output)].max_units);
    plan_.picture_slots = plan_.region_units * plan_.options.in_flight + plan_.options.held;
    // As many as will ever come; a batch starts where a region's worth is free.
    if (plan_.options.units > 0) {
      const int all =
          most_units(plan_.output_clock, int(std::min<int64_t>(plan_.options.units, kMostCounted)));
      plan_.picture_slots = std::min(plan_.picture_slots, all + plan_.region_units - 1);
    }
  }

  // Units of a port that outlive a batch. A reader is behind a port's writer by no more than by their distances from what holds the reader
  // back: the source's newest unit, or, where a run ends just ahead and windows end with it, a node that its turn holds back.
  void choose_kept() {
    for (size_t r = 0; r < plan_.nodes.size(); r++)
      for (size_t input = 0; input < plan_.nodes[r].after.size(); input++) {
        const PortPlan& port = plan_.ports[size_t(network_.nodes()[r].inputs[input])];
        keep(r, input, plan_.nodes[r].inputs_lag - port.least_lag);
      }
    if (plan_.lead > 0)
      for (size_t u = 0; u < plan_.nodes.size(); u++) choose_kept_behind(u);
  }

  void choose_kept_behind(size_t u) {
    struct Distance {
      int least = -1, most = -1;  // -1: nothing of the port comes of u
    };
    std::vector<Distance> from_u(plan_.ports.size());
    for (size_t r = u; r < plan_.nodes.size(); r++) {
      const Network::NodeInfo& info = network_.nodes()[r];
      Distance reader = r == u ? Distance{0, 0} : Distance();
      for (size_t input = 0; input < info.inputs.size() && r != u; input++) {
        const Distance& port = from_u[size_t(info.inputs[input])];
        if (port.most < 0) continue;
        reader.least = std::max(reader.least, port.least + plan_.nodes[r].after[input]);
        reader.most = std::max(reader.most, port.most + plan_.nodes[r].after[input]);
      }
      if (reader.most < 0) continue;
      for (size_t input = 0; input < info.inputs.size(); input++) {
        const size_t p = size_t(info.inputs[input]);
        keep(r, input, reader.most - (from_u[p].most >= 0 ? from_u[p].least : turns_between(p, u)));
      }
      for (const int output : info.outputs)
        from_u[size_t(output)] = {fewest_outputs(r, reader.least), most_outputs(r, reader.most)};
    }
  }

  // Units of a port, the fewest, that its writer's turn is behind a node's; negative: ahead of it, by the most.
  int turns_between(size_t p, size_t node) const {
    const PortPlan& port = plan_.ports[p];
    const int writer = port.is_source ? plan_.lead : plan_.nodes[size_t(port.first_step)].ahead;
    const int behind = plan_.nodes[node].ahead - writer;
    return behind > 0 ? fewest_units(port.clock, behind) : -most_units(port.clock, -behind);
  }

  void keep(size_t node, size_t input, int behind) {
    PortPlan& port = plan_.ports[size_t(network_.nodes()[node].inputs[input])];
    if (const auto* map = std::get_if<std::shared_ptr<const FrameMap>>(&descriptor(node).rule))
      behind += parents_of(**map, 1);
    port.kept = std::max(port.kept, behind + descriptor(node).inputs[input].before);
  }

  void lay_out_tables() {
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      NodePlan& node = plan_.nodes[i];
      const bool is_timed = std::holds_alternative<FieldRule>(descriptor(i).rule);
      std::vector<int> outputs(network_.nodes()[i].outputs.size(), is_timed ? 2 : 1);
      std::vector<std::pair<int, int>> windows;
      for (const Window& window : descriptor(i).inputs) windows.emplace_back(window.before, window.after);
      node.row = RowShape::of(outputs, windows);
      node.rows_offset = plan_.table_bytes;
      plan_.table_bytes += round_up(size_t(node.max_units) * size_t(node.row.ints) * sizeof(int32_t),
                                    FrameLayout::kPlaneAlignment);
      node.layouts_offset = plan_.layouts_bytes;
      plan_.layouts_bytes +=
          round_up((network_.nodes()[i].inputs.size() + network_.nodes()[i].outputs.size()) * LAYOUT_INTS *
                       sizeof(int32_t),
                   FrameLayout::kPlaneAlignment);
    }
  }

  void lay_out_arena() {
    size_t end = 0;
    for (PortPlan& port : plan_.ports) {
      port.kept_offset = end;
      end += port.is_output ? 0 : port.kept_bytes();
    }
    for (const int output : plan_.outputs) {
      plan_.regions_offset.push_back(end);
      end += plan_.ports[size_t(output)].layout.unit_bytes * size_t(plan_.region_units) *
             size_t(plan_.options.in_flight);
    }
    plan_.arena_bytes = lay_out_transients(end);
  }

  // Each where it first fits below those that live at the same time; the largest first.
  size_t lay_out_transients(size_t begin) {
    std::vector<size_t> order;
    for (size_t p = 0; p < plan_.ports.size(); p++)
      if (plan_.ports[p].transient_bytes() > 0) order.push_back(p);
    std::ranges::stable_sort(order, std::greater(),
                             [&](size_t p) { return plan_.ports[p].transient_bytes(); });
    std::vector<size_t> placed;
    size_t end = begin;
    for (const size_t p : order) {
      PortPlan& port = plan_.ports[p];
      port.transient_offset = first_fit(port, placed, begin);
      placed.push_back(p);
      end = std::max(end, port.transient_offset + port.transient_bytes());
    }
    return end;
  }
  size_t first_fit(const PortPlan& port, const std::vector<size_t>& placed, size_t begin) const {
    std::vector<std::pair<size_t, size_t>> taken;
    for (const size_t p : placed) {
      const PortPlan& other = plan_.ports[p];
      if (other.first_step <= port.last_step && port.first_step <= other.last_step)
        taken.emplace_back(other.transient_offset, other.transient_offset + other.transient_bytes());
    }
    std::ranges::sort(taken);
    size_t at = begin;
    for (const auto& [from, to] : taken) {
      if (at + port.transient_bytes() <= from) break;
      at = std::max(at, to);
    }
    return at;
  }

  const Network& network_;
  Plan& plan_;
};

}  // namespace

StatusOr<Plan> Plan::compile(Network& network, const PlanOptions& options) {
  RETURN_IF_ERROR(network.separate_outputs());
  Plan plan;
  plan.options = options;
  RETURN_IF_ERROR(Compiler(network, plan).run());
  return plan;
}

}  // namespace weft::filters
