// SPDX-License-Identifier: Apache-2.0
// A node: what a device does with the units of its inputs. It says of itself as data what a plan needs (NodeDescriptor) and
// enqueues work, which cannot fail: what can, did when it was made.
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

// What a unit costs beside a launch: whole frames read and written once each, and arithmetic. The cost of a batch is learnt as a + b * n;
// the bytes are the floor that benchmarks compare with, and both predict what a device takes that never ran the node (unit_work.h).
struct CostShape {
  double frames_read = 1;
  double frames_written = 1;
  double operations = 10;      // for a sample of the first output, or of the first input where that is bytes
  double unit_operations = 0;  // and for a unit, whatever its samples are
};

struct NodeDescriptor {
  std::string name;            // "bwdif"
  std::vector<Window> inputs;  // of each edge
  // Of each edge, or none: the units that it reads of a port with another clock; null: of one that ticks as the first edge's, which is
  // without a map and whose flags, times and side data the outputs have.
  std::vector<UnitMapPtr> maps{};
  std::vector<PortFormat> outputs;
  TimeRulePtr rule{};  // of the outputs to the inputs; null: one for one, at the same time
  CostShape cost{};

  const UnitMap* map(size_t input) const { return input < maps.size() ? maps[input].get() : nullptr; }
};

// Units of a node to be worked on, all of them or a part of one.
struct Step {
  const device::Buffer* arena = nullptr;  // all inputs and outputs lie in it
  const device::Buffer* table = nullptr;  // a row (shape) for each unit
  size_t table_offset_bytes = 0;
  std::span<const int32_t> rows;  // the same, as the host sees them
  const RowShape* shape = nullptr;
  const device::Buffer* layouts = nullptr;  // LAYOUT_INTS a port, inputs first
  size_t layouts_offset_bytes = 0;
  std::span<const PortLayout*const> inputs, outputs;
  int units = 0;
  const device::Buffer* scratch = nullptr;  // scratch_bytes(units) of it; nothing else's in between
  Portion portion{};                        // of the units' work; {}: everything

  // Bytes from the arena's begin of an input's unit, `offset` from the one that is worked on; of an output's unit.
  size_t input_place(int input, int unit, int offset = 0) const {
    return size_t(rows[size_t(unit * shape->ints + shape->inputs[size_t(input)] + offset)]) * kPlaceBytes;
  }
  size_t output_place(int output, int unit, int number = 0) const {
    return size_t(rows[size_t(unit * shape->ints + shape->targets[size_t(output)] + number)]) * kPlaceBytes;
  }
};

// Made for one device, format and set of options. One thread at a time.
class Node {
 public:
  virtual ~Node() = default;

  virtual const NodeDescriptor& descriptor() const = 0;
  // Device memory that so many units need besides inputs and outputs.
  virtual size_t scratch_bytes([[maybe_unused]] int units) const { return 0; }
  // In how many portions (portion.h) a unit's work can be done, where all of it would hold the device for too long. 1: at once.
  // A step of a node that has more is of one unit.
  virtual int portions() const { return 1; }
  virtual void enqueue(device::Stream& stream, const Step& step) = 0;
};

}  // namespace weft::graph
