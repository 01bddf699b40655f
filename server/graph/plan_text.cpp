// SPDX-License-Identifier: Apache-2.0
// Sums the bytes of a plan, and describes it as text.
#include <algorithm>

#include "server/graph/plan.h"

namespace weft::graph {

PlanOptions PlanOptions::halved(int times) const {
  PlanOptions smaller = *this;
  smaller.batch = std::max(batch >> std::clamp(times, 0, 30), 1);
  return smaller;
}

size_t Plan::device_bytes() const {
  size_t bytes = arena_bytes + scratch_bytes + tables_bytes() + layouts_bytes;
  for (int output = 0; output < int(outputs.size()); output++)
    if (has_device_pictures(output)) bytes += picture_bytes(output);
  return bytes;
}

size_t Plan::host_bytes() const {
  size_t bytes = upload_bytes() + tables_bytes();
  for (int output = 0; output < int(outputs.size()); output++)
    if (!has_device_pictures(output)) bytes += picture_bytes(output);
  return bytes + layouts_bytes;
}

std::string Plan::describe() const {
  std::string text =
      fmt::format("{}, batches of {} frames, {} in flight, {:.1f} MB on the device, {:.1f} MB pinned\n",
                  ports[0].layout.format.text(), batch(), options.in_flight, double(device_bytes()) / 1e6,
                  double(host_bytes()) / 1e6);
  for (size_t i = 0; i < nodes.size(); i++) {
    const NodePlan& node = nodes[i];
    text += fmt::format("  {}: lag {}, up to {} at once", node.name, node.lag, node.max_units);
    if (node.scratch_bytes > 0) text += fmt::format(", scratch {:.1f} MB", double(node.scratch_bytes) / 1e6);
    for (const PortPlan& port : ports)
      if (!port.is_source && port.first_step == int(i))
        text += fmt::format("; {}{}", port.layout.format.text(),
                            port.kept > 0 ? fmt::format(", {} kept", port.kept) : "");
    text += "\n";
  }
  return text;
}

}  // namespace weft::graph
