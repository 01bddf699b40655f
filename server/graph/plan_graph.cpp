// SPDX-License-Identifier: Apache-2.0
#include "server/graph/plan_graph.h"

namespace weft::graph {
namespace {

// Quotes a text for DOT; a line break becomes `\n`, which breaks a line of a label.
std::string quoted(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n')
      result += "\\n";
    else
      result += c;
  }
  return fmt::format("\"{}\"", result);
}

std::string label_of(const NodePlan& node) {
  std::string label = fmt::format("{}\nlag {}, up to {} at once", node.name, node.lag, node.max_units);
  if (node.portions > 1) label += fmt::format(", in {} portions", node.portions);
  if (node.scratch_bytes > 0) label += fmt::format("\nscratch {:.1f} MB", double(node.scratch_bytes) / 1e6);
  return label;
}

std::string label_of(const PortPlan& port, std::span<const ClockRule> clocks) {
  std::string label = port.layout.format.text();
  const Rate rate = rate_of(clocks, port.clock);
  if (rate != Rate{}) label += fmt::format("\n{}/{} of the source's rate", rate.numerator, rate.denominator);
  if (port.kept > 0) label += fmt::format("\n{} kept", port.kept);
  return label;
}

}  // namespace

std::string plan_graph(const Network& network, const Plan& plan) {
  std::string text =
      "digraph plan {\n  rankdir=LR;\n  node [shape=box];\n  source [shape=ellipse, label=\"source\"];\n";
  for (size_t i = 0; i < plan.nodes.size(); i++)
    text += fmt::format("  n{} [label={}];\n", i, quoted(label_of(plan.nodes[i])));
  for (size_t i = 0; i < plan.outputs.size(); i++)
    text += fmt::format("  output{} [shape=ellipse, label=\"output\"];\n", i);
  const auto writer_of = [&](int port) {
    const int node = network.ports()[size_t(port)].node;
    return node < 0 ? std::string("source") : fmt::format("n{}", node);
  };
  const auto edge = [&](int port, const std::string& reader) {
    const std::string label = label_of(plan.ports[size_t(port)], plan.clocks);
    text += fmt::format("  {} -> {} [label={}];\n", writer_of(port), reader, quoted(label));
  };
  for (size_t port = 0; port < plan.ports.size(); port++)
    for (const auto& [node, input] : network.ports()[port].readers) edge(int(port), fmt::format("n{}", node));
  for (size_t i = 0; i < plan.outputs.size(); i++) edge(plan.outputs[i], fmt::format("output{}", i));
  return text + "}\n";
}

}  // namespace weft::graph
