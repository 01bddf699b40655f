// SPDX-License-Identifier: Apache-2.0
// A plan as a directed graph in Graphviz's DOT language.
#pragma once

#include <string>

#include "server/graph/plan.h"

namespace weft::graph {

// A box for each node, an ellipse for the source and for each output, and an edge from the writer of a port to each of its readers. A node's
// label has its lag and batch, an edge's label the port's format, its units for one of the source where that is not one, and the units
// that it keeps. `plan` was compiled of `network`.
std::string plan_graph(const Network& network, const Plan& plan);

}  // namespace weft::graph
