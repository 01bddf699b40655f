// SPDX-License-Identifier: Apache-2.0
// Tests edges with their own maps, and the units that are computed for them.
#include "tests/server/graph/pipeline_fixture.h"

namespace weft::graph {
namespace {

// The network has two nodes, and a third that keeps every third unit.
TEST_F(PipelineTest, UnitsThatNoMapReadsAreNotComputed) {
  constexpr int kUnits = 30;
  for (const int window : {0, 1}) {
    auto first = std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}}, TestRule());
    auto second = std::make_unique<Parts>(std::vector<Parts::Offsets>{{window, 0}}, TestRule());
    const Parts &read_from = *first, &kept_from = *second;
    std::vector<std::unique_ptr<Node>> chain;
    chain.push_back(std::move(first));
    chain.push_back(std::move(second));
    chain.push_back(std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}}, TestRule(map_of_every(3))));
    auto pipeline = Pipeline::make(*device_, network_of(std::move(chain)), {.plan = {.batch = 4}}).value();
    int pushed = 0, popped = 0;
    while (!pipeline->is_empty()) {
      while (pushed < kUnits && pipeline->has_capacity()) push(*pipeline, pushed++);
      if (pushed == kUnits && !pipeline->is_submitted()) pipeline->finish();
      pipeline->submit(4);
      const auto unit = pipeline->pop();
      ASSERT_THAT(unit, IsOk());
      if (!unit->has_value()) continue;
      EXPECT_EQ(int((*unit)->data[0][0]), std::min(3 * popped++ + window, kUnits - 1));
    }
    EXPECT_EQ(popped, kUnits / 3);
    EXPECT_EQ(kept_from.units_done, kUnits / 3);
    EXPECT_EQ(read_from.units_done, kUnits / 3 * (1 + window)) << "and those that primed the windows";
  }
}

// A map states which units its node reads. The source's own units come first in each row.
TEST_F(PipelineTest, UnitsThatAMapDoesNotReadAreNotComputed) {
  constexpr int kUnits = 30;
  auto map = std::make_shared<UnitMap>();
  for (int i = 0; i < kUnits; i++) {
    map->units.push_back(i);
    map->is_read.push_back(i % 5 == 0);
  }
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  auto costly = std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}}, TestRule());
  const Parts& counted = *costly;
  const Port port = network.add(std::move(costly), {source}).value();
  const Port joined = network
                          .add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}, {0, 0}},
                                                       TestRule(), 1, std::vector<UnitMapPtr>{nullptr, map}),
                               {source, port})
                          .value();
  ASSERT_THAT(network.set_outputs({joined}), IsOk());
  auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 4}}).value();
  int pushed = 0, popped = 0;
  while (!pipeline->is_empty()) {
    while (pushed < kUnits && pipeline->has_capacity()) push(*pipeline, pushed++);
    if (pushed == kUnits && !pipeline->is_submitted()) pipeline->finish();
    pipeline->submit(4);
    const auto unit = pipeline->pop();
    ASSERT_THAT(unit, IsOk());
    if (unit->has_value()) popped++;
  }
  EXPECT_EQ(popped, kUnits);
  EXPECT_EQ(counted.units_done, kUnits / 5);
}

// Each case has the map of an edge and the expected error, for five units in two runs.
TEST_F(PipelineTest, AMapThatReachesFurtherThanItStatesFails) {
  const std::pair<std::vector<int64_t>, const char*> cases[] = {
      {{0, 1, 2, 3, 4}, ""},
      {{0, 0, 2, 2, 4}, ""},
      {{0, 0, 2, 4, 4}, "a unit of 1 frames later (1 before to 0 after are allowed)"},
      {{0, 1, 1, 3, 4}, "of another scene for frame 2"},
      {{0, 1, 2, 3}, "analyse the input again"},
  };
  for (const auto& [units, error] : cases) {
    auto map = std::make_shared<UnitMap>();
    map->units = units;
    map->before = 1;
    Network network;
    const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
    const Port joined =
        network
            .add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}, {0, 0}}, TestRule(), 1,
                                         std::vector<UnitMapPtr>{nullptr, map}),
                 {source, source})
            .value();
    ASSERT_THAT(network.set_outputs({joined}), IsOk());
    auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 8}}).value();
    for (int i = 0; i < 5; i++)
      push(*pipeline, Unit(kUnitBytes, std::byte(i)), {.pts = i, .discontinuity = i == 2});
    pipeline->finish();
    Status status;
    while (!pipeline->is_empty() && status.ok()) {
      pipeline->submit(8);
      status = pipeline->pop().status();
    }
    if (*error == 0)
      EXPECT_THAT(status, IsOk());
    else
      EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, error));
  }
}

// A decision of another input may read a unit at any distance.
TEST_F(PipelineTest, AMapThatReachesMuchFurtherThanItStatesFails) {
  constexpr int kUnits = 60;
  for (const bool reads_ahead : {true, false})
    for (const bool reads_source : {true, false}) {
      auto map = std::make_shared<UnitMap>();
      for (int i = 0; i < kUnits; i++)
        map->units.push_back(reads_ahead ? std::min(i + (i < 10 ? 0 : 30), kUnits - 1)
                                         : std::max(i - (i < 10 ? 0 : 30), std::min(i, 10)));
      map->before = map->after = 1;
      Network network;
      const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
      const auto parts = [&](size_t inputs, std::vector<UnitMapPtr> maps) {
        return std::make_unique<Parts>(std::vector<Parts::Offsets>(inputs), TestRule(), 1, std::move(maps));
      };
      const Port copied = network.add(parts(1, {}), {source}).value();
      const Port joined =
          network.add(parts(2, {nullptr, map}), {source, reads_source ? source : copied}).value();
      ASSERT_THAT(network.set_outputs({joined}), IsOk());
      auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 2}}).value();
      Status status;
      int pushed = 0;
      for (int i = 0; i < 10 * kUnits && !pipeline->is_empty() && status.ok(); i++) {
        while (pushed < kUnits && pipeline->has_capacity()) push(*pipeline, pushed++);
        if (pushed == kUnits && !pipeline->is_submitted()) pipeline->finish();
        pipeline->submit(2);
        status = pipeline->pop().status();
      }
      EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "analyse the input again"))
          << reads_ahead << reads_source;
    }
}

// A decision of another input may read a port that has no units.
TEST_F(PipelineTest, AMapThatReadsAPortWithoutUnitsFails) {
  const auto empty = std::make_shared<FrameMap>(FrameMap{.entries = {{.unit = 50}}, .rate = {1, 2}});
  const auto map = std::make_shared<UnitMap>(UnitMap{.units = {0, 0, 0, 0}});
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const auto parts = [&](size_t inputs, TestRule rule, std::vector<UnitMapPtr> maps) {
    return std::make_unique<Parts>(std::vector<Parts::Offsets>(inputs), std::move(rule), 1, std::move(maps));
  };
  const Port none = network.add(parts(1, MapPtr(empty), {}), {source}).value();
  ASSERT_THAT(network.set_outputs({network.add(parts(2, {}, {nullptr, map}), {source, none}).value()}),
              IsOk());
  auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 2}}).value();
  for (int i = 0; i < 4; i++) push(*pipeline, i);
  pipeline->finish();
  Status status;
  while (!pipeline->is_empty() && status.ok()) {
    pipeline->submit(2);
    status = pipeline->pop().status();
  }
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "4 of its pictures cannot be made"));
}

// A node with an output that another node reads also computes context units.
TEST_F(PipelineTest, AMapThatEndsBeforeTheContextFails) {
  constexpr int kUnits = 40, kWanted = 3;
  const auto map = std::make_shared<UnitMap>(UnitMap{.units = {0, 1, 2}});
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const auto parts = [&](size_t inputs, std::vector<UnitMapPtr> maps) {
    return std::make_unique<Parts>(std::vector<Parts::Offsets>(inputs), TestRule(), 1, std::move(maps));
  };
  const Port copied = network.add(parts(1, {}), {source}).value();
  const Port joined = network.add(parts(2, {nullptr, map}), {source, copied}).value();
  ASSERT_THAT(network.set_outputs({network.add(parts(1, {}), {joined}).value()}), IsOk());
  auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 2}}).value();
  Status status;
  int pushed = 0;
  while (!pipeline->is_empty() && status.ok()) {
    for (; pushed < kUnits && pipeline->has_capacity(); pushed++)
      push(*pipeline, Unit(kUnitBytes, std::byte(pushed)), {.pts = pushed, .context = pushed >= kWanted});
    if (pushed == kUnits && !pipeline->is_submitted()) pipeline->finish();
    pipeline->submit(2);
    status = pipeline->pop().status();
  }
  EXPECT_THAT(status, StatusIs(StatusCode::kInvalidArgument, "analyse the input again"));
}

TEST(Network, AMapOfAnEdgeIsInOrderAndNotTheFirstEdges) {
  const auto add = [](std::vector<UnitMapPtr> maps) {
    Network network;
    const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
    return network
        .add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}, {0, 0}}, TestRule(), 1,
                                     std::move(maps)),
             {source, source})
        .status();
  };
  const auto map = std::make_shared<UnitMap>(UnitMap{.units = {0, 1, 2}});
  const auto falling = std::make_shared<UnitMap>(UnitMap{.units = {1, 0}});
  EXPECT_THAT(add({nullptr, map}), IsOk());
  EXPECT_THAT(add({map, nullptr}), StatusIs(StatusCode::kInternal, "input 0"));
  EXPECT_THAT(add({nullptr, falling}), StatusIs(StatusCode::kInternal, "input 1"));
}

TEST(Network, NodesThatNoOutputDependsOnAreLeftOut) {
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const auto add = [&](int offset) {
    return network
        .add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{offset, offset}}, TestRule()), {source})
        .value();
  };
  add(-40);
  const Port kept = add(1);
  add(40);
  ASSERT_THAT(network.set_outputs({kept}), IsOk());
  const auto plan = Plan::compile(network, {});
  ASSERT_THAT(plan, IsOk());
  EXPECT_EQ(plan->nodes.size(), 1u);
  EXPECT_EQ(plan->window, (Window{0, 1}));
}

// Successive nodes only wait for their own windows, as without a map before them.
TEST(Network, ChainsBehindAMapKeepTheirWindows) {
  const auto map = std::make_shared<UnitMap>(UnitMap{.units = {0, 1, 2}, .before = 1, .after = 1});
  const auto parts = [](std::vector<Parts::Offsets> offsets, std::vector<UnitMapPtr> maps) {
    return std::make_unique<Parts>(std::move(offsets), TestRule(), 1, std::move(maps));
  };
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  Port port = network.add(parts({{0, 0}, {0, 0}}, {nullptr, map}), {source, source}).value();
  for (int i = 0; i < 10; i++) port = network.add(parts({{-1, 1}}, {}), {port}).value();
  ASSERT_THAT(network.set_outputs({port}), IsOk());
  const auto plan = Plan::compile(network, {.batch = 8});
  ASSERT_THAT(plan, IsOk());
  for (const PortPlan& each : plan->ports)
    if (!each.is_source && !each.is_output) {
      EXPECT_EQ(each.kept, 2);
    }
}

// The removal of a node leaves a clock without ports.
TEST_F(PipelineTest, UnitsOfAClockThatNothingReadsAreForgotten) {
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const auto add = [&](const TestRule& rule) {
    return network.add(std::make_unique<Parts>(std::vector<Parts::Offsets>(1), rule), {source}).value();
  };
  add(FieldRule{.per_field = true, .only_flagged = false, .parity = v1::PARITY_TOP});
  add(map_of_every(2));
  ASSERT_THAT(network.set_outputs({add({})}), IsOk());
  auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 2}}).value();
  std::vector<std::weak_ptr<const void>> pushed;
  while (pushed.size() < 100) {
    while (pipeline->has_capacity() && pushed.size() < 100) {
      const auto side_data = std::make_shared<int>();
      pushed.push_back(side_data);
      push(*pipeline, Unit(kUnitBytes), {.side_data = side_data});
    }
    pipeline->submit(2);
    ASSERT_THAT(pipeline->pop(), IsOk());
  }
  EXPECT_LE(std::ranges::count_if(pushed, [](const auto& side_data) { return !side_data.expired(); }), 20);
}

}  // namespace
}  // namespace weft::graph
