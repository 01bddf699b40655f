// SPDX-License-Identifier: Apache-2.0
#include "server/graph/pipeline.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <random>

#include <gmock/gmock.h>

#include "tests/server/graph/pipeline_fixture.h"

namespace weft::graph {
namespace {

using testing::HasSubstr;

class LentPipelineTest : public PipelineTest {
 protected:
  // Units in device memory, at large distances. On the CPU device a unit is overwritten when its
  // owner is destroyed.
  class LentUnits {
   public:
    LentUnits(device::Device& device, const std::vector<Unit>& units) {
      const size_t bytes = units.size() * kDistance;
      buffer_ = device.allocate(device::MemoryKind::kDevice, bytes).value();
      const auto staging = device.allocate(device::MemoryKind::kUpload, bytes).value();
      for (size_t i = 0; i < units.size(); i++) std::ranges::copy(units[i], staging->host() + i * kDistance);
      const auto stream = device.make_stream().value();
      stream->copy(*buffer_, 0, *staging, 0, bytes);
      EXPECT_THAT(stream->wait_all(), IsOk());
    }

    DeviceUnit lend(size_t number) {
      const size_t offset = number * kDistance;
      lent_++;
      const auto take_back = [this](std::byte* unit) {
        std::fill_n(unit, kUnitBytes, std::byte(0xCD));
        lent_--;
      };
      return {
          buffer_.get(), offset,
          std::shared_ptr<std::byte>(reinterpret_cast<std::byte*>(buffer_->address()) + offset, take_back)};
    }
    int lent() const { return lent_; }

   private:
    static constexpr size_t kDistance = 1024;
    std::unique_ptr<device::Buffer> buffer_;
    std::atomic<int> lent_{0};
  };

  // Returns the units [begin, end), computed with the context that the plan requires.
  std::vector<Unit> run(const RandomNetwork& random_network, const UnitClip& clip,
                        const PipelineOptions& options, uint32_t seed, std::pair<int, int> wanted,
                        std::string* state) {
    LentUnits on_device(*device_, clip.units);
    Network made = random_network.make();
    const Window window = Plan::compile(made, options.plan).value().window;
    auto pipeline = Pipeline::make(*device_, random_network.make(), options).value();
    std::mt19937 random(seed);
    std::vector<Unit> units;
    const int first = std::max(0, wanted.first - window.before);
    const int last = std::min(int(clip.units.size()), wanted.second + window.after);
    int next = first;
    while (!pipeline->is_empty()) {
      while (next < last && pipeline->has_capacity() && random() % 3 != 0) {
        FrameInfo info{.pts = next, .duration = 1, .top_field_first = true};
        info.interlaced = clip.interlaced[size_t(next)];
        info.discontinuity = next > 0 && clip.cuts[size_t(next)];
        info.context = next < wanted.first || next >= wanted.second;
        if (seed % 2 == 0 || random() % 2 == 0)
          push(*pipeline, clip.units[size_t(next)], info);
        else
          EXPECT_THAT(pipeline->push(info, on_device.lend(size_t(next))), IsOk());
        EXPECT_LE(on_device.lent(), Pipeline::kMostLent);
        next++;
      }
      if (next == last && !pipeline->is_submitted()) pipeline->finish();
      pipeline->submit(1 + int(random() % 4));
      if (random() % 2 == 0) continue;
      const auto unit = pipeline->pop();
      EXPECT_THAT(unit, IsOk()) << "network " << seed;
      if (!unit.ok()) return units;
      if (!unit->has_value()) continue;
      units.emplace_back((*unit)->data[0], (*unit)->data[0] + kUnitBytes);
      for (const auto other : (*unit)->others) units.emplace_back(other.begin(), other.begin() + kUnitBytes);
    }
    const int next_first = std::max(0, wanted.second - window.before);
    if (state != nullptr) *state = pipeline->state_after(std::min(next_first, wanted.second - 1) - first);
    return units;
  }
};

TEST_F(LentPipelineTest, RandomNetworksGiveWhatTheyDescribe) {
  uint32_t networks = 500;
  if (const char* asked = std::getenv("WEFT_RANDOM_NETWORKS")) networks = uint32_t(std::atoi(asked));
  std::mt19937 random(200);
  uint32_t with_maps = 0;
  for (uint32_t i = 0; i < networks; i++) {
    const uint32_t kind = random() % 16;
    const int count = kind == 0 ? 1 + int(random() % 3) : kind == 1 ? 60 : 6 + int(random() % 20);
    const UnitClip clip = UnitClip::random(count, random, i % 2 == 0 ? 5 : 0);
    const RandomNetwork network(i, clip, i % 3 == 0);
    with_maps += network.has_maps() ? 1 : 0;
    const std::vector<Unit> expected = network.plain();
    PipelineOptions options;
    options.plan = {.batch = 1 + int(random() % 6),
                    .in_flight = 1 + int(random() % 3),
                    .held = 1,
                    .exact_durations = random() % 2 == 0};
    ASSERT_EQ(run(network, clip, options, i, {0, count}, nullptr), expected) << "network " << i;
    std::vector<Unit> joined;
    for (int begin = 0; begin < count;) {
      const int end = std::min(count, begin + 1 + int(random() % 5));
      std::string state;
      for (Unit& unit : run(network, clip, options, i, {begin, end}, &state))
        joined.push_back(std::move(unit));
      options.state = state;
      begin = end;
    }
    ASSERT_EQ(joined, expected) << "network " << i << " in segments";
  }
  EXPECT_GT(with_maps, networks / 10) << "edges with maps of their own";
}

TEST_F(PipelineTest, HalvesTheBatchUntilItFits) {
  size_t fits_four = 0;
  {
    const auto pipeline = Pipeline::make(*device_, around(), {.plan = {.batch = 4}});
    ASSERT_THAT(pipeline, IsOk());
    fits_four = device_->memory_used_bytes();
    EXPECT_EQ(fits_four, (*pipeline)->plan().device_bytes() + (*pipeline)->plan().host_bytes());
  }
  open(fits_four + 100);
  const auto pipeline = Pipeline::make(*device_, around(), {.plan = {.batch = 64}});
  ASSERT_THAT(pipeline, IsOk());
  EXPECT_EQ((*pipeline)->batch(), 4);
  EXPECT_EQ(device_->memory_used_bytes(), fits_four);
}

TEST_F(PipelineTest, TakesNoMoreThanIsAllowed) {
  const size_t of_four =
      Pipeline::make(*device_, around(), {.plan = {.batch = 4}}).value()->plan().device_bytes();
  const auto pipeline = Pipeline::make(*device_, around(), {.plan = {.batch = 64}, .most_bytes = of_four});
  ASSERT_THAT(pipeline, IsOk());
  EXPECT_EQ((*pipeline)->batch(), 4);
  const auto least = Pipeline::make(*device_, around(), {.plan = {.batch = 64}, .most_bytes = 1});
  ASSERT_THAT(least, IsOk());
  EXPECT_EQ((*least)->batch(), 1);
}

TEST_F(PipelineTest, SaysWhenNotEvenOneUnitFits) {
  open(1000);
  EXPECT_THAT(Pipeline::make(*device_, around(), {.plan = {.batch = 16}}),
              StatusIs(StatusCode::kResourceExhausted, "Not even one frame"));
  EXPECT_EQ(device_->memory_used_bytes(), 0u);
}

TEST_F(PipelineTest, RefusesWhatCannotBe) {
  EXPECT_THAT(Pipeline::make(*device_, around(), {.plan = {.batch = 0}}),
              StatusIs(StatusCode::kInvalidArgument, "(0)"));
  EXPECT_THAT(Pipeline::make(*device_, around(), {.plan = {.in_flight = 0}}),
              StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(Pipeline::make(*device_, around(), {.state = "1234567"}),
              StatusIs(StatusCode::kInvalidArgument, "has 7 bytes"));
}

TEST_F(PipelineTest, IsBounded) {
  const auto made = Pipeline::make(*device_, around(1, FieldRule{.per_field = true}),
                                   {.plan = {.batch = 2, .in_flight = 2, .held = 0}});
  ASSERT_THAT(made, IsOk());
  Pipeline& pipeline = **made;
  int pushed = 0;
  while (pipeline.has_capacity() && pushed < 1000) push(pipeline, pushed++);
  EXPECT_LT(pushed, 10);
  EXPECT_THAT(pipeline.stage(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(pipeline.submit(9), 2) << "a batch is no larger than planned";
  EXPECT_EQ(pipeline.submit(2), 2);
  EXPECT_EQ(pipeline.ready(), 0) << "two are in flight";
  EXPECT_EQ(pipeline.submit(2), 0);
  for (int i = 0; i < 4; i++) {
    const auto unit = pipeline.pop();
    ASSERT_THAT(unit, IsOk());
    EXPECT_EQ((*unit)->source_index, i / 2);
    EXPECT_EQ((*unit)->ends_source, i % 2 == 1);
  }
  EXPECT_GT(pipeline.ready(), 0);
  EXPECT_TRUE(pipeline.has_capacity());
}

TEST_F(PipelineTest, HeldUnitsStopItAndReleasedOnesLetItGoOn) {
  const auto made = Pipeline::make(*device_, around(1, FieldRule{.per_field = true}),
                                   {.plan = {.batch = 1, .in_flight = 1, .held = 0}});
  ASSERT_THAT(made, IsOk());
  Pipeline& pipeline = **made;
  for (int i = 0; i < 3; i++) push(pipeline, i);
  ASSERT_EQ(pipeline.submit(1), 1);
  auto first = pipeline.pop();
  auto second = pipeline.pop();
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(pipeline.ready(), 0);
  *first = std::nullopt;
  EXPECT_EQ(pipeline.ready(), 0) << "a batch gives two units";
  *second = std::nullopt;
  EXPECT_EQ(pipeline.ready(), 1);
}

TEST_F(PipelineTest, TellsWhatBatchesCost) {
  const auto made = Pipeline::make(*device_, around(), {.plan = {.batch = 3}});
  ASSERT_THAT(made, IsOk());
  Pipeline& pipeline = **made;
  for (int i = 0; i < 4; i++) push(pipeline, i);
  ASSERT_EQ(pipeline.submit(3), 3);
  EXPECT_TRUE(pipeline.take_costs().empty());
  ASSERT_THAT(pipeline.pop(), IsOk());
  const std::vector<BatchTime> costs = pipeline.take_costs();
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].units, 3);
  EXPECT_GT(costs[0].filter.count(), 0);
  EXPECT_TRUE(pipeline.take_costs().empty());
}

// The unit has more portions than a stream keeps marks for. Its result is popped after all of them.
TEST_F(PipelineTest, TellsWhatAUnitTookInThousandsOfPortions) {
  constexpr int kPortions = 2 * device::Stream::kMarksKept;
  const auto made = Pipeline::make(*device_, around(kPortions), {.plan = {.batch = 3}});
  ASSERT_THAT(made, IsOk());
  Pipeline& pipeline = **made;
  EXPECT_EQ(pipeline.batch(), 1);
  EXPECT_EQ(pipeline.max_units(), kPortions);
  for (int i = 0; i < 3; i++) push(pipeline, i);
  std::array<Duration, 2> took{};
  for (Duration& all : took)  // the first unit is not popped while the second is computed
    for (int i = 0; i < kPortions; i++) {
      ASSERT_EQ(pipeline.submit(1), 1);
      EXPECT_TRUE(pipeline.is_complete()) << "a batch is of one unit";
      const StatusOr<Duration> time = pipeline.wait_for(pipeline.last_batch());
      ASSERT_THAT(time, IsOk());
      all += *time;
    }
  for (const Duration& all : took) {
    ASSERT_THAT(pipeline.pop(), IsOk());
    const std::vector<BatchTime> costs = pipeline.take_costs();
    ASSERT_EQ(costs.size(), 1u);
    EXPECT_EQ(costs[0].filter, all);
  }
}

TEST_F(PipelineTest, WholeUnitsAreNotDoneInPortions) {
  const auto made = Pipeline::make(*device_, around(5), {.plan = {.batch = 4, .whole_units = true}});
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ((*made)->portions(), 1);
  EXPECT_EQ((*made)->max_units(), 4);
}

TEST_F(LentPipelineTest, LentUnitsComeBack) {
  LentUnits units(*device_, std::vector<Unit>(3, Unit(kUnitBytes, std::byte(7))));
  auto pipeline = Pipeline::make(*device_, around(), {.plan = {.batch = 1}}).value();
  ASSERT_THAT(pipeline->push({}, units.lend(0)), IsOk());
  ASSERT_THAT(pipeline->push({.pts = 1}, units.lend(1)), IsOk());
  ASSERT_EQ(pipeline->submit(1), 1);
  ASSERT_THAT(pipeline->pop(), IsOk());
  ASSERT_THAT(pipeline->pop(), IsOk());
  EXPECT_EQ(units.lent(), 0) << "the batch was made of both";
  while (pipeline->has_capacity()) push(*pipeline, 7);
  EXPECT_THAT(pipeline->push({}, units.lend(2)), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(units.lent(), 0);
}

TEST_F(LentPipelineTest, ALentUnitPastItsBuffersEndIsAnError) {
  LentUnits units(*device_, {Unit(kUnitBytes)});
  auto pipeline = Pipeline::make(*device_, around(), {}).value();
  DeviceUnit unit = units.lend(0);
  unit.offset_bytes = unit.buffer->size_bytes() - 1;
  EXPECT_THAT(pipeline->push({}, std::move(unit)), IsOk());
  EXPECT_THAT(pipeline->push({}, units.lend(0)),
              StatusIs(StatusCode::kInvalidArgument, "past its buffer's end"));
}

TEST_F(PipelineTest, SideDataTravelsWithItsUnit) {
  const auto made = Pipeline::make(*device_, around(1, FieldRule{.per_field = true}), {});
  ASSERT_THAT(made, IsOk());
  Pipeline& pipeline = **made;
  const auto side_data = std::make_shared<const int>(7);
  for (int i = 0; i < 3; i++)
    push(pipeline, Unit(kUnitBytes),
         {.pts = i, .side_data = i == 1 ? std::shared_ptr<const void>(side_data) : nullptr});
  pipeline.finish();
  pipeline.submit(3);
  for (int i = 0; i < 6; i++) {
    const auto unit = pipeline.pop();
    ASSERT_THAT(unit, IsOk());
    EXPECT_EQ((*unit)->side_data.get(), i / 2 == 1 ? side_data.get() : nullptr) << i;
  }
}

// The outputs of several nodes are complete at the same time, determined by the longest lag.
TEST_F(PipelineTest, SeveralOutputsComeTogether) {
  Network network;
  const Port source = network.set_source(PortFormat::data("test", kUnitBytes));
  const Port late =
      network.add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{2, 2}}, TestRule()), {source}).value();
  const Port same =
      network.add(std::make_unique<Parts>(std::vector<Parts::Offsets>{{0, 0}}, TestRule()), {source}).value();
  ASSERT_THAT(network.set_outputs({late, same, source}), IsOk());
  auto pipeline = Pipeline::make(*device_, std::move(network), {.plan = {.batch = 2}}).value();
  int pushed = 0, popped = 0;
  while (!pipeline->is_empty()) {
    while (pushed < 9 && pipeline->has_capacity()) push(*pipeline, pushed++);
    if (pushed == 9 && !pipeline->is_submitted()) pipeline->finish();
    pipeline->submit(2);
    const auto unit = pipeline->pop();
    ASSERT_THAT(unit, IsOk());
    if (!unit->has_value()) continue;
    EXPECT_EQ(int((*unit)->data[0][0]), std::min(popped + 2, 8));
    ASSERT_EQ((*unit)->others.size(), 2u);
    EXPECT_EQ(int((*unit)->others[0][0]), popped);
    EXPECT_EQ(int((*unit)->others[1][0]), popped);
    popped++;
  }
  EXPECT_EQ(popped, 9);
}

TEST_F(PipelineTest, EndsWithoutUnits) {
  const auto made = Pipeline::make(*device_, around(), {});
  ASSERT_THAT(made, IsOk());
  EXPECT_FALSE((*made)->is_empty());
  (*made)->finish();
  EXPECT_TRUE((*made)->is_empty());
  const auto unit = (*made)->pop();
  ASSERT_THAT(unit, IsOk());
  EXPECT_FALSE(unit->has_value());
}

TEST_F(PipelineTest, PrintsItself) {
  const auto made = Pipeline::make(*device_, around(), {.plan = {.batch = 4}});
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT((*made)->plan().describe(), HasSubstr("test of 240 bytes, batches of 4 frames"));
  EXPECT_THAT((*made)->plan().describe(), HasSubstr("parts: lag 1, up to 4 at once"));
}

}  // namespace
}  // namespace weft::graph
