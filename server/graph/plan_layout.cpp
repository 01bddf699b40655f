// SPDX-License-Identifier: Apache-2.0
// Assigns the arena offsets of a plan's units.
#include <algorithm>
#include <functional>
#include <limits>

#include "server/graph/plan.h"

namespace weft::graph {
namespace {

constexpr int kWholeRun = std::numeric_limits<int>::max();

size_t first_fit(const Plan& plan, const PortPlan& port, const std::vector<size_t>& placed, size_t begin) {
  std::vector<std::pair<size_t, size_t>> taken;
  for (const size_t p : placed) {
    const PortPlan& other = plan.ports[p];
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

// Places the transient areas, largest first, each in the first gap between the areas that are live
// at the same steps. Returns the end of the last area.
size_t lay_out_transients(Plan& plan, size_t begin) {
  std::vector<size_t> order;
  for (size_t p = 0; p < plan.ports.size(); p++)
    if (plan.ports[p].transient_bytes() > 0) order.push_back(p);
  std::ranges::stable_sort(order, std::greater(), [&](size_t p) { return plan.ports[p].transient_bytes(); });
  std::vector<size_t> placed;
  size_t end = begin;
  for (const size_t p : order) {
    PortPlan& port = plan.ports[p];
    port.transient_offset = first_fit(plan, port, placed, begin);
    placed.push_back(p);
    end = std::max(end, port.transient_offset + port.transient_bytes());
  }
  return end;
}

}  // namespace

void lay_out_arena(Plan& plan) {
  size_t end = 0;
  for (PortPlan& port : plan.ports) {
    port.kept_offset = end;
    end += port.is_output ? 0 : port.kept_bytes();
  }
  for (const int output : plan.outputs) {
    plan.regions_offset.push_back(end);
    end += plan.ports[size_t(output)].layout.unit_bytes * size_t(plan.region_units) *
           size_t(plan.options.in_flight);
  }
  plan.arena_bytes = lay_out_transients(plan, end);
}

std::vector<ArenaBlock> arena_blocks(const Plan& plan) {
  std::vector<ArenaBlock> blocks;
  for (size_t p = 0; p < plan.ports.size(); p++) {
    const PortPlan& port = plan.ports[p];
    if (!port.is_output && port.kept_bytes() > 0)
      blocks.push_back({fmt::format("kept {}", p), port.kept_offset, port.kept_bytes(), 0, kWholeRun});
    if (port.transient_bytes() > 0)
      blocks.push_back({fmt::format("transient {}", p), port.transient_offset, port.transient_bytes(),
                        port.first_step, port.last_step});
  }
  for (size_t i = 0; i < plan.outputs.size(); i++)
    blocks.push_back({fmt::format("output {}", i), plan.regions_offset[i],
                      plan.ports[size_t(plan.outputs[i])].layout.unit_bytes * size_t(plan.region_units) *
                          size_t(plan.options.in_flight),
                      0, kWholeRun});
  return blocks;
}

}  // namespace weft::graph
