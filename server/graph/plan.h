// SPDX-License-Identifier: Apache-2.0
// A network compiled: how far each node lags behind the source, what each port keeps, and one arena in which everything lies, where
// what is not needed at the same time shares its place. Pure: no device. It prints itself.
//
// A batch takes source units. Each node then works on all units that its inputs allow, in the network's order, so every node
// lags behind the source by a constant number of units, but for the ends of runs, where all catch up. A unit of a port lies
//   - in the port's transient place, when no node needs it after the batch: places of ports share memory where the steps at which
//     they live do not overlap;
//   - in one of the port's kept slots, when a node needs it later;
//   - of the source in a ring that the upload fills, and of an output in a region of the batch in flight that the download reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/graph/network.h"

namespace weft::graph {

struct PlanOptions {
  int batch = 16;     // source units that a batch takes, at most
  int in_flight = 2;  // batches submitted and not yet popped, at most
  int held = 8;       // units popped and not yet released that must not hold up the next batch
  int64_t units = 0;  // that will come; 0: not known
  // Each unit's duration is the time to the next: what looks at no next frame then waits for none.
  bool exact_durations = false;
  bool whole_units = false;  // never in portions
  // Units of the first output come out in the device's memory (OutputUnit::device), for a consumer on the device.
  bool device_output = false;
  int max_launch_z = 65535;  // blocks in z of one launch
};

struct NodePlan {
  std::string name;
  int clock = 0;
  int lag = 0;         // units of its clock that it is behind what the source's newest would allow, at most
  int inputs_lag = 0;  // the same in units of its inputs' clock
  int ahead = 0;       // units of the source that it works on before batches are made of them
  int max_units = 0;   // of a step
  int portions = 1;
  std::vector<int> after;  // of each input: units after the one that it works on that it waits for
  RowShape row;
  size_t rows_offset = 0;     // bytes, in a batch's table
  size_t layouts_offset = 0;  // bytes, in the layouts
  size_t scratch_bytes = 0;
};

struct PortPlan {
  PortLayout layout;
  int clock = 0;
  int least_lag = 0, lag = 0;  // of the node that writes, in units of the port's clock
  int max_units = 0;           // that a batch writes
  int kept = 0;                // units that outlive a batch, at most
  // Bytes from the arena's begin.
  size_t kept_offset = 0;       // of kept_slots() units; of the source, its ring
  size_t transient_offset = 0;  // of max_units units
  int first_step = 0,
      last_step =
          0;  // at which its units of a batch live: number of the node that writes, and that reads last
  bool is_source = false, is_output = false;
  int ring_slots = 0;  // of the source

  // Those that the last batch left, and those that this one does.
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
  std::vector<ClockRule> clocks;  // with what they look ahead
  int output_clock = 0;
  int lead = 0;      // units of the source that are taken ahead of the one that a batch ends with
  Window window;     // units of the source around those that are wanted
  int portions = 1;  // of a source unit; above 1 batches are of one
  int upload_slots = 0;
  int region_units = 0;                // of each output, that a batch gives at most
  int picture_slots = 0;               // of each output: pinned, or on the device (has_device_pictures)
  std::vector<size_t> regions_offset;  // of each output in the arena: in_flight regions of region_units units
  size_t table_bytes = 0;              // of a batch
  size_t layouts_bytes = 0;
  size_t arena_bytes = 0;
  size_t scratch_bytes = 0;

  // INVALID_ARGUMENT: the filters look further than a limit says.
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

// Gives kept units, outputs and transient units their places; the rest of the plan is complete. Called by Plan::compile.
void lay_out_arena(Plan& plan);

// Bytes from `begin` on that live from step `first` to step `last`, both included. For tests: what the arena holds.
struct ArenaBlock {
  std::string what;
  size_t begin = 0, bytes = 0;
  int first = 0, last = 0;
};
std::vector<ArenaBlock> arena_blocks(const Plan& plan);

}  // namespace weft::graph
