// SPDX-License-Identifier: Apache-2.0
// Compiles a network into a plan: the lag of each node, the units that each port retains, and one
// arena with overlapping allocations. Uses no device.
//
// A batch consists of source units. In a batch, the nodes run in the network's order, and each
// processes all units that its inputs allow. Every node therefore lags the source by a constant
// number of units. At the end of a run, all nodes process the rest. The place of a port's unit is
//   - the port's transient memory, if no node needs it after the batch; transient areas of ports
//     overlap unless both are live at the same step;
//   - one of the port's kept slots, if a node needs it later;
//   - for the source: a ring that the upload fills;
//   - for an output: the region of the batch, from which the download reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/graph/network.h"

namespace weft::graph {

struct PlanOptions {
  int batch = 16;     // maximum number of source units in a batch
  int in_flight = 2;  // maximum number of batches that are submitted and not popped
  // Number of popped units that may be unreleased without blocking the next batch.
  int held = 8;
  int64_t units = 0;  // number of source units; 0: unknown
  // True if the duration of each unit is the time to the next one. Nodes that only need the time of
  // the next frame then do not wait for it.
  bool exact_durations = false;
  bool whole_units = false;  // true: units are not divided into portions
  // True: the units of the first output stay in device memory (OutputUnit::device), for a reader on
  // the device.
  bool device_output = false;
  int max_launch_z = 65535;  // maximum number of blocks in z per launch

  // Returns the options with the batch halved `times` times, down to 1 unit.
  PlanOptions halved(int times) const;
};

struct NodePlan {
  std::string name;
  int clock = 0;
  // Maximum lag relative to the newest source unit, in units of the node's clock.
  int lag = 0;
  int inputs_lag = 0;  // maximum lag in units of the inputs' clock
  int ahead = 0;       // number of source units after a batch's last one that the node may process
  int max_units = 0;   // maximum number of units per step
  int portions = 1;
  // By input: number of units after the current one that the node waits for.
  std::vector<int> after;
  RowShape row;
  size_t rows_offset = 0;     // offset in bytes in a batch's table
  size_t layouts_offset = 0;  // offset in bytes in the layouts
  size_t scratch_bytes = 0;
};

struct PortPlan {
  PortLayout layout;
  int clock = 0;
  // Least and most lag of the writing node in units of the port's clock.
  int least_lag = 0, lag = 0;
  int max_units = 0;  // maximum number of units written per batch
  int kept = 0;       // maximum number of units that are read after their batch
  // Arena offsets in bytes.
  size_t kept_offset = 0;       // start of kept_slots() units; for the source, of the ring
  size_t transient_offset = 0;  // start of max_units units
  // First and last step of a batch with live units: the indices of the writer and the last reader.
  int first_step = 0, last_step = 0;
  bool is_source = false, is_output = false;
  int ring_slots = 0;  // number of slots of the source's ring

  // Returns the number of kept slots: twice `kept`, for the units of the last and of the current
  // batch.
  int kept_slots() const { return is_source ? ring_slots : 2 * kept; }
  bool has_transient() const { return !is_source && !is_output; }
  size_t kept_bytes() const { return size_t(kept_slots()) * layout.unit_bytes; }
  size_t transient_bytes() const { return has_transient() ? size_t(max_units) * layout.unit_bytes : 0; }
};

struct Plan {
  PlanOptions options;
  std::vector<NodePlan> nodes;
  std::vector<PortPlan> ports;
  std::vector<int> outputs;
  std::vector<ClockRule> clocks;  // the network's clocks, with their lookahead
  int output_clock = 0;
  int lead = 0;  // number of source units after a batch's last one that nodes read
  // Number of source units before and after the requested ones that outputs depend on.
  Window window;
  int portions = 1;  // portions per source unit; if above 1, a batch has one unit
  int upload_slots = 0;
  int region_units = 0;   // maximum number of units of an output per batch
  int picture_slots = 0;  // slots of the picture pool per output
  // Offset of each output's regions in the arena: in_flight regions of region_units units.
  std::vector<size_t> regions_offset;
  size_t table_bytes = 0;  // bytes of a batch's table
  size_t layouts_bytes = 0;
  size_t arena_bytes = 0;
  size_t scratch_bytes = 0;

  // Compiles `network`, which is completed first. Returns INVALID_ARGUMENT if the windows of the
  // filters exceed a limit.
  static StatusOr<Plan> compile(Network& network, const PlanOptions& options);

  int batch() const { return options.batch; }
  int max_units() const { return batch() * portions; }
  size_t tables_bytes() const { return table_bytes * size_t(options.in_flight); }
  size_t device_bytes() const;
  size_t upload_bytes() const { return ports[0].layout.unit_bytes * size_t(upload_slots); }
  bool has_device_pictures(int output) const { return options.device_output && output == 0; }
  size_t picture_bytes(int output) const {
    return ports[size_t(outputs[size_t(output)])].layout.unit_bytes * size_t(picture_slots);
  }
  size_t host_bytes() const;
  std::string describe() const;
};

// Assigns arena offsets to the kept units, outputs and transient units of a plan that is otherwise
// complete. Plan::compile calls this function.
void lay_out_arena(Plan& plan);

// Bytes of the arena that are live from step `first` to step `last`, inclusive. For tests.
struct ArenaBlock {
  std::string what;
  size_t begin = 0, bytes = 0;
  int first = 0, last = 0;
};
std::vector<ArenaBlock> arena_blocks(const Plan& plan);

}  // namespace weft::graph
