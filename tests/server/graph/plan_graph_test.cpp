// SPDX-License-Identifier: Apache-2.0
#include "server/graph/plan_graph.h"

#include <map>
#include <set>
#include <sstream>

#include <gmock/gmock.h>

#include "tests/server/graph/random_network.h"

namespace weft::graph {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// A graph in the subset of DOT that plans are written in: statements of nodes and of edges, one per
// line.
struct Graph {
  using Edge = std::pair<std::string, std::string>;  // from, to
  std::map<std::string, std::string> nodes;          // labels by node name
  std::multiset<Edge> edges;
  std::multimap<Edge, std::string> labels;

  static Graph parse(const std::string& text) {
    Graph graph;
    std::istringstream lines(text);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "digraph plan {");
    while (std::getline(lines, line) && line != "}") {
      if (line != "  rankdir=LR;" && line != "  node [shape=box];") graph.add(line);
    }
    EXPECT_EQ(line, "}");
    EXPECT_FALSE(std::getline(lines, line)) << line;
    return graph;
  }

 private:
  // `  NAME [shape=ellipse, label="..."];` or `  NAME -> NAME [label="..."];`
  void add(const std::string& line) {
    std::istringstream words(line);
    std::string name, word, other;
    words >> name >> word;
    const bool is_edge = word == "->";
    if (is_edge) words >> other >> word;
    EXPECT_TRUE(word.starts_with("[label=\"") || (!is_edge && word == "[shape=ellipse,")) << line;
    const size_t begin = line.find("label=\"") + 7;
    size_t end = begin;
    while (end < line.size() && line[end] != '"') end += line[end] == '\\' ? 2 : 1;
    EXPECT_EQ(end < line.size() ? line.substr(end) : "", "\"];") << line;
    const std::string label = line.substr(begin, end - begin);
    if (is_edge) {
      edges.emplace(name, other);
      labels.emplace(Edge(name, other), label);
    } else {
      EXPECT_TRUE(nodes.emplace(name, label).second) << line;
    }
  }
};

TEST(PlanGraph, HasTheNodesAndEdgesOfTheNetwork) {
  for (uint32_t i = 0; i < 100; i++) {
    std::mt19937 random(i);
    Network network = RandomNetwork(i, UnitClip::random(50, random, 0)).make();
    const Plan plan = Plan::compile(network, {}).value();
    const Graph graph = Graph::parse(plan_graph(network, plan));
    EXPECT_EQ(graph.nodes.size(), 1 + plan.nodes.size() + plan.outputs.size());
    std::multiset<Graph::Edge> edges;
    const auto name_of = [&](int port) {
      const int node = network.ports()[size_t(port)].node;
      return node < 0 ? std::string("source") : fmt::format("n{}", node);
    };
    for (size_t node = 0; node < network.nodes().size(); node++)
      for (const int port : network.nodes()[node].inputs)
        edges.emplace(name_of(port), fmt::format("n{}", node));
    for (size_t output = 0; output < plan.outputs.size(); output++)
      edges.emplace(name_of(plan.outputs[output]), fmt::format("output{}", output));
    EXPECT_EQ(graph.edges, edges) << i;
    for (const auto& [from, to] : graph.edges)
      EXPECT_TRUE(graph.nodes.contains(from) && graph.nodes.contains(to));
  }
}

TEST(PlanGraph, LabelsHaveFormatRateAndKeptUnits) {
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const auto parts = [](int before, TestRule rule) {
    return std::make_unique<Parts>(std::vector<Parts::Offsets>{{-before, 0}}, std::move(rule));
  };
  const Port doubled = network.add(parts(0, FieldRule{.per_field = true}), {source}).value();
  const Port last = network.add(parts(1, {}), {doubled}).value();
  ASSERT_THAT(network.set_outputs({last}), IsOk());
  const Plan plan = Plan::compile(network, {}).value();
  const Graph graph = Graph::parse(plan_graph(network, plan));
  const auto label = [&](const char* from, const char* to) { return graph.labels.find({from, to})->second; };
  const std::string format = PortFormat::data("test", kUnitBytes).text();
  EXPECT_THAT(label("source", "n0"), StartsWith(format));
  EXPECT_THAT(label("n0", "n1"), HasSubstr(fmt::format("{}\\n2/1 of the source's rate\\n{} kept", format,
                                                       plan.ports[size_t(doubled.id)].kept)));
  EXPECT_GT(plan.ports[size_t(doubled.id)].kept, 0);
  EXPECT_THAT(label("n1", "output0"), Not(HasSubstr("kept")));
  EXPECT_THAT(graph.nodes.at("n1"), HasSubstr(fmt::format("parts\\nlag {}, up to {} at once",
                                                          plan.nodes[1].lag, plan.nodes[1].max_units)));
}

}  // namespace
}  // namespace weft::graph
