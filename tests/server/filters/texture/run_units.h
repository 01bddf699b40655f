// SPDX-License-Identifier: Apache-2.0
// Runs a network with ports of bytes on a device, unit by unit.
#pragma once

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "server/filters/texture/texture.h"
#include "tests/filter_suite/devices.h"

namespace weft::filters::texture {

// Adds nodes after the source and returns the outputs.
using Build =
    std::function<StatusOr<std::vector<Port>>(const FilterContext& context, Network& network, Port source)>;

// Returns the outputs of each unit in order.
inline std::vector<std::vector<std::string>> run_units(device::Device& device, const PortFormat& source,
                                                       const std::vector<std::string>& units,
                                                       const Build& build, int batch = 2) {
  std::vector<std::vector<std::string>> made;
  const auto run = [&]() -> Status {
    Network network;
    const FilterContext context{.device = &device, .caches = &caches_of(device)};
    const Port port = network.set_source(source);
    ASSIGN_OR_RETURN(std::vector<Port> outputs, build(context, network, port));
    std::vector<size_t> sizes;
    for (const Port output : outputs) sizes.push_back(network.format(output).bytes);
    RETURN_IF_ERROR(network.set_outputs(std::move(outputs)));
    ASSIGN_OR_RETURN(auto pipeline, Pipeline::make(device, std::move(network), {.plan = {.batch = batch}}));
    size_t next = 0;
    while (next < units.size() || !pipeline->is_empty()) {
      if (next < units.size() && pipeline->has_capacity()) {
        ASSIGN_OR_RETURN(StagedUnit staged, pipeline->stage());
        std::memcpy(staged.data[0], units[next].data(), units[next].size());
        pipeline->push({});
        if (++next == units.size()) pipeline->finish();
        continue;
      }
      if (pipeline->ready() > 0) {
        pipeline->submit(pipeline->ready());
        continue;
      }
      ASSIGN_OR_RETURN(const std::optional<OutputUnit> unit, pipeline->pop());
      if (!unit) continue;
      std::vector<std::string>& outputs_made = made.emplace_back();
      outputs_made.emplace_back(reinterpret_cast<const char*>(unit->data[0]), sizes[0]);
      for (size_t i = 1; i < sizes.size(); i++)
        outputs_made.emplace_back(reinterpret_cast<const char*>(unit->others[i - 1].data()), sizes[i]);
    }
    return ok_status();
  };
  EXPECT_THAT(run(), IsOk());
  EXPECT_EQ(made.size(), units.size());
  made.resize(units.size());
  return made;
}

}  // namespace weft::filters::texture
