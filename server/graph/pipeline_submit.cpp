// SPDX-License-Identifier: Apache-2.0
// Submits the batches of a pipeline: plans them from the ready units and enqueues the work on the
// three streams.
#include <algorithm>
#include <limits>
#include <mutex>

#include "server/graph/pipeline_parts.h"

namespace weft::graph {
int Pipeline::submit(int max_units, const SubmittedBatch& after) {
  Parts& p = *parts_;
  const std::lock_guard lock(p.mutex);
  const int units = std::min(p.ready(), max_units);
  if (units <= 0) return 0;
  const bool is_begin = p.portion == 0;
  if (is_begin) p.wait_for_capacity();
  if (after.stream != nullptr && after.stream != p.compute.get())
    p.compute->wait_for(*after.stream, after.end);
  const Mark begin = p.compute->mark();
  if (is_begin) p.begin_batch(p.plan.portions > 1 ? 1 : units);
  if (!p.failure.ok()) return units;
  p.enqueue(p.portion, p.plan.portions > 1 ? units : 1);
  p.last = {p.compute.get(), begin, p.compute->mark()};
  InFlight& batch = p.in_flight.back();
  batch.spans.add(p.last.begin, p.last.end);
  add_up_oldest(*p.compute, p.in_flight);
  p.portion = p.plan.portions > 1 ? (p.portion + units) % p.plan.portions : 0;
  batch.is_whole = p.portion == 0;
  if (!batch.is_whole) return units;
  p.end_batch();
  p.copy_down(batch);
  return units;
}

void Pipeline::Parts::wait_for_capacity() {
  // Uploads run in order: the mark of the newest unit includes all earlier units.
  compute->wait_for(*up, uploaded[size_t(pushed() - 1) % uploaded.size()]);
  compute->wait_for(*down, region_down[size_t(submits % plan.options.in_flight)]);
}

// Plans the units of every node, the batches that need them and their offsets, then writes the
// tables.
void Pipeline::Parts::begin_batch(int count) {
  region = int(submits++ % plan.options.in_flight);
  oldest_read = ports[0].needed_from;
  submitted += count;
  frontier = std::max(frontier, reach_of(submitted - 1).value_or(submitted - 1) + 1);
  ports[0].produced = frontier;
  InFlight& batch = in_flight.emplace_back();
  batch.units = count;
  const auto maps = lock_maps();
  if (options.maps != nullptr) update_demand();
  for (size_t node = 0; node < nodes.size(); node++) choose_units(node);
  if (timeline->finished() && submitted == pushed()) check_complete();
  for (size_t port = 0; port < ports.size(); port++) choose_needed(port);
  check_planned();
  if (!failure.ok()) return;
  for (size_t port = 1; port < ports.size(); port++) choose_offsets(port);
  region_used = 0;
  for (size_t node = 0; node < nodes.size(); node++) write_rows(node);
  take_outputs(batch);
  if (plan.table_bytes > 0) {
    const size_t offset = size_t(region) * plan.table_bytes;
    compute->copy(*tables, offset, *tables_host, offset, plan.table_bytes);
  }
}

// Checks that the batch does not exceed its plan, since a larger batch would write outside its
// memory.
void Pipeline::Parts::check_planned() {
  for (size_t i = 0; i < nodes.size() && failure.ok(); i++)
    if (int(nodes[i].work.size()) > plan.nodes[i].max_units)
      failure =
          internal_error("The plan has room for {} units of the node {}, and a batch has {}; report this.",
                         plan.nodes[i].max_units, plan.nodes[i].name, nodes[i].work.size());
  for (size_t p = 1; p < ports.size() && failure.ok(); p++) {
    const int64_t kept = ports[p].produced - ports[p].needed_from;
    if (!plan.ports[p].is_output && kept > plan.ports[p].kept)
      failure = internal_error("The plan keeps {} units of the node {}, and a batch leaves {}; report this.",
                               plan.ports[p].kept, plan.nodes[size_t(plan.ports[p].first_step)].name, kept);
  }
  if (failure.ok()) return;
  for (NodeState& node : nodes) node.work.clear();
}

// Selects the next units of a node, as far as its inputs allow.
void Pipeline::Parts::choose_units(size_t number) {
  NodeState& node = nodes[number];
  node.work.clear();
  for (; is_possible(number, node.next); node.next++) {
    if (!is_wanted(number, node.next)) continue;
    check_mapped(number, node.next);
    node.work.push_back(node.next);
  }
  // The next unit may wait for a unit that its map must not read.
  if (node.next < timeline->known(plan.nodes[number].clock) && is_wanted(number, node.next))
    check_mapped(number, node.next);
  for (const int output : network.nodes()[number].outputs) {
    PortState& port = ports[size_t(output)];
    port.first_written = port.produced;
    port.produced = units_made(number);
  }
}

bool Pipeline::Parts::is_possible(size_t number, int64_t unit) const {
  const Network::NodeInfo& info = network.nodes()[number];
  if (unit >= timeline->known(info.clock)) return false;
  const int plan_clock = nodes[number].plan_clock;
  if (plan_clock >= 0 && unit >= timeline->planned(plan_clock)) return false;
  // A node must not process a unit too early, although its inputs would allow it just before a run
  // ends.
  if (timeline->unit(info.clock, unit).source_index >= submitted + plan.nodes[number].ahead) return false;
  for (size_t input = 0; input < info.inputs.size(); input++) {
    const size_t port = size_t(info.inputs[input]);
    const std::optional<int64_t> at = input_unit(number, input, unit);
    if (!at || *at >= ports[port].produced) return false;
    // A node that only reads the next unit's time also waits for that unit. It then runs in step
    // with the nodes that read the unit, as planned.
    int64_t newest = *at + plan.nodes[number].after[input];
    if (const auto end = timeline->run_end(plan.ports[port].clock, *at)) newest = std::min(newest, *end - 1);
    if (newest >= ports[port].produced) return false;
  }
  return true;
}

bool Pipeline::Parts::is_wanted(size_t number, int64_t unit) const {
  const NodeState& node = nodes[number];
  if (node.ends_here) return !timeline->unit(plan.nodes[number].clock, unit).frame.context;
  const auto offset = timeline->number_offset(plan.nodes[number].clock);
  return node.demand.is_all() || !offset || node.demand.has(unit + *offset);
}

// Returns whether a unit of a port other than the source is computed. All units made from one unit
// of the writer are computed together.
bool Pipeline::Parts::is_computed(size_t port, int64_t unit) const {
  const size_t writer = size_t(network.ports()[port].node);
  return nodes[writer].plan_clock >= 0 || is_wanted(writer, unit);
}

// Returns the number of output units that a node has made from the units before `next`.
int64_t Pipeline::Parts::units_made(size_t number) const {
  const NodeState& node = nodes[number];
  if (node.plan_clock < 0 || node.next == 0) return node.next;
  const Timeline::UnitPlan& newest = timeline->plan(node.plan_clock, node.next - 1);
  return newest.first_child + newest.children;
}

// Determines the oldest unit of a port that the readers still need for their next units.
void Pipeline::Parts::choose_needed(size_t number) {
  PortState& port = ports[number];
  int64_t needed = port.produced;
  for (const auto& [reader, input] : network.ports()[number].readers)
    needed = std::min(needed, first_needed(size_t(reader), size_t(input)));
  port.needed_from = std::max(port.needed_from, needed);
}

// Assigns arena offsets to the units that this batch writes.
void Pipeline::Parts::choose_offsets(size_t number) {
  PortState& port = ports[number];
  const PortPlan& planned = plan.ports[number];
  port.offsets.clear();
  if (planned.is_output) return;
  for (int64_t unit = port.first_written; unit < port.produced; unit++) {
    int64_t arena_offset =
        int64_t(planned.transient_offset + size_t(unit - port.first_written) * planned.layout.unit_bytes);
    const bool has_slot = is_computed(number, unit);
    if (!has_slot) arena_offset = int64_t(planned.transient_offset);
    if (unit >= port.needed_from) {
      if (has_slot) {
        arena_offset = port.free.back();
        port.free.pop_back();
      }
      port.kept.push_back({unit, arena_offset, has_slot});
    }
    port.offsets.push_back(arena_offset);
  }
}

int32_t Pipeline::Parts::slot_of(size_t number, int64_t unit) const {
  const PortState& port = ports[number];
  const PortPlan& planned = plan.ports[number];
  int64_t arena_offset = 0;
  if (planned.is_source) {
    arena_offset =
        int64_t(planned.kept_offset + size_t(unit) % size_t(planned.ring_slots) * planned.layout.unit_bytes);
  } else if (unit >= port.first_written) {
    arena_offset = port.offsets[size_t(unit - port.first_written)];
  } else {
    arena_offset = std::ranges::lower_bound(port.kept, unit, {}, &PortState::Kept::unit)->arena_offset;
  }
  return int32_t(arena_offset / int64_t(kSlotUnitBytes));
}

void Pipeline::Parts::write_rows(size_t number) {
  const NodePlan& node = plan.nodes[number];
  auto* row =
      reinterpret_cast<int32_t*>(tables_host->host() + size_t(region) * plan.table_bytes + node.rows_offset);
  for (const int64_t unit : nodes[number].work) {
    const int plan_clock = nodes[number].plan_clock;
    row[ROW_FLAGS] = plan_clock < 0 ? 0 : timeline->plan(plan_clock, unit).flags;
    row[ROW_WORD] = timeline->unit(node.clock, unit).word;
    write_targets(number, unit, row);
    write_inputs(number, unit, row);
    if (node.row.quantisers > 0)
      write_quantisers(timeline->unit(node.clock, unit).frame.quantisers,
                       nodes[number].inputs[0]->format.video, row + node.row.quantisers);
    row += node.row.ints;
  }
}

// Returns the index of the first unit made from a unit of the node, and the number of such units.
std::pair<int64_t, int> Pipeline::Parts::children_of(size_t number, int64_t unit) const {
  const int plan_clock = nodes[number].plan_clock;
  if (plan_clock < 0) return {unit, 1};
  const Timeline::UnitPlan& planned = timeline->plan(plan_clock, unit);
  return {planned.first_child, planned.children};
}

void Pipeline::Parts::write_targets(size_t number, int64_t unit, int32_t* row) {
  const RowShape& shape = plan.nodes[number].row;
  const std::vector<int>& outputs = network.nodes()[number].outputs;
  const auto [first, count] = children_of(number, unit);
  for (size_t i = 0; i < outputs.size(); i++)
    for (int k = 0; k < shape.units[i]; k++)
      row[shape.targets[i] + k] = k >= count                ? -1
                                  : nodes[number].ends_here ? slot_in_region(i, region_used + k)
                                                            : slot_of(size_t(outputs[i]), first + k);
  if (nodes[number].ends_here) region_used += count;
}

int32_t Pipeline::Parts::slot_in_region(size_t output, int unit) const {
  const size_t bytes = plan.ports[size_t(plan.outputs[output])].layout.unit_bytes;
  return int32_t((plan.regions_offset[output] + size_t(region * plan.region_units + unit) * bytes) /
                 kSlotUnitBytes);
}

void Pipeline::Parts::write_inputs(size_t number, int64_t unit, int32_t* row) const {
  const Network::NodeInfo& info = network.nodes()[number];
  for (size_t input = 0; input < info.inputs.size(); input++) {
    const size_t port = size_t(info.inputs[input]);
    const int64_t at = *input_unit(number, input, unit);
    const int clock = plan.ports[port].clock;
    const Window window = info.node->descriptor().inputs[input];
    const int64_t begin = timeline->run_begin(clock, at);
    const std::optional<int64_t> end = timeline->run_end(clock, at);
    for (int offset = -window.before; offset <= window.after; offset++) {
      int64_t read_unit = std::max(at + offset, begin);
      if (end) read_unit = std::min(read_unit, *end - 1);
      row[plan.nodes[number].row.inputs[input] + offset] = slot_of(port, read_unit);
    }
  }
}

void Pipeline::Parts::take_outputs(InFlight& batch) {
  if (plan.outputs.empty()) return;
  const size_t number = size_t(network.ports()[size_t(plan.outputs[0])].node);
  for (const int64_t unit : nodes[number].work) {
    const auto [first, count] = children_of(number, unit);
    for (int k = 0; k < count; k++)
      batch.outputs.push_back({0, timeline->unit(plan.output_clock, first + k)});
  }
}

// Releases the memory that the batch read, and discards the units that no later batch needs.
void Pipeline::Parts::end_batch() {
  for (int64_t unit = oldest_read; unit < frontier; unit++)
    last_read[size_t(unit) % last_read.size()] = last.end;
  std::vector<int64_t> needed(plan.clocks.size(), std::numeric_limits<int64_t>::max());
  needed[0] = submitted;
  for (size_t p = 0; p < ports.size(); p++) {
    PortState& port = ports[p];
    for (; !port.kept.empty() && port.kept.front().unit < port.needed_from; port.kept.pop_front())
      if (port.kept.front().has_slot) port.free.push_back(port.kept.front().arena_offset);
    int64_t& of_clock = needed[size_t(plan.ports[p].clock)];
    of_clock = std::min(of_clock, port.needed_from);
  }
  for (size_t i = 0; i < nodes.size(); i++) {
    int64_t& of_clock = needed[size_t(plan.nodes[i].clock)];
    of_clock = std::min(of_clock, nodes[i].next);
  }
  for (int clock = 0; clock < int(needed.size()); clock++) {
    timeline->forget(clock, std::min(needed[size_t(clock)], timeline->known(clock)) - 1);
    timeline->forget_plans(clock, oldest_planned(clock));
  }
  if (!options.keeps_states) timeline->forget_states(submitted);
}

// Returns the index of the newest parent unit that all nodes of the clock have processed.
int64_t Pipeline::Parts::oldest_planned(int plan_clock) const {
  int64_t oldest = std::numeric_limits<int64_t>::max();
  for (const NodeState& node : nodes)
    if (node.plan_clock == plan_clock) oldest = std::min(oldest, node.next - 1);
  return oldest;
}

// Enqueues `count` portions from `first`, or all of the work if it is not divided.
void Pipeline::Parts::enqueue(int first, int count) {
  int begin = 0;
  for (size_t i = 0; i < nodes.size(); i++) {
    const NodePlan& node = plan.nodes[i];
    const int units = int(nodes[i].work.size());
    if (plan.portions == 1 || node.portions == 1) {
      const bool is_due = plan.portions == 1 || (begin >= first && begin < first + count);
      if (is_due && units > 0) enqueue_node(i, 0, units, {});
      begin += 1;
      continue;
    }
    for (int unit = 0; unit < node.max_units; unit++, begin += node.portions) {
      const int from = std::max(first - begin, 0), to = std::min(first + count - begin, node.portions);
      if (unit < units && from < to) enqueue_node(i, unit, 1, portions_of(from, to - from, node.portions));
    }
  }
}

void Pipeline::Parts::enqueue_node(size_t number, int first, int units, const Portion& part) {
  const NodePlan& node = plan.nodes[number];
  const NodeState& state = nodes[number];
  const size_t offset =
      size_t(region) * plan.table_bytes + node.rows_offset + size_t(first * node.row.ints) * sizeof(int32_t);
  Step step;
  step.arena = arena.get();
  step.table = tables.get();
  step.table_offset_bytes = offset;
  step.rows = {reinterpret_cast<const int32_t*>(tables_host->host() + offset), size_t(units * node.row.ints)};
  step.shape = &node.row;
  step.layouts = layouts.get();
  step.layouts_offset_bytes = node.layouts_offset;
  step.inputs = state.inputs;
  step.outputs = state.outputs;
  step.units = units;
  step.scratch = scratch.get();
  step.portion = part;
  network.nodes()[number].node->enqueue(*compute, step);
}

void Pipeline::Parts::copy_down(InFlight& batch) {
  down->wait_for(*compute, batch.spans.end());
  batch.down_begin = down->mark();
  for (size_t i = 0; i < batch.outputs.size(); i++) {
    batch.outputs[i].slot = pool->take();
    for (size_t output = 0; output < plan.outputs.size(); output++)
      down->copy(pool->buffer(output), pool->offset(output, batch.outputs[i].slot), *arena,
                 size_t(slot_in_region(output, int(i))) * kSlotUnitBytes,
                 plan.ports[size_t(plan.outputs[output])].layout.unit_bytes);
  }
  batch.down = region_down[size_t(region)] = down->mark();
}

}  // namespace weft::graph
