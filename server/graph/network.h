// SPDX-License-Identifier: Apache-2.0
// Describes the nodes of a chain, connected by ports: a directed graph without cycles. Filters
// build the network; a plan (plan.h) determines its execution.
//
//   Network network;
//   const Port source = network.set_source(PortFormat::picture(format));
//   ASSIGN_OR_RETURN(const Port doubled, network.add(std::move(bob), {source}));
//   network.set_outputs({doubled});
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "server/graph/analysis.h"
#include "server/graph/node.h"
#include "server/graph/port.h"
#include "server/graph/timeline.h"

namespace weft::graph {

class Network;

// A port of a network.
struct Port {
  int id = -1;
  bool operator==(const Port&) const = default;
};

// Work that runs once before the first unit of a network: a network without outputs, and the single
// unit of its source.
struct Preparation {
  std::unique_ptr<Network> network;
  std::vector<std::byte> unit;
  std::function<void()> done;  // called when the work has ended
};

// Memory that a preparation, or constants in device memory, need. A network that is made without a
// device, only to describe its needs, states it.
struct ExpectedPreparation {
  size_t kept_bytes = 0;    // device memory that the result occupies
  size_t device_bytes = 0;  // peak device memory
  size_t host_bytes = 0;    // peak host memory
  size_t making_bytes = 0;  // host memory that is used first and freed before the rest is allocated
};

// Measurements of the whole input, from which a filter's decision is computed.
struct Analysis {
  // Path of the filter, followed by the analysis's name if the filter has several:
  // "filters[1].decimate".
  std::string name;
  Port records;  // port of the measured bytes, one unit for each unit of the input
  Decide decide;
  MakeLiveDecision follow{};  // empty: needs the whole input
};

// A network under construction, or complete. Movable. Not thread-safe.
class Network {
 public:
  static constexpr int kMostNodes = 4096;
  static constexpr int kMostRate = 16;      // limit of output units per source unit
  static constexpr int kMostWindow = 1024;  // limit of source units on each side of an output unit

  Network() = default;
  Network(Network&&) = default;
  Network& operator=(Network&&) = default;

  // Sets the source. Must be called once, before all other functions.
  Port set_source(const PortFormat& format, const PictureProperties& properties = {});
  // Adds a node, connects its inputs to `inputs` and returns its outputs. Returns INVALID_ARGUMENT
  // if the ports have different clocks (such as two frame rates) or a limit is exceeded, and
  // INTERNAL if the number of ports or the maps do not match the node's inputs.
  StatusOr<std::vector<Port>> add_node(std::unique_ptr<Node> node, std::span<const Port> inputs);
  // Adds a node with one output. The output has the properties of the node's first input.
  StatusOr<Port> add(std::unique_ptr<Node> node, std::initializer_list<Port> inputs);
  // Sets the outputs. Each output delivers one unit at the same time. Returns INTERNAL if the ports
  // have different clocks.
  Status set_outputs(std::vector<Port> outputs);

  const PortFormat& format(Port port) const { return ports_[size_t(port.id)].format; }
  const PictureProperties& properties(Port port) const { return ports_[size_t(port.id)].properties; }
  void set_properties(Port port, const PictureProperties& properties) {
    ports_[size_t(port.id)].properties = properties;
  }
  // Returns the largest number of the port's units per source unit.
  Rate rate(Port port) const;
  // Returns the largest number of source units from a unit of the port to the one `units` later.
  int most_sources(Port port, int units) const;

  // Adds an output of bytes after the outputs of frames, with one unit per frame. The order of
  // calls is the order of the outputs.
  void add_report(Port port) { reports_.push_back(port); }
  const std::vector<Port>& reports() const { return reports_; }

  // Adds a note for the user about an effect of the filters on this input. Ignores a repeated note.
  void add_note(std::string note) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
  }
  const std::vector<std::string>& notes() const { return notes_; }

  // States that a node computes with floating-point numbers, so that its results differ between
  // devices of different kinds within a tolerance.
  void set_inexact() { is_exact_ = false; }
  bool is_exact() const { return is_exact_; }

  // Sets the first analysis without a decision (FilterContext::analyse); later calls have no
  // effect. A network for a device ends with the records of the analysis. A network that is only
  // described continues with the expected decision.
  void analyse(Analysis analysis) {
    if (!analysis_) analysis_ = std::move(analysis);
  }
  const std::optional<Analysis>& analysis() const { return analysis_; }

  // Adds the summary of a decision of the analysis.
  void summarize(const std::string& analysis, DecisionSummary summary) {
    summaries_[analysis] = std::move(summary);
  }
  const DecisionSummaries& summaries() const { return summaries_; }
  // Returns the divisor of the source's time unit that gives the unit of the port's times.
  double time_divisor(Port port) const;

  // States that an analysis may leave out source units, but measures at least one of `units` in a
  // row, and the last one.
  void set_analysis_gap(int units) { analysis_gap_ = std::max(analysis_gap_, units); }
  int analysis_gap() const { return analysis_gap_; }

  // Adds work that runs before the first unit, in order of the calls.
  void add_preparation(Preparation preparation) { preparations_.push_back(std::move(preparation)); }
  std::vector<Preparation>& preparations() { return preparations_; }
  // States the memory that a preparation would need; replaces `add_preparation` in a network that
  // is only described.
  void expect_preparation(const ExpectedPreparation& expected) { expected_.push_back(expected); }
  const std::vector<ExpectedPreparation>& expected_preparations() const { return expected_; }

  // The following types and functions are for plans and pipelines. Nodes are in topological order.
  struct PortInfo {
    PortFormat format;
    PictureProperties properties;
    int clock = 0;
    int node = -1;   // index of the node with this output; -1: the source
    int output = 0;  // index among the node's outputs
    // Indices of the reading nodes, with the input of each.
    std::vector<std::pair<int, int>> readers;
  };
  struct NodeInfo {
    std::unique_ptr<Node> node;
    std::vector<int> inputs, outputs;  // port ids
    int clock = 0;                     // clock of the units that the node processes
  };
  const std::vector<PortInfo>& ports() const { return ports_; }
  const std::vector<NodeInfo>& nodes() const { return nodes_; }
  const std::vector<ClockRule>& clocks() const { return clocks_; }
  const std::vector<int>& outputs() const { return outputs_; }
  // Returns the number of ints of the quantisers in a row of a node's table; 0: it reads none.
  int quantiser_ints(size_t node) const;
  // Returns whether a node reads quantisers. The source then has to state them.
  bool reads_quantisers() const;

  // Returns for each node the units of its clock that the outputs depend on. Demand is propagated
  // backwards through maps and windows. If a rule cannot predict the parents of a unit, all units
  // of the parent clock are demanded. A unit is computed if its whole window is computed. The
  // windows of earlier units therefore prime a unit that a map reads after a gap.
  std::vector<UnitSet> demand() const;

  // Completes the network for a plan: removes the nodes that no output depends on and renumbers the
  // ports. Adds a node that copies the outputs, unless all outputs belong to one node and no other
  // node reads them.
  Status complete();

 private:
  UnitSet demand_of(int port, const std::vector<UnitSet>& nodes) const;
  void remove_unused();
  Status separate_outputs();
  StatusOr<int> clock_of(int parent, const TimeRulePtr& rule);

  std::vector<PortInfo> ports_;
  std::vector<NodeInfo> nodes_;
  std::vector<ClockRule> clocks_{ClockRule()};
  std::vector<int> outputs_;
  std::vector<Port> reports_;
  std::vector<std::string> notes_;
  bool is_exact_ = true;
  std::optional<Analysis> analysis_;
  int analysis_gap_ = 1;
  DecisionSummaries summaries_;
  std::vector<Preparation> preparations_;
  std::vector<ExpectedPreparation> expected_;
};

// Returns the largest number of units of `clock` per source unit.
Rate rate_of(std::span<const ClockRule> clocks, int clock);

}  // namespace weft::graph
