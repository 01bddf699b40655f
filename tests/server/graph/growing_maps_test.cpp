// SPDX-License-Identifier: Apache-2.0
// Tests maps that receive entries while a pipeline runs, against the same maps when complete.
#include <random>

#include "tests/server/graph/pipeline_fixture.h"

namespace weft::graph {
namespace {

constexpr int kGrownUnits = 2800, kRunUnits = 700;
constexpr MapGrowth kGrownBounds{.more_entries = 2, .units_each = {2, 1}, .more_units = 2};

bool is_read_of(int64_t unit) { return unit / 2 % 3 == 0; }

// The maps of a node that makes no, one or two units of each unit, and reads another port.
struct GrownMaps {
  std::shared_ptr<FrameMap> frames = std::make_shared<FrameMap>();
  std::shared_ptr<UnitMap> units = std::make_shared<UnitMap>();

  explicit GrownMaps(bool grows) {
    frames->rate = {2, 1};
    units->before = units->after = 1;
    if (grows) frames->growth = kGrownBounds;
    units->grows = grows;
  }
  // Appends the entries of a unit. Results follow from the number of the unit alone.
  void append(int64_t unit) {
    std::mt19937 random(uint32_t(unit / 2));
    const bool is_left_out = random() % 4 == 0 && unit % 2 == 1;
    const int count = is_left_out ? 0 : 1 + int(random() % 2);
    for (int k = 0; k < count; k++) {
      frames->entries.push_back({.unit = unit, .pts = 4 * unit + k, .duration = 1});
      units->units.push_back((unit + 1) % kRunUnits == 0 ? unit : unit + k);
      units->is_read.push_back(is_read_of(unit));
    }
  }
  void discard(size_t entry) {
    frames->entries.discard(entry);
    units->units.discard(entry);
    units->is_read.discard(entry);
  }
};

struct GrownResult {
  std::vector<Unit> units;
  std::vector<int64_t> times;
  int64_t costly_units = 0;
};

class GrowingMapsTest : public PipelineTest {
 protected:
  GrownResult run(bool grows, int batch, uint32_t seed) {
    GrownMaps maps(grows);
    if (!grows)
      for (int i = 0; i < kGrownUnits; i++) maps.append(i);
    Network network;
    const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
    auto costly = std::make_unique<Parts>(std::vector<Parts::Offsets>{{-1, 0}, {1, 0}}, TestRule());
    const Parts& counted = *costly;
    const Port port = network.add(std::move(costly), {source, source}).value();
    auto joins =
        std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}, {-1, 0}}, TestRule(MapPtr(maps.frames)),
                                1, std::vector<UnitMapPtr>{nullptr, maps.units});
    const Port joined = network.add(std::move(joins), {source, port}).value();
    EXPECT_THAT(network.set_outputs({joined}), IsOk());
    PipelineOptions options{.plan = {.batch = batch}};
    if (grows) options.maps = std::make_shared<std::mutex>();
    auto pipeline = Pipeline::make(*device_, std::move(network), options).value();
    const int before = pipeline->plan().window.before;
    GrownResult result;
    std::mt19937 random(seed);
    int pushed = 0, decided = grows ? 0 : kGrownUnits;
    while (!pipeline->is_empty()) {
      for (int i = int(random() % 9); i > 0 && pushed < kGrownUnits && pipeline->has_capacity(); i--) {
        {
          std::unique_lock<std::mutex> lock;
          if (grows) lock = std::unique_lock(*options.maps);
          for (; decided < std::min(pushed + before + 1, kGrownUnits); decided++) maps.append(decided);
          if (grows && maps.frames->entries.size() > 400) maps.discard(maps.frames->entries.size() - 400);
        }
        push(*pipeline, Unit(kUnitBytes, std::byte(pushed)),
             {.pts = pushed, .discontinuity = pushed % kRunUnits == 0});
        pushed++;
      }
      if (pushed == kGrownUnits && !pipeline->is_submitted()) pipeline->finish();
      pipeline->submit(1 + int(random() % uint32_t(batch)));
      const auto unit = pipeline->pop();
      EXPECT_THAT(unit, IsOk());
      if (!unit.ok()) break;
      if (!unit->has_value()) continue;
      Unit& taken = result.units.emplace_back((*unit)->data[0], (*unit)->data[0] + kUnitBytes);
      // The bytes that a node has from a unit that its map does not read are undefined.
      if (!is_read_of((*unit)->source_index))
        std::fill(taken.begin() + kUnitBytes / 2, taken.end(), std::byte());
      result.times.push_back((*unit)->time.pts);
    }
    result.costly_units = counted.units_done;
    if (grows) {
      EXPECT_GT(maps.frames->entries.first(), size_t{kGrownUnits / 2}) << "old entries are discarded";
    }
    return result;
  }
};

TEST_F(GrowingMapsTest, ResultsAreThoseOfCompleteMaps) {
  const GrownResult right = run(false, 8, 1);
  EXPECT_GT(right.units.size(), size_t{kGrownUnits / 2});
  EXPECT_LT(right.costly_units, int64_t{kGrownUnits} * 9 / 10) << "of units that a map reads";
  for (const int batch : {1, 3, 16}) {
    const GrownResult actual = run(true, batch, uint32_t(batch));
    EXPECT_EQ(actual.times, right.times) << "batch " << batch;
    ASSERT_EQ(actual.units.size(), right.units.size());
    int64_t differ = 0;
    for (size_t i = 0; i < right.units.size(); i++) differ += actual.units[i] != right.units[i] ? 1 : 0;
    EXPECT_EQ(differ, 0) << "batch " << batch;
    EXPECT_EQ(actual.costly_units, right.costly_units) << "batch " << batch;
  }
}

}  // namespace
}  // namespace weft::graph
