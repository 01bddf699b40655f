// SPDX-License-Identifier: Apache-2.0
// Nodes joined by ports: a directed graph without circles, as filters wrote it. Pure data; a plan (plan.h) says how it runs.
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

// A port of a network, by its number.
struct Port {
  int id = -1;
  bool operator==(const Port&) const = default;
};

// Work that comes before a network's first unit, once: a network of its own, of which nothing comes out, and the one unit of
// its source.
struct Preparation {
  std::unique_ptr<Network> network;
  std::vector<std::byte> unit;
  std::function<void()> done;  // when all of it has ended
};

// What a preparation will take of memory, told by a network that is only described.
struct ExpectedPreparation {
  size_t kept_bytes = 0;    // of the device's, that what it makes keeps
  size_t device_bytes = 0;  // of the device's, while it is made
  size_t host_bytes = 0;    // of the host's, likewise
  size_t making_bytes = 0;  // of the host's, before anything of that is there
};

// Measurements of the whole input that a filter's decision needs.
struct Analysis {
  std::string name;  // path of the filter, and the analysis where it has several: "filters[1].decimate"
  Port records;      // bytes that are measured of each unit
  Decide decide;
};

// One thread at a time. Movable.
class Network {
 public:
  static constexpr int kMostNodes = 4096;
  static constexpr int kMostRate = 16;      // units that come of one of the source's
  static constexpr int kMostWindow = 1024;  // units of the source that an output looks at, to each side

  Network() = default;
  Network(Network&&) = default;
  Network& operator=(Network&&) = default;

  // First, and once.
  Port set_source(const PortFormat& format, const PictureProperties& facts = {});
  // Joins a node's inputs to ports; its outputs. INVALID_ARGUMENT: another number of ports than the node has inputs, ports that
  // do not tick alike (a filter doubled the pictures of one), or a limit above.
  StatusOr<std::vector<Port>> add_node(std::unique_ptr<Node> node, std::span<const Port> inputs);
  // The same for a node with one output, whose facts are those of its first input.
  StatusOr<Port> add(std::unique_ptr<Node> node, std::initializer_list<Port> inputs);
  // What comes out, a unit of each together. They tick alike. INVALID_ARGUMENT: they do not.
  Status set_outputs(std::vector<Port> outputs);

  const PortFormat& format(Port port) const { return ports_[size_t(port.id)].format; }
  const PictureProperties& facts(Port port) const { return ports_[size_t(port.id)].facts; }
  void set_facts(Port port, const PictureProperties& facts) { ports_[size_t(port.id)].facts = facts; }
  // Units of the port for one of the source, at most.
  Rate rate(Port port) const;

  // A port of bytes that comes out beside the pictures, a unit of each together, in this order.
  void add_report(Port port) { reports_.push_back(port); }
  const std::vector<Port>& reports() const { return reports_; }

  // What a careful user should know of what the filters do to this input; each once.
  void add_note(std::string note) {
    if (std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(std::move(note));
  }
  const std::vector<std::string>& notes() const { return notes_; }

  // The first analysis without a decision (FilterContext::analyse). A network for a device ends with its records; one that only
  // describes goes on with what is to be expected.
  void analyse(Analysis analysis) {
    if (!analysis_) analysis_ = std::move(analysis);
  }
  const std::optional<Analysis>& analysis() const { return analysis_; }

  // Work that comes before the first unit; in this order.
  void add_preparation(Preparation preparation) { preparations_.push_back(std::move(preparation)); }
  std::vector<Preparation>& preparations() { return preparations_; }
  // What such work will take, where the network is for no device and there is none.
  void expect_preparation(const ExpectedPreparation& expected) { expected_.push_back(expected); }
  const std::vector<ExpectedPreparation>& expected_preparations() const { return expected_; }

  // As a plan and a pipeline read it. Nodes are in order: a node's inputs come of earlier ones.
  struct PortInfo {
    PortFormat format;
    PictureProperties facts;
    int clock = 0;
    int node = -1;                             // that it is an output of; -1: the source
    int output = 0;                            // which one
    std::vector<std::pair<int, int>> readers;  // nodes, and which input of each
  };
  struct NodeInfo {
    std::unique_ptr<Node> node;
    std::vector<int> inputs, outputs;  // ports
    int clock = 0;                     // of the units that it works on one by one
  };
  const std::vector<PortInfo>& ports() const { return ports_; }
  const std::vector<NodeInfo>& nodes() const { return nodes_; }
  const std::vector<ClockRule>& clocks() const { return clocks_; }
  const std::vector<int>& outputs() const { return outputs_; }

  // Of each node, the units of its clock that the outputs depend on: demand goes from the maps back through the windows. A rule that
  // cannot tell ahead has all units of its parent computed, and a unit is computed once all that its windows look at is: what a map
  // reads after a gap is primed by as many units as the windows before it hold.
  std::vector<UnitSet> demand() const;

  // Called by what makes a plan. Removes nodes that no output depends on; ports get new numbers. Unless the outputs are those of one node
  // and nothing else reads them, adds a node that copies them.
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
  std::optional<Analysis> analysis_;
  std::vector<Preparation> preparations_;
  std::vector<ExpectedPreparation> expected_;
};

// Units of a clock for one of the source, at most.
Rate rate_of(std::span<const ClockRule> clocks, int clock);

}  // namespace weft::graph
