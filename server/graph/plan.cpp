// SPDX-License-Identifier: Apache-2.0
#include "server/graph/plan.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "server/graph/unit_counts.h"

namespace weft::graph {
namespace {

constexpr int kForever = std::numeric_limits<int>::max();

class Compiler {
 public:
  Compiler(const Network& network, Plan& plan) : network_(network), plan_(plan), counts_(plan.clocks) {}

  Status run() {
    describe();
    choose_lookahead();
    choose_mapped();
    choose_lags();
    RETURN_IF_ERROR(choose_window());
    choose_portions();
    choose_batch();
    choose_slots();
    lay_out_tables();
    lay_out_arena(plan_);
    return ok_status();
  }

 private:
  // The units of a port that outputs depend on: `before` and `after` units around those made from
  // `sources_before` and `sources_after` source units.
  struct Around {
    int64_t before = 0, after = 0, sources_before = 0, sources_after = 0;
    bool wanted = false;
  };

  const NodeDescriptor& descriptor(size_t node) const { return network_.nodes()[node].node->descriptor(); }
  const TimeRule* rule(size_t node) const { return descriptor(node).rule.get(); }
  const UnitMap* map(size_t node, size_t input) const { return descriptor(node).map(input); }
  bool is_by_unit(size_t node) const { return rule(node) != nullptr && rule(node)->is_by_unit(); }
  int outputs_clock(size_t node) const {
    return plan_.ports[size_t(network_.nodes()[node].outputs[0])].clock;
  }
  int units_per_step(size_t node) const {
    return rule(node) == nullptr || is_by_unit(node) ? 1 : rule(node)->most_units(1);
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

  void choose_lookahead() {
    std::vector<bool> windows_do(plan_.clocks.size());
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      if (rule(i) == nullptr) continue;
      for (const Window& window : descriptor(i).inputs)
        if (window.after > 0) windows_do[size_t(outputs_clock(i))] = true;
    }
    for (size_t clock = 1; clock < plan_.clocks.size(); clock++)
      plan_.clocks[clock].lookahead =
          plan_.clocks[clock].rule->lookahead(plan_.options.exact_durations, windows_do[clock]);
  }

  // Marks the nodes with a map on an edge and those downstream: maps and ends of runs delay them.
  void choose_mapped() {
    is_mapped_.resize(plan_.nodes.size());
    for (size_t i = 0; i < plan_.nodes.size(); i++)
      for (size_t input = 0; input < network_.nodes()[i].inputs.size(); input++) {
        const int writer = network_.ports()[size_t(network_.nodes()[i].inputs[input])].node;
        if (map(i, input) != nullptr || (writer >= 0 && is_mapped_[size_t(writer)])) is_mapped_[i] = true;
      }
  }

  // Returns whether the node's rule waits for the unit after the current one.
  bool lookahead(size_t node) const {
    return rule(node) != nullptr && plan_.clocks[size_t(outputs_clock(node))].lookahead;
  }
  // Returns the number of units after the current one of an input that a node waits for.
  int units_after(size_t node, size_t input) const {
    return std::max(descriptor(node).inputs[input].after,
                    lookahead(node) && map(node, input) == nullptr ? 1 : 0);
  }

  // Computes the lags. A node processes all units that its inputs allow, up to `ahead` after the
  // batch. Its lag is between the inputs' lag and the larger of that and the lag by `ahead`.
  void choose_lags() {
    int nearest = kForever;
    bool waits = false;
    for (size_t i = 0; i < plan_.nodes.size(); i++)
      for (size_t input = 0; input < network_.nodes()[i].inputs.size(); input++) {
        const int after = units_after(i, input);
        plan_.nodes[i].after.push_back(after);
        const UnitMap* map = this->map(i, input);
        const int sources_after = after + (map == nullptr ? 0 : map->after);
        waits = waits || sources_after > 0 || map != nullptr;
        if (plan_.ports[size_t(network_.nodes()[i].inputs[input])].is_source)
          nearest = std::min(nearest, sources_after);
      }
    plan_.lead = waits ? std::max(nearest, 1) : 0;
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      const Network::NodeInfo& info = network_.nodes()[i];
      NodePlan& node = plan_.nodes[i];
      int least = 0, most = 0;
      for (size_t input = 0; input < info.inputs.size(); input++) {
        const PortPlan& port = plan_.ports[size_t(info.inputs[input])];
        if (const UnitMap* map = this->map(i, input)) {
          const int shared = shared_clock(i, input);
          most = std::max(
              most, counts_.most_units(inputs_clock(i),
                                       counts_.reach(shared, map->after) +
                                           counts_.in_clock(shared, port.clock, port.lag + node.after[input]),
                                       shared));
          continue;
        }
        least = std::max(least, port.least_lag + node.after[input]);
        most = std::max(most, port.lag + node.after[input]);
      }
      const Rate rate = rate_of(plan_.clocks, node.clock);
      const int own = is_by_unit(i) ? most_outputs(i, most) : most;
      node.ahead = std::max(plan_.lead - scaled_up(own, {rate.denominator, rate.numerator}), 0);
      most = node.inputs_lag = std::max(most, counts_.most_units(inputs_clock(i), plan_.lead - node.ahead));
      node.lag = is_by_unit(i) ? most_outputs(i, most) : most;
      for (const int output : info.outputs) {
        plan_.ports[size_t(output)].least_lag = fewest_outputs(i, least);
        plan_.ports[size_t(output)].lag = most_outputs(i, most);
      }
    }
  }

  int input_clock(size_t node, size_t input) const {
    return plan_.ports[size_t(network_.nodes()[node].inputs[input])].clock;
  }
  int inputs_clock(size_t node) const { return input_clock(node, 0); }
  // Returns the clock for comparing distances of units of a node and of an input.
  int shared_clock(size_t node, size_t input) const {
    return counts_.shared_clock(inputs_clock(node), input_clock(node, input));
  }

  // Return the largest and smallest number of output units of `units` consecutive input units.
  int most_outputs(size_t node, int units) const {
    return rule(node) == nullptr ? units : counts_.most_children(outputs_clock(node), units);
  }
  int fewest_outputs(size_t node, int units) const {
    return rule(node) == nullptr ? units : rule(node)->fewest_units(units);
  }

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
        const Window window = descriptor(i).inputs[input];
        Around needed = units;
        if (const UnitMap* map = this->map(i, input)) needed = around_mapped(i, *map, units);
        needed.before += std::max(window.before, lookahead(i) ? 1 : 0);
        needed.after += units_after(i, input);
        around[size_t(info.inputs[input])] = joined(around[size_t(info.inputs[input])], needed);
      }
    }
    const Around& all = around[0];
    const int64_t before = all.before + all.sources_before, after = all.after + all.sources_after;
    if (std::max(before, after) > Network::kMostWindow)
      return invalid_argument(
          "The filters look at more than {} frames before or after each, and {} are the most; leave some "
          "out.",
          std::max(before, after), int{Network::kMostWindow});
    plan_.window = {int(before), int(after)};
    return ok_status();
  }

  // Returns the units of a port that a map may read for `units` of the node's inputs.
  Around around_mapped(size_t node, const UnitMap& map, const Around& units) const {
    const int clock = inputs_clock(node);
    return {.sources_before = counts_.in_clock(0, clock, units.before) + units.sources_before + map.before,
            .sources_after = counts_.in_clock(0, clock, units.after) + units.sources_after + map.after,
            .wanted = units.wanted};
  }

  static Around joined(const Around& a, const Around& b) {
    if (!a.wanted || !b.wanted) return a.wanted ? a : b;
    return {std::max(a.before, b.before), std::max(a.after, b.after),
            std::max(a.sources_before, b.sources_before), std::max(a.sources_after, b.sources_after), true};
  }
  Around of_inputs(size_t node, Around units) const {
    if (rule(node) == nullptr) return units;
    for (int64_t* count : {&units.before, &units.after})
      *count = rule(node)->most_parents(int(std::min<int64_t>(*count, Network::kMostWindow + 1)));
    return units;
  }

  // Divides a unit into portions if a node does; other nodes work in one of these portions.
  void choose_portions() {
    int longest = 1, all = 0;
    for (const NodePlan& node : plan_.nodes) {
      longest = std::max(longest, node.portions);
      all += node.portions == 1 ? 1 : node.portions * units_in_batch(node, 1);
    }
    plan_.portions = longest > 1 && !plan_.options.whole_units ? all : 1;
    if (plan_.portions > 1) plan_.options.batch = 1;
  }

  // Returns the largest number of a node's units in a batch; units may wait for a later batch.
  int units_in_batch(const NodePlan& node, int batch) const {
    return std::max(counts_.most_units(node.clock, batch + node.ahead),
                    counts_.most_units(node.clock, std::max(batch - plan_.lead + node.ahead, 0)) + node.lag);
  }

  // Limits the batch: each node has one launch per batch, with planes of units as blocks in z.
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
    // The number of units limits the pool. A batch starts only if a whole region is free.
    if (plan_.options.units > 0) {
      const int all = counts_.most_units(plan_.output_clock,
                                         int(std::min<int64_t>(plan_.options.units, UnitCounts::kMost)));
      plan_.picture_slots = std::min(plan_.picture_slots, all + plan_.region_units - 1);
    }
  }

  // Computes the number of units of a port that are read after their batch. A unit u limits both
  // the port's writer and a reader: the newest source unit or, when a run ends and windows end with
  // it, a unit of a node that may not run further ahead. The reader's distance from the writer is
  // at most the reader's distance from u minus the writer's distance from u.
  void choose_kept() {
    for (size_t r = 0; r < plan_.nodes.size(); r++)
      for (size_t input = 0; input < plan_.nodes[r].after.size(); input++) {
        const PortPlan& port = plan_.ports[size_t(network_.nodes()[r].inputs[input])];
        keep(r, input, is_mapped_[r] ? behind_source(r, input) : plan_.nodes[r].inputs_lag - port.least_lag);
      }
    if (plan_.lead > 0)
      for (size_t u = 0; u < plan_.nodes.size(); u++) choose_kept_behind(u);
  }

  // Returns whether a node downstream of a map waits only for its windows, by one common writer.
  bool follows_one_writer(size_t node) const {
    const Network::NodeInfo& info = network_.nodes()[node];
    const int writer = network_.ports()[size_t(info.inputs[0])].node;
    for (size_t input = 0; input < info.inputs.size(); input++)
      if (map(node, input) != nullptr || network_.ports()[size_t(info.inputs[input])].node != writer)
        return false;
    return rule(node) == nullptr && plan_.nodes[node].ahead >= plan_.nodes[size_t(writer)].ahead;
  }

  // Returns the lag of a node downstream of a map in units of an input.
  int behind_source(size_t node, size_t input) const {
    if (follows_one_writer(node)) return std::ranges::max(plan_.nodes[node].after);
    const UnitMap* map = this->map(node, input);
    const int shared = shared_clock(node, input);
    return counts_.most_units(input_clock(node, input),
                              counts_.in_clock(shared, inputs_clock(node), plan_.nodes[node].inputs_lag) + 1 +
                                  counts_.reach(shared, map == nullptr ? 0 : map->before),
                              shared);
  }

  void choose_kept_behind(size_t u) {
    struct Distance {
      int least = -1, most = -1;  // -1: no unit of the port is made from units of u
    };
    std::vector<Distance> from_u(plan_.ports.size());
    for (size_t r = u; r < plan_.nodes.size(); r++) {
      if (is_mapped_[r]) continue;
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

  // Returns the least number of the port's units that a node may run further ahead than the port's
  // writer; negative: the writer may run further ahead.
  int turns_between(size_t p, size_t node) const {
    const PortPlan& port = plan_.ports[p];
    const int writer = port.is_source ? plan_.lead : plan_.nodes[size_t(port.first_step)].ahead;
    const int behind = plan_.nodes[node].ahead - writer;
    return behind > 0 ? counts_.fewest_units(port.clock, behind) : -counts_.most_units(port.clock, -behind);
  }

  void keep(size_t node, size_t input, int behind) {
    PortPlan& port = plan_.ports[size_t(network_.nodes()[node].inputs[input])];
    // At a segment's start, a rule by unit waits for all units of the first source unit.
    if (is_by_unit(node) && port.clock != 0) behind = std::max(behind, counts_.most_units(port.clock, 1));
    port.kept = std::max(port.kept, behind + descriptor(node).inputs[input].before);
  }

  void lay_out_tables() {
    for (size_t i = 0; i < plan_.nodes.size(); i++) {
      NodePlan& node = plan_.nodes[i];
      std::vector<int> outputs(network_.nodes()[i].outputs.size(),
                               rule(i) == nullptr ? 1 : rule(i)->targets());
      std::vector<std::pair<int, int>> windows;
      for (const Window& window : descriptor(i).inputs) windows.emplace_back(window.before, window.after);
      node.row = RowShape::of(outputs, windows, network_.quantiser_ints(i));
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

  const Network& network_;
  Plan& plan_;
  // By node: a map is on one of its edges or upstream.
  std::vector<bool> is_mapped_;
  const UnitCounts counts_;
};

}  // namespace

StatusOr<Plan> Plan::compile(Network& network, const PlanOptions& options) {
  RETURN_IF_ERROR(network.complete());
  Plan plan;
  plan.options = options;
  RETURN_IF_ERROR(Compiler(network, plan).run());
  return plan;
}

}  // namespace weft::graph
