// SPDX-License-Identifier: Apache-2.0
// Launches one kernel on independent rows, so that a unit can be processed in portions.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "server/filters/filter.h"

namespace weft::filters {

struct RowsShape {
  uint32_t lanes = 1;  // lanes of a row
  int rows = 1;
  double lane_cost = 1;  // approximate operations of a lane
  // for a kernel with one team per tile (kernels/texture/tile.h): the lanes of a team, and the
  // columns and rows of a tile; else 1
  uint32_t team_lanes = 1, tile_x = 1, tile_y = 1;

  device::Grid grid(int of_rows) const {
    const auto parts = [](uint32_t size, uint32_t part) { return (size + part - 1) / part; };
    return {parts(lanes, tile_x) * team_lanes, parts(uint32_t(of_rows), tile_y), 1};
  }
};

// Returns the number of portions of a unit. A portion occupies the device for about 0.25 ms
// (docs/decisions/0023).
inline int portions_of_rows(const FilterContext& context, const RowsShape& shape) {
  constexpr double kUnitOperations = 2.5e5;     // operations of a GPU's compute unit in 0.25 ms
  constexpr double kCpuUnitOperations = 2.5e5;  // operations of a CPU core in 0.25 ms
  if (context.device == nullptr) return 1;
  const device::DeviceInfo& info = context.device->info();
  const double per_unit = info.kind == device::BackendKind::kCpu ? kCpuUnitOperations : 64 * kUnitOperations;
  const double operations = double(shape.lanes) * shape.rows * shape.lane_cost;
  return int(std::clamp(operations / (per_unit * std::max(info.compute_units, 1u)), 1.0, double(shape.rows)));
}

// A node with one launch for each unit of a portion. `Params` has the field `first_row` and, if the
// kernel's teams process tiles, `last_row`, which is one more than the last row of the portion.
template <class Params>
class RowsNode final : public Node {
 public:
  struct Parts {
    NodeDescriptor descriptor;
    const device::Kernel* kernel = nullptr;
    RowsShape shape{};
    int portions = 1;
    std::function<void(const Step& step, int unit, Params& params)> complete{};
  };

  explicit RowsNode(Parts parts) : parts_(std::move(parts)) {
    CostShape& cost = parts_.descriptor.cost;
    cost.operations = 0;
    cost.unit_operations = double(parts_.shape.lanes) * parts_.shape.rows * parts_.shape.lane_cost;
  }

  const NodeDescriptor& descriptor() const override { return parts_.descriptor; }
  int portions() const override { return parts_.portions; }
  void enqueue(device::Stream& stream, const Step& step) override {
    const Items rows = items_of(step.portion, parts_.shape.rows);
    if (rows.count == 0) return;
    for (int unit = 0; unit < step.units; unit++) {
      Params params = {};
      parts_.complete(step, unit, params);
      params.first_row = rows.first;
      if constexpr (requires { params.last_row; }) params.last_row = rows.first + rows.count;
      stream.launch(*parts_.kernel, parts_.shape.grid(rows.count), params);
    }
  }

 private:
  Parts parts_;
};

// Return the location of a unit of an input, and of a unit of the output, in the arena.
template <class Word>
Word source_of(const Step& step, int unit, int input = 0) {
  return device::at<Word>(*step.arena, step.input_offset(input, unit));
}
template <class Word>
Word target_of(const Step& step, int unit) {
  return device::at<Word>(*step.arena, step.output_offset(0, unit));
}

// Loads a kernel with teams that share an array of `team_bytes` bytes. Returns null without a
// device.
inline StatusOr<const device::Kernel*> load_team_kernel(const FilterContext& context, std::string_view kernel,
                                                        size_t team_bytes) {
  if (context.device == nullptr) return static_cast<const device::Kernel*>(nullptr);
  return context.device->load(kernel, team_bytes);
}

// Adds a RowsNode. `team_bytes` is the size of the array that a team shares, or 0.
template <class Params>
StatusOr<Port> add_rows_node(const FilterContext& context, Network& network,
                             std::initializer_list<Port> inputs, std::string_view kernel,
                             typename RowsNode<Params>::Parts parts, size_t team_bytes = 0) {
  ASSIGN_OR_RETURN(parts.kernel, load_team_kernel(context, kernel, team_bytes));
  parts.descriptor.inputs.resize(inputs.size());
  parts.portions = portions_of_rows(context, parts.shape);
  return network.add(std::make_unique<RowsNode<Params>>(std::move(parts)), inputs);
}

}  // namespace weft::filters
