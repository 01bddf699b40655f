// SPDX-License-Identifier: Apache-2.0
#include "server/graph/plan.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/graph/random_network.h"

namespace weft::graph {
namespace {

Plan plan_of(Network network, const PlanOptions& options = {}) {
  return Plan::compile(network, options).value();
}

std::unique_ptr<Parts> node(int before, int after, TestRule rule = {}) {
  return std::make_unique<Parts>(std::vector<Parts::Offsets>{{-before, after}}, std::move(rule));
}
Network chain_of(int nodes, int before, int after) {
  Network network;
  Port port = network.set_source(PortFormat::data("test", kUnitBytes));
  for (int i = 0; i < nodes; i++) port = network.add(node(before, after), {port}).value();
  EXPECT_THAT(network.set_outputs({port}), IsOk());
  return network;
}

// Expects that no two blocks with overlapping lifetimes overlap in memory, and that all lie in the
// arena.
void expect_disjoint(const Plan& plan, const std::string& what) {
  const std::vector<ArenaBlock> blocks = arena_blocks(plan);
  for (size_t i = 0; i < blocks.size(); i++) {
    const ArenaBlock& a = blocks[i];
    ASSERT_LE(a.begin + a.bytes, plan.arena_bytes) << what << ": " << a.what;
    for (size_t k = i + 1; k < blocks.size(); k++) {
      const ArenaBlock& b = blocks[k];
      const bool live_together = a.first <= b.last && b.first <= a.last;
      const bool overlap = a.begin < b.begin + b.bytes && b.begin < a.begin + a.bytes;
      ASSERT_FALSE(live_together && overlap) << what << ": " << a.what << " and " << b.what;
    }
  }
}

TEST(Plan, NothingThatLivesAtOnceOverlaps) {
  for (uint32_t i = 0; i < 500; i++) {
    std::mt19937 random(i);
    const PlanOptions options{.batch = 1 + int(random() % 20), .in_flight = 1 + int(random() % 3)};
    const UnitClip clip = UnitClip::random(50, random, 0);
    ASSERT_NO_FATAL_FAILURE(
        expect_disjoint(plan_of(RandomNetwork(i, clip).make(), options), fmt::format("network {}", i)));
  }
}

// For a single image fewer results are retained than the batches could produce.
TEST(Plan, NoMoreResultsAreKeptThanWillCome) {
  const PlanOptions options{.batch = 8, .in_flight = 3, .held = 1, .units = 1};
  EXPECT_EQ(plan_of(chain_of(2, 0, 0), options).picture_slots, 1);
  PlanOptions five = options;
  five.units = 5;
  const Plan plan = plan_of(chain_of(2, 0, 0), five);
  EXPECT_EQ(plan.picture_slots, 5 + plan.region_units - 1) << "a batch starts where its most is free";
  five.units = 0;  // unknown
  EXPECT_EQ(plan_of(chain_of(2, 0, 0), five).picture_slots, 8 * 3 + 1);
}

// The slots of intermediate units are reused, so a longer chain only needs memory for the data that
// is kept after a batch.
TEST(Plan, FreedSpaceIsUsedAgain) {
  const size_t unit = PortLayout::of(PortFormat::data("test", kUnitBytes)).unit_bytes;
  const auto bytes = [&](int nodes, int before, int after) {
    return plan_of(chain_of(nodes, before, after), {.batch = 16}).arena_bytes;
  };
  EXPECT_EQ(bytes(10, 0, 0), bytes(3, 0, 0));
  EXPECT_EQ(bytes(40, 0, 0), bytes(3, 0, 0));
  // Two units of each port with a window of 1 are kept after a batch, and those of the previous
  // batch exist at the same time. At the end of a run a batch is longer by a unit for each node:
  // two slots and two regions of outputs.
  EXPECT_LE(bytes(40, 1, 1), bytes(10, 1, 1) + 30 * (4 + 2 + 2) * unit);
}

TEST(Plan, WindowsAddUpAlongEachEdge) {
  const auto window_of = [](Network network) { return plan_of(std::move(network)).window; };
  EXPECT_EQ(window_of(chain_of(32, 0, 0)), (Window{0, 0}));
  EXPECT_EQ(window_of(chain_of(3, 1, 2)), (Window{3, 6}));
  Network branches;
  const Port source = branches.set_source(PortFormat::data("test", kUnitBytes));
  const Port far = branches.add(node(5, 0), {source}).value();
  const Port near = branches.add(node(0, 2), {source}).value();
  const Port both =
      branches
          .add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{-1, 0}, {0, 1}}, TestRule()), {far, near})
          .value();
  ASSERT_THAT(branches.set_outputs({both}), IsOk());
  EXPECT_EQ(window_of(std::move(branches)), (Window{6, 3}));
}

// With twice as many pictures a window is half as long in source units. A rule that reads the time
// of the next frame needs one unit more.
TEST(Plan, WindowsFollowRates) {
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const Port doubled = network.add(node(0, 0, FieldRule{.per_field = true}), {source}).value();
  const Port around = network.add(node(3, 5), {doubled}).value();
  EXPECT_EQ(network.rate(around), (Rate{2, 1}));
  ASSERT_THAT(network.set_outputs({around}), IsOk());
  const Plan plan = plan_of(std::move(network));
  EXPECT_EQ(plan.window, (Window{2 + 1, 3 + 1}));
}

TEST(Plan, ExactDurationsWaitForNoFrameThatIsNotLookedAt) {
  for (const auto& [rule, after, is_exact, ahead] :
       {std::tuple(FieldRule{.per_field = true}, 0, true, 0),
        std::tuple(FieldRule{.per_field = true}, 0, false, 1),
        std::tuple(FieldRule{.per_field = true, .only_flagged = true}, 0, true, 1),
        std::tuple(FieldRule{.per_field = true}, 1, true, 1)}) {
    Network network;
    const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
    ASSERT_THAT(network.set_outputs({network.add(node(0, after, rule), {source}).value()}), IsOk());
    EXPECT_EQ(plan_of(std::move(network), {.exact_durations = is_exact}).window.after, ahead);
  }
}

TEST(Plan, LimitsAreSaid) {
  EXPECT_THAT(
      [] {
        Network network = chain_of(600, 2, 0);
        return Plan::compile(network, {}).status();
      }(),
      StatusIs(StatusCode::kInvalidArgument, "1024 are the most"));
  Network network;
  Port port = network.set_source(PortFormat::data("test", kUnitBytes));
  for (int i = 0; i < 4; i++) port = network.add(node(0, 0, FieldRule{.per_field = true}), {port}).value();
  EXPECT_THAT(network.add(node(0, 0, FieldRule{.per_field = true}), {port}).status(),
              StatusIs(StatusCode::kInvalidArgument, "32 pictures for one, and 16 are the most"));
}

TEST(Network, JoinsOnlyWhatComesAtTheSameTime) {
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const FieldRule doubles{.per_field = true};
  const Port one = network.add(node(0, 0, doubles), {source}).value();
  const Port other = network.add(node(1, 1, doubles), {source}).value();
  const auto join = [&](Port a, Port b) {
    return network
        .add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}, {0, 0}}, TestRule()), {a, b})
        .status();
  };
  EXPECT_THAT(join(one, other), IsOk()) << "two nodes that double alike";
  EXPECT_THAT(join(one, source), StatusIs(StatusCode::kInvalidArgument, "at different times"));
}

}  // namespace
}  // namespace weft::graph
