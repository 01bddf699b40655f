// SPDX-License-Identifier: Apache-2.0
#include "server/filters/graph.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>

namespace weft::filters {
namespace {

using testing::HasSubstr;

v1::DeinterlaceOptions bwdif() {
  v1::DeinterlaceOptions options;
  options.set_filter(v1::DEINTERLACE_FILTER_BWDIF);
  options.set_rate(v1::OUTPUT_RATE_FIELD);
  options.set_parity(v1::PARITY_AUTO);
  options.set_frames(v1::FRAME_SELECTION_ALL);
  return options;
}

constexpr VideoFormat kFormat{64, 48, Chroma::k420, 8};

class GraphTest : public testing::Test {
 protected:
  void SetUp() override { open({}); }

  // The CPU device, said to have so much memory; 0: what it has.
  void open(size_t memory_bytes) {
    const std::vector<device::DeviceInfo> infos = device::list_devices_and_twins(nullptr);
    device::DeviceInfo info = *std::ranges::find(infos, device::DeviceKind::kCpu, &device::DeviceInfo::kind);
    if (memory_bytes != 0) info.memory_bytes = memory_bytes;
    auto opened = device::open_device(info);
    ASSERT_THAT(opened, IsOk());
    device_ = *std::move(opened);
  }

  StatusOr<std::unique_ptr<Graph>> make(const GraphOptions& options,
                                        std::vector<VideoFormat> formats = {kFormat},
                                        const v1::DeinterlaceOptions& filter = bwdif()) {
    std::vector<std::unique_ptr<Filter>> filters;
    for (const VideoFormat& format : formats) {
      ASSIGN_OR_RETURN(filters.emplace_back(), make_deinterlacer(*device_, format, filter));
    }
    return Graph::make(*device_, std::move(filters), options);
  }

  static void push(Graph& graph, int64_t pts) {
    const auto staged = graph.stage();
    ASSERT_THAT(staged, IsOk());
    for (int plane = 0; plane < 3; plane++)
      std::fill_n(staged->data[plane], staged->stride_bytes[plane] * kFormat.plane_height(plane),
                  std::byte(pts));
    graph.push({.pts = pts});
  }

  std::unique_ptr<device::Device> device_;
};

TEST_F(GraphTest, HalvesTheBatchUntilItFits) {
  size_t fits_four = 0;
  {
    const auto graph = make({.batch = 4});
    ASSERT_THAT(graph, IsOk());
    fits_four = device_->memory_used_bytes();
  }
  open(fits_four + 1000);
  const auto graph = make({.batch = 64});
  ASSERT_THAT(graph, IsOk());
  EXPECT_EQ((*graph)->batch(), 4);
  EXPECT_EQ(device_->memory_used_bytes(), fits_four);
}

TEST_F(GraphTest, SaysWhenNotEvenOneFrameFits) {
  open(100000);
  EXPECT_THAT(make({.batch = 16}), StatusIs(StatusCode::kResourceExhausted, "Not even one frame"));
  EXPECT_EQ(device_->memory_used_bytes(), 0u);
}

TEST_F(GraphTest, RefusesWhatCannotBe) {
  EXPECT_THAT(make({}, {}), StatusIs(StatusCode::kInvalidArgument, "at least one filter"));
  EXPECT_THAT(make({.batch = 0}), StatusIs(StatusCode::kInvalidArgument, "(0)"));
  EXPECT_THAT(make({.in_flight = 0}), StatusIs(StatusCode::kInvalidArgument));
  EXPECT_THAT(make({}, {kFormat, {64, 50, Chroma::k420, 8}}),
              StatusIs(StatusCode::kInvalidArgument, "format"));
}

TEST_F(GraphTest, IsBounded) {
  const auto made = make({.batch = 2, .in_flight = 2, .held = 0});
  ASSERT_THAT(made, IsOk());
  Graph& graph = **made;
  int pushed = 0;
  while (graph.has_room() && pushed < 1000) push(graph, pushed++);
  EXPECT_LT(pushed, 10);
  EXPECT_THAT(graph.stage(), StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_EQ(graph.submit(2), 2);
  EXPECT_EQ(graph.submit(2), 2);
  EXPECT_EQ(graph.ready(), 0) << "two are in flight";
  EXPECT_EQ(graph.submit(2), 0);
  for (int i = 0; i < 4; i++) {
    const auto picture = graph.pop();
    ASSERT_THAT(picture, IsOk());
    EXPECT_EQ((*picture)->source_index, i / 2);
    EXPECT_EQ((*picture)->ends_source, i % 2 == 1);
  }
  EXPECT_GT(graph.ready(), 0);
  EXPECT_TRUE(graph.has_room());
}

TEST_F(GraphTest, HeldPicturesStopItAndReleasedOnesLetItGoOn) {
  const auto made = make({.batch = 1, .in_flight = 1, .held = 0});
  ASSERT_THAT(made, IsOk());
  Graph& graph = **made;
  push(graph, 0);
  push(graph, 1);
  push(graph, 2);
  ASSERT_EQ(graph.submit(1), 1);
  auto first = graph.pop();
  auto second = graph.pop();
  ASSERT_THAT(first, IsOk());
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(graph.ready(), 0);
  *first = std::nullopt;
  EXPECT_EQ(graph.ready(), 0) << "a batch gives two pictures";
  *second = std::nullopt;
  EXPECT_EQ(graph.ready(), 1);
}

TEST_F(GraphTest, TellsWhatBatchesCost) {
  const auto made = make({.batch = 3});
  ASSERT_THAT(made, IsOk());
  Graph& graph = **made;
  for (int i = 0; i < 4; i++) push(graph, i);
  ASSERT_EQ(graph.submit(3), 3);
  EXPECT_TRUE(graph.take_costs().empty());
  ASSERT_THAT(graph.pop(), IsOk());
  const std::vector<BatchCost> costs = graph.take_costs();
  ASSERT_EQ(costs.size(), 1u);
  EXPECT_EQ(costs[0].frames, 3);
  EXPECT_GT(costs[0].filter.count(), 0);
  EXPECT_TRUE(graph.take_costs().empty());
}

TEST_F(GraphTest, WaitsForNoFrameThatIsNotLookedAt) {
  v1::DeinterlaceOptions bob = bwdif(), flagged = bwdif();
  bob.set_filter(v1::DEINTERLACE_FILTER_BOB);
  flagged.set_filter(v1::DEINTERLACE_FILTER_BOB);
  flagged.set_frames(v1::FRAME_SELECTION_FLAGGED);
  struct Case {
    v1::DeinterlaceOptions filter;
    bool exact_durations;
    int ahead;
  };
  for (const auto& [filter, exact_durations, ahead] :
       {Case{bob, true, 0}, Case{bob, false, 1}, Case{flagged, true, 1}, Case{bwdif(), true, 1}}) {
    const auto made = make({.batch = 4, .exact_durations = exact_durations}, {kFormat, kFormat}, filter);
    ASSERT_THAT(made, IsOk());
    Graph& graph = **made;
    EXPECT_EQ(graph.window().after, 2 * ahead) << filter.ShortDebugString();
    push(graph, 0);
    EXPECT_EQ(graph.ready(), 1 - ahead);
  }
}

// A chain that waits for no frame gives the same pictures at the same times, alone and in batches.
TEST_F(GraphTest, FramesOfExactDurationsGiveTheSame) {
  v1::DeinterlaceOptions bob = bwdif();
  bob.set_filter(v1::DEINTERLACE_FILTER_BOB);
  const auto run = [&](const GraphOptions& options) {
    std::vector<std::vector<int64_t>> pictures;
    const auto made = make(options, {kFormat, kFormat}, bob);
    EXPECT_THAT(made, IsOk());
    Graph& graph = **made;
    for (int i = 0; i < 7; i++) push(graph, i);
    graph.finish();
    while (!graph.is_empty()) {
      graph.submit(options.batch);
      const auto picture = graph.pop();
      EXPECT_THAT(picture, IsOk());
      if (!picture->has_value()) continue;
      pictures.push_back({(*picture)->source_index, (*picture)->time.pts, (*picture)->time.duration,
                          int64_t((*picture)->data[0][0])});
    }
    return pictures;
  };
  const auto expected = run({.batch = 4});
  EXPECT_EQ(expected.size(), 28u);
  EXPECT_EQ(run({.batch = 4, .exact_durations = true}), expected);
  EXPECT_EQ(run({.batch = 8, .exact_durations = true}), expected);
}

// Another filter whose frames are done in portions, all of the work in the last: what it reads must still be there then.
class InPortions final : public Filter {
 public:
  static constexpr int kPortions = 5;
  explicit InPortions(std::unique_ptr<Filter> filter) : filter_(std::move(filter)) {}
  const FilterDescriptor& descriptor() const override { return filter_->descriptor(); }
  const VideoFormat& source_format() const override { return filter_->source_format(); }
  const VideoFormat& target_format() const override { return filter_->target_format(); }
  OutputRule output_rule() const override { return filter_->output_rule(); }
  int portions() const override { return kPortions; }
  void enqueue(device::Stream& stream, const Batch& batch) override { filter_->enqueue(stream, batch); }
  void enqueue_portion(device::Stream& stream, const Batch& batch, const Portion& portion) override {
    if (has_end(portion)) filter_->enqueue(stream, batch);
  }

 private:
  std::unique_ptr<Filter> filter_;
};

TEST_F(GraphTest, FramesInPortionsGiveTheSame) {
  constexpr int kFrames = 30;
  const auto run = [&](bool in_portions, const GraphOptions& options) {
    std::vector<std::unique_ptr<Filter>> filters;
    filters.push_back(make_deinterlacer(*device_, kFormat, bwdif()).value());
    if (in_portions) filters.back() = std::make_unique<InPortions>(std::move(filters.back()));
    const auto graph = Graph::make(*device_, std::move(filters), options).value();
    EXPECT_EQ(graph->portions(), in_portions && !options.whole_frames ? InPortions::kPortions : 1);
    std::mt19937 random(1);
    std::vector<std::vector<int64_t>> pictures;
    int pushed = 0, submitted = 0;
    while (!graph->is_empty()) {
      while (pushed < kFrames && graph->has_room()) push(*graph, 7 * pushed++);
      if (pushed == kFrames && !graph->is_submitted()) graph->finish();
      submitted += graph->submit(1 + int(random() % 3));
      EXPECT_EQ(graph->is_submitted(), submitted == kFrames * graph->portions());
      const auto picture = graph->pop();
      EXPECT_THAT(picture, IsOk());
      if (!picture->has_value()) continue;
      EXPECT_LT((*picture)->source_index, submitted / graph->portions());
      pictures.push_back({(*picture)->source_index, (*picture)->time.pts, int64_t((*picture)->data[0][0]),
                          int64_t((*picture)->data[0][64 * 25])});
    }
    int counted = 0;
    for (const BatchCost& cost : graph->take_costs()) counted += cost.frames;
    EXPECT_EQ(counted, kFrames);
    return pictures;
  };
  const auto expected = run(false, {.batch = 4});
  EXPECT_EQ(expected.size(), size_t{2 * kFrames});
  EXPECT_EQ(run(true, {.batch = 4}), expected);
  EXPECT_EQ(run(true, {.batch = 4, .in_flight = 1, .held = 0}), expected);
  EXPECT_EQ(run(true, {.batch = 4, .whole_frames = true}), expected);
}

TEST_F(GraphTest, EndsWithoutFrames) {
  const auto made = make({});
  ASSERT_THAT(made, IsOk());
  EXPECT_FALSE((*made)->is_empty());
  (*made)->finish();
  EXPECT_TRUE((*made)->is_empty());
  const auto picture = (*made)->pop();
  ASSERT_THAT(picture, IsOk());
  EXPECT_FALSE(picture->has_value());
}

TEST_F(GraphTest, PrintsItself) {
  const auto made = make({.batch = 4});
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT((*made)->describe(), HasSubstr("64x48 4:2:0 8 bits, batches of 4 frames"));
  EXPECT_THAT((*made)->describe(), HasSubstr("bwdif: looks 1 back and 1 ahead, gives up to 2 for one"));
  EXPECT_EQ((*made)->time_divisor(), 2);
  EXPECT_EQ((*made)->window().before, 1);
}

TEST_F(GraphTest, KnowsItsFiltersByName) {
  for (const char* name : {"bob", "bwdif", "weave", "yadif"}) EXPECT_NE(find_filter(name), nullptr) << name;
  EXPECT_EQ(find_filter("nothing"), nullptr);
  EXPECT_TRUE(
      std::ranges::is_sorted(all_filters(), {}, [](const Registration* r) { return r->descriptor.name; }));
}

}  // namespace
}  // namespace weft::filters
