// SPDX-License-Identifier: Apache-2.0
// Declares the interface of a node, an operation on the units of its inputs. A node describes
// itself by a NodeDescriptor and enqueues its work on a stream. Errors occur at construction only,
// not while work is enqueued.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/device/device.h"
#include "server/graph/port.h"
#include "server/graph/portion.h"
#include "server/graph/time_rule.h"
#include "server/graph/unit_table.h"

namespace weft::graph {

// Cost of a unit without its launches: frames that are read and written once, and arithmetic. The
// bytes are the lower bound in benchmarks. Bytes and operations predict the cost on a device that
// has not run the node (unit_work.h); later, the cost of a batch is measured
// (schedule/batch_cost.h).
struct CostShape {
  double frames_read = 1;
  double frames_written = 1;
  // Operations per sample of the first output, or of the first input if the output is bytes.
  double operations = 10;
  double unit_operations = 0;  // additional operations per unit
};

struct NodeDescriptor {
  std::string name;            // such as "bwdif"
  std::vector<Window> inputs;  // window of each input
  // Empty, or one map per input: the units that the input reads from a port with another clock. A
  // null map: the port has the clock of the first input. The first input has no map; the outputs
  // inherit the flags, times and side data of its units.
  std::vector<UnitMapPtr> maps{};
  std::vector<PortFormat> outputs;
  // Relation of the outputs' clock to the inputs' clock; null: one unit at the same time for each.
  TimeRulePtr rule{};
  CostShape cost{};
  // True: a row of the table has the quantisers of the unit (FrameInfo::quantisers), for pictures
  // of the first input's size.
  bool reads_quantisers = false;

  const UnitMap* map(size_t input) const { return input < maps.size() ? maps[input].get() : nullptr; }
};

// The units that a node processes in one step, or a portion of one unit.
struct Step {
  const device::Buffer* arena = nullptr;  // memory of all inputs and outputs
  const device::Buffer* table = nullptr;  // table with one row (`shape`) per unit
  size_t table_offset_bytes = 0;
  std::span<const int32_t> rows;  // host copy of the table
  const RowShape* shape = nullptr;
  const device::Buffer* layouts = nullptr;  // LAYOUT_INTS numbers for each port, inputs first
  size_t layouts_offset_bytes = 0;
  std::span<const PortLayout*const> inputs, outputs;
  int units = 0;
  const device::Buffer* scratch = nullptr;  // scratch_bytes(units) bytes that only this step uses
  Portion portion{};                        // portion of the work per unit; {}: all of it

  // Return the offset in the arena, in bytes: of the unit of an input that is `offset` units from
  // the current one, or of the unit `number` of an output.
  size_t input_offset(int input, int unit, int offset = 0) const {
    return size_t(rows[size_t(unit * shape->ints + shape->inputs[size_t(input)] + offset)]) * kSlotUnitBytes;
  }
  size_t output_offset(int output, int unit, int number = 0) const {
    return size_t(rows[size_t(unit * shape->ints + shape->targets[size_t(output)] + number)]) *
           kSlotUnitBytes;
  }
};

// A node for one device, format and set of options. Not thread-safe.
class Node {
 public:
  virtual ~Node() = default;

  virtual const NodeDescriptor& descriptor() const = 0;
  // Returns the bytes of device memory that a step of `units` units needs in addition.
  virtual size_t scratch_bytes([[maybe_unused]] int units) const { return 0; }
  // Returns the number of portions (portion.h) of a unit. It is above 1 if the undivided work of a
  // unit would occupy the device for too long. A step of a node with several portions has one unit.
  virtual int portions() const { return 1; }
  virtual void enqueue(device::Stream& stream, const Step& step) = 0;
};

}  // namespace weft::graph
