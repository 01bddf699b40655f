// SPDX-License-Identifier: Apache-2.0
// What a plan tells of itself.
#include <limits>

#include "server/graph/plan.h"

namespace weft::graph {
namespace {

constexpr int kWholeRun = std::numeric_limits<int>::max();

}  // namespace

size_t Plan::host_bytes() const {
  size_t bytes = upload_bytes() + tables_bytes();
  for (size_t output = 0; output < outputs.size(); output++) bytes += picture_bytes(int(output));
  return bytes + layouts_bytes;
}

std::string Plan::describe() const {
  std::string text =
      fmt::format("{}, batches of {} frames, {} in flight, {:.1f} MB on the device, {:.1f} MB pinned\n",
                  ports[0].layout.format.text(), batch(), options.in_flight, double(device_bytes()) / 1e6,
                  double(host_bytes()) / 1e6);
  for (size_t i = 0; i < nodes.size(); i++) {
    const NodePlan& node = nodes[i];
    text += fmt::format("  {}: {} behind, up to {} at once", node.name, node.lag, node.max_units);
    if (node.scratch_bytes > 0) text += fmt::format(", scratch {:.1f} MB", double(node.scratch_bytes) / 1e6);
    for (const PortPlan& port : ports)
      if (!port.is_source && port.first_step == int(i))
        text += fmt::format("; {}{}", port.layout.format.text(),
                            port.kept > 0 ? fmt::format(", {} kept", port.kept) : "");
    text += "\n";
  }
  return text;
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
