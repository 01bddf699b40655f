// SPDX-License-Identifier: Apache-2.0
// Cases of block shapes: all give the same result, launches have the shape of their size class, and
// invalid shapes are ignored.
#include <algorithm>

#include "server/device/shapes.h"
#include "tests/device_suite/box3.h"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

constexpr std::string_view kName = "test/box3.uint8_t";
constexpr int kWidth = 301, kHeight = 37, kStride = 320;  // no multiples of blocks
constexpr Grid kGrid = {kWidth, kHeight, 1};

std::vector<uint8_t> box_of(Bench& bench, const Kernel& kernel, const Buffer& source,
                            LaunchObserver* observer = nullptr) {
  const auto target = bench.upload(std::vector<uint8_t>(size_t{kStride} * kHeight, 0xCD));
  const auto stream = bench.make_stream();
  stream->observe(observer);
  kernels::box3::Params params{};
  params.source = at<kernels::box3::Plane>(source);
  params.target = at<kernels::box3::Plane>(*target);
  params.width = kWidth;
  params.height = kHeight;
  params.stride = kStride;
  stream->launch(kernel, kGrid, params);
  EXPECT_THAT(stream->wait_all(), IsOk());
  return bench.download(*target);
}

std::unique_ptr<Buffer> noise(Bench& bench) {
  return bench.upload(bench.random_values<uint8_t>(size_t{kStride} * kHeight));
}

DEVICE_CASE(EveryShapeGivesTheSame) {
  const auto source = noise(bench);
  const std::vector<uint8_t> wanted = box_of(bench, bench.load(kName), *source);
  const auto shapes = shapes_of(*kernels::find_kernel(kName), bench.device().info());
  EXPECT_GE(shapes.size(), 10u);
  EXPECT_EQ(shapes.front(), (BlockShape{32, 8}));
  for (const BlockShape shape : shapes) {
    const Kernel& kernel = *value_of(bench.device().load_shaped(kName, shape));
    EXPECT_EQ(kernel.form_for(kGrid).block, shape);
    EXPECT_EQ(&kernel, value_of(bench.device().load_shaped(kName, shape)));
    EXPECT_EQ(box_of(bench, kernel, *source), wanted) << to_string(shape);
  }
}

DEVICE_CASE(ShapesThatAKernelDoesNotTakeAreRefused) {
  Device& device = bench.device();
  for (const BlockShape shape : {BlockShape{33, 1}, {64, 8}, {512, 1}, {16, 16}, {32, 3}, {0, 0}, {32, 0}})
    EXPECT_THAT(device.load_shaped(kName, shape), StatusIs(StatusCode::kInvalidArgument, "32x8"));
  EXPECT_THAT(device.load_shaped("test/lanes", {16, 4}), StatusIs(StatusCode::kInvalidArgument, "16x4"));
  EXPECT_THAT(device.load_shaped("test/boxes", {32, 8}), StatusIs(StatusCode::kNotFound));
}

DEVICE_CASE(LaunchesHaveTheShapeOfTheirClass) {
  Device& device = bench.device();
  const auto source = noise(bench);
  const Kernel& before = bench.load(kName);
  const Kernel& other = bench.load("test/box3.uint16_t");
  const std::vector<uint8_t> wanted = box_of(bench, before, *source);
  const int of_grid = size_class_of(kGrid);
  device.set_tuning({{std::string(kName), {{of_grid, {128, 1}}, {of_grid + 1, {64, 2}}}}});
  const Kernel& tuned = bench.load(kName);
  EXPECT_NE(&tuned, &before);
  EXPECT_EQ(&bench.load("test/box3.uint16_t"), &other);
  EXPECT_EQ(tuned.form_for(kGrid).block, (BlockShape{128, 1}));
  EXPECT_EQ(tuned.form_for({kWidth, kHeight, 2}).block, (BlockShape{64, 2}));
  EXPECT_EQ(before.form_for(kGrid).block, (BlockShape{32, 8}));
  EXPECT_EQ(box_of(bench, tuned, *source), wanted);
  EXPECT_EQ(box_of(bench, before, *source), wanted);
  device.set_tuning({});
  EXPECT_EQ(bench.load(kName).form_for(kGrid).block, (BlockShape{32, 8}));
}

DEVICE_CASE(AClassWithoutAnEntryHasTheNearestOnes) {
  Device& device = bench.device();
  const auto source = noise(bench);
  const std::vector<uint8_t> wanted = box_of(bench, bench.load(kName), *source);
  const int of_grid = size_class_of(kGrid);
  const auto shape_with = [&](std::vector<TunedShape> entries) {
    device.set_tuning({{std::string(kName), std::move(entries)}});
    const Kernel& kernel = bench.load(kName);
    EXPECT_EQ(box_of(bench, kernel, *source), wanted);
    return kernel.form_for(kGrid).block;
  };
  EXPECT_EQ(shape_with({{of_grid - kMostClassDistance, {128, 1}}}), (BlockShape{128, 1}));
  EXPECT_EQ(shape_with({{of_grid + kMostClassDistance, {128, 1}}}), (BlockShape{128, 1}));
  EXPECT_EQ(shape_with({{of_grid - kMostClassDistance - 1, {128, 1}}}), (BlockShape{32, 8}));
  EXPECT_EQ(shape_with({{of_grid + kMostClassDistance + 1, {128, 1}}}), (BlockShape{32, 8}));
  EXPECT_EQ(shape_with({{of_grid + 2, {128, 1}}, {of_grid - 1, {64, 2}}}), (BlockShape{64, 2}));
  EXPECT_EQ(shape_with({{of_grid + 1, {128, 1}}, {of_grid - 1, {64, 2}}}), (BlockShape{64, 2}));
  // An entry with the declared shape is treated in the same way as others.
  EXPECT_EQ(shape_with({{of_grid, {32, 8}}, {of_grid - 1, {64, 2}}}), (BlockShape{32, 8}));
  EXPECT_EQ(shape_with({{of_grid + 2, {64, 2}}, {of_grid + 1, {32, 8}}}), (BlockShape{32, 8}));
  device.set_tuning({});
}

DEVICE_CASE(EntriesThatMakeNoSenseAreLeftOut) {
  Device& device = bench.device();
  const auto source = noise(bench);
  const std::vector<uint8_t> wanted = box_of(bench, bench.load(kName), *source);
  for (const BlockShape shape :
       {BlockShape{1024, 1024}, {7, 3}, {0, 0}, {4294967295u, 4294967295u}, {64, 8}}) {
    device.set_tuning(
        {{std::string(kName), {{size_class_of(kGrid), shape}}}, {"test/lanes", {{0, {32, 1}}}}});
    const Kernel& kernel = bench.load(kName);
    EXPECT_EQ(kernel.form_for(kGrid).block, (BlockShape{32, 8}));
    EXPECT_EQ(box_of(bench, kernel, *source), wanted);
    EXPECT_EQ(bench.load("test/lanes").form_for({16, 1, 1}).block, (BlockShape{16, 4}));
  }
}

// Blocks of one row cover fewer rows of the grid than blocks of eight.
DEVICE_CASE(AShapeThatCannotReachTheWholeGridIsNotUsed) {
  Device& device = bench.device();
  const uint64_t rows = uint64_t{device.info().max_blocks[1]} + 1;
  const Grid tall = {1, uint32_t(std::min<uint64_t>(rows, (uint64_t{1} << 31) - 4096)), 1};
  const bool is_out_of_reach = tall.y == rows;
  device.set_tuning({{std::string(kName), {{size_class_of(tall), {32, 1}}}}});
  const BlockShape used = bench.load(kName).form_for(tall).block;
  EXPECT_EQ(used, is_out_of_reach ? (BlockShape{32, 8}) : (BlockShape{32, 1}));
}

class Repeater final : public LaunchObserver {
 public:
  void launch(Stream& stream, const Kernel& kernel, Grid grid, std::span<const std::byte> params) override {
    for (int i = 0; i < 2; i++) {
      stream.launch_unobserved(kernel, grid, params);
      launches++;
    }
  }
  int launches = 0;
};

DEVICE_CASE(AnObserverLaunchesInPlaceOfTheCaller) {
  const auto source = noise(bench);
  const Kernel& kernel = bench.load(kName);
  Repeater repeater;
  EXPECT_EQ(box_of(bench, kernel, *source, &repeater), box_of(bench, kernel, *source));
  EXPECT_EQ(repeater.launches, 2);
}

DEVICE_CASE(SizeClassesAreLogarithms) {
  EXPECT_EQ(size_class_of({1, 1, 1}), 0);
  EXPECT_EQ(size_class_of({3, 1, 1}), 1);
  EXPECT_EQ(size_class_of({1920, 1080, 1}), 20);
  EXPECT_EQ(size_class_of({1920, 1080, 2}), 21);
  EXPECT_EQ(size_class_of({1u << 30, 1u << 30, 1u << 30}), 90);
}

}  // namespace
}  // namespace weft::device::suite
