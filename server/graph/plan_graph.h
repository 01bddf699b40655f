// SPDX-License-Identifier: Apache-2.0
// Writes a plan as a directed graph in Graphviz's DOT language.
#pragma once

#include <string>

#include "server/graph/plan.h"

namespace weft::graph {

// Returns a graph with a box for each node, an ellipse for the source and each output, and an edge
// from the writer of a port to each reader. The label of a node contains its lag and batch. The
// label of an edge contains the port's format, its units per source unit if different from 1, and
// its kept units. `plan` must be compiled from `network`.
std::string plan_graph(const Network& network, const Plan& plan);

}  // namespace weft::graph
