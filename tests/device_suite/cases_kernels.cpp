// SPDX-License-Identifier: Apache-2.0
// Cases of kernels: each is compared with an independent reference, with grids that are no
// multiples of blocks.
#include <algorithm>
#include <numeric>

#include "kernels/device/sum_blocks.kernel"
#include "kernels/test/block_types.kernel"
#include "kernels/test/lanes.kernel"
#include "kernels/test/reduce.kernel"
#include "kernels/test/team.kernel"
#include "tests/device_suite/box3.h"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

DEVICE_CASE(TheSelfTestPasses) { EXPECT_THAT(self_test(bench.device()), IsOk()); }

DEVICE_CASE(LimitsAreThere) {
  const DeviceInfo& info = bench.device().info();
  EXPECT_FALSE(info.id.empty() || info.name.empty() || info.driver.empty());
  EXPECT_EQ(info.uuid.size(), 32u);
  EXPECT_GE(info.memory_bytes, size_t{1} << 28);
  EXPECT_GE(info.max_buffer_bytes, size_t{1} << 27);
  EXPECT_LE(info.max_buffer_bytes, info.memory_bytes);
  for (const uint32_t blocks : info.max_blocks) EXPECT_GE(blocks, 65535u);
  EXPECT_GE(info.max_block_lanes, 256u);
  EXPECT_GE(info.shared_memory_bytes, 16u * 1024);
  EXPECT_GE(info.unit_shared_memory_bytes, info.shared_memory_bytes);
  EXPECT_GE(info.params_bytes, 128u);
  EXPECT_GE(info.subgroup_lanes, 1u);
  EXPECT_GE(info.compute_units, 1u);
}

DEVICE_CASE(EveryKernelLoads) {
  const DeviceInfo& info = bench.device().info();
  const auto load_all = [&](std::span<const kernels::KernelImage> images) {
    for (const kernels::KernelImage& image : images) {
      const bool is_for_gpus = image.signature.run == nullptr;
      if (info.kind == BackendKind::kCpu && is_for_gpus)
        EXPECT_THAT(bench.device().load(image.name), StatusIs(StatusCode::kNotFound)) << image.name;
      else
        EXPECT_THAT(bench.device().load(image.name), IsOk()) << image.name;
    }
  };
  load_all(kernels::embedded_kernels());
  // On a Vulkan device in software a module takes minutes to compile. The tests of its family load
  // the kernels that they need.
  if (info.kind == BackendKind::kVulkan && info.is_software) return;
  for (const std::string_view module : kernels::kernel_modules()) {
    EXPECT_FALSE(kernels::kernels_of(module).empty()) << kernels::why_not_opened(module);
    load_all(kernels::kernels_of(module));
  }
}

DEVICE_CASE(AKernelIsLoadedOnce) {
  const Kernel& kernel = bench.load("test/box3.uint8_t");
  EXPECT_EQ(&bench.load("test/box3.uint8_t"), &kernel);
  EXPECT_NE(&bench.load("test/box3.uint16_t"), &kernel);
  EXPECT_EQ(kernel.name(), "test/box3.uint8_t");
  EXPECT_EQ(kernel.shape().params_bytes, sizeof(kernels::box3::Params));
  EXPECT_EQ(kernel.shape().block_x, 32u);
  EXPECT_EQ(kernel.shape().block_y, 8u);
}

DEVICE_CASE(AKernelThatIsNotThereIsNotFoundWithTheNamesThatAre) {
  Device& device = bench.device();
  EXPECT_THAT(device.load("test/box3"),
              StatusIs(StatusCode::kNotFound, "test/box3.uint16_t, test/box3.uint8_t"));
  EXPECT_THAT(device.load("test/box3.float"),
              StatusIs(StatusCode::kNotFound, "test/box3.uint16_t, test/box3.uint8_t"));
  EXPECT_THAT(device.load("test/boxes"), StatusIs(StatusCode::kNotFound, "test/box3"));
  EXPECT_THAT(device.load("nowhere/box3"), StatusIs(StatusCode::kNotFound, "nowhere"));
  EXPECT_THAT(device.load(""), StatusIs(StatusCode::kNotFound));
}

template <class Pixel>
std::vector<Pixel> box3_reference(const std::vector<Pixel>& source, int width, int height, int stride) {
  std::vector<Pixel> target = source;
  for (int y = 0; y < height; y++) {
    for (int x = 0; x < width; x++) {
      uint32_t sum = 0;
      for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
          sum += source[std::clamp(y + dy, 0, height - 1) * stride + std::clamp(x + dx, 0, width - 1)];
      target[y * stride + x] = static_cast<Pixel>((sum * 7282u + 32768u) >> 16);
    }
  }
  return target;
}

// Both planes have the same content at first, so bytes past the ends of the rows must not change.
template <class Pixel>
void check_box3(Bench& bench, const std::string& kernel) {
  constexpr int kSizes[][2] = {{1, 1}, {1, 40}, {33, 9}, {31, 7}, {32, 8}, {200, 3}, {720, 480}};
  for (const auto& [width, height] : kSizes) {
    const int stride = width + bench.pick(0, 20);
    const auto pixels = bench.random_values<Pixel>(static_cast<size_t>(stride * height));
    const auto source = bench.upload(pixels), target = bench.upload(pixels);
    const auto stream = bench.make_stream();
    using kernels::box3::Plane;
    stream->launch(bench.load(kernel), {static_cast<uint32_t>(width), static_cast<uint32_t>(height), 1},
                   kernels::box3::Params{at<Plane>(*source), at<Plane>(*target), width, height, stride});
    ASSERT_THAT(stream->wait_all(), IsOk());
    EXPECT_TRUE(bench.download<Pixel>(*target) == box3_reference(pixels, width, height, stride))
        << width << "x" << height;
    EXPECT_TRUE(bench.download<Pixel>(*source) == pixels);
  }
}

DEVICE_CASE(BytesAreAveraged) { check_box3<uint8_t>(bench, "test/box3.uint8_t"); }

DEVICE_CASE(WordsAreAveraged) { check_box3<uint16_t>(bench, "test/box3.uint16_t"); }

DEVICE_CASE(BuffersCanBeUsedFromAnyElementOn) {
  const int width = 100, height = 20, offset = 33;
  const auto pixels = bench.random_values<uint8_t>(offset + width * height);
  const auto source = bench.upload(pixels);
  const auto target = bench.allocate(MemoryKind::kDevice, pixels.size());
  const auto stream = bench.make_stream();
  using kernels::box3::Plane;
  stream->launch(
      bench.load("test/box3.uint8_t"), {width, height, 1},
      kernels::box3::Params{at<Plane>(*source, offset), at<Plane>(*target, 7), width, height, width});
  ASSERT_THAT(stream->wait_all(), IsOk());
  const auto got = bench.download(*target);
  const std::vector<uint8_t> plane(pixels.begin() + offset, pixels.end());
  EXPECT_TRUE(std::vector<uint8_t>(got.begin() + 7, got.begin() + 7 + width * height) ==
              box3_reference(plane, width, height, width));
}

DEVICE_CASE(EveryLaneOfAGridRunsOnce) {
  constexpr int kSizes[][3] = {{1, 1, 1}, {17, 5, 3}, {16, 4, 2}, {1, 100, 9}, {1000, 1, 2}, {63, 33, 31}};
  for (const auto& [width, height, depth] : kSizes) {
    const size_t count = static_cast<size_t>(width) * height * depth;
    const auto counts = bench.upload(std::vector<uint32_t>(count + 1000, 5));
    const auto positions = bench.upload(std::vector<std::array<int, 4>>(count, {-1, -1, -1, -1}));
    const auto stream = bench.make_stream();
    namespace k = kernels::lanes;
    stream->launch(
        bench.load("test/lanes"),
        {static_cast<uint32_t>(width), static_cast<uint32_t>(height), static_cast<uint32_t>(depth)},
        k::Params{at<k::Counts>(*counts), at<k::Positions>(*positions), width, height, depth});
    ASSERT_THAT(stream->wait_all(), IsOk());
    const auto got_counts = bench.download<uint32_t>(*counts);
    const auto got_positions = bench.download<std::array<int, 4>>(*positions);
    size_t wrong = 0;
    for (size_t i = 0; i < got_counts.size(); i++) wrong += got_counts[i] != (i < count ? 6 : 5);
    for (int i = 0; i < static_cast<int>(count); i++)
      wrong += got_positions[i] != std::array{i % width, i / width % height, i / width / height, 1};
    EXPECT_EQ(wrong, 0u) << width << "x" << height << "x" << depth;
  }
}

// The sizes go up to all the memory that a block can have.
DEVICE_CASE(TeamsShareAnArrayOfTheSizeAskedFor) {
  namespace k = kernels::team;
  const int most = static_cast<int>(bench.device().info().shared_memory_bytes / sizeof(uint32_t));
  for (const int count : {1, 7, 32, 500, 4096, most}) {
    constexpr int kBlocks = 5;
    const auto values = bench.random_values<uint32_t>(static_cast<size_t>(kBlocks) * count);
    auto expected = values;
    for (int b = 0; b < kBlocks; b++)
      std::reverse(expected.begin() + b * count, expected.begin() + (b + 1) * count);
    const auto kernel = bench.device().load("test/team", static_cast<size_t>(count) * sizeof(uint32_t));
    ASSERT_THAT(kernel, IsOk());
    const auto source = bench.upload(values);
    const auto target = bench.allocate(MemoryKind::kDevice, values.size() * sizeof(uint32_t));
    const auto stream = bench.make_stream();
    stream->launch(**kernel, {kBlocks * (*kernel)->shape().block_x, 1, 1},
                   k::Params{at<k::Values>(*source), at<k::Values>(*target), count});
    ASSERT_THAT(stream->wait_all(), IsOk());
    EXPECT_EQ(bench.download<uint32_t>(*target), expected) << count;
  }
}

DEVICE_CASE(AnArrayTooLargeForABlockIsRefused) {
  const size_t most = bench.device().info().shared_memory_bytes;
  EXPECT_THAT(bench.device().load("test/team", most + 4),
              StatusIs(StatusCode::kFailedPrecondition, "so much shared memory"));
  EXPECT_THAT(bench.device().load("device/sum_blocks", 64),
              StatusIs(StatusCode::kInvalidArgument, "has no array to be sized"));
}

DEVICE_CASE(BarriersAndSharedMemoryWork) {
  namespace k = kernels::sum_blocks;
  constexpr int kSizes[][3] = {{1, 1, 1}, {16, 8, 1}, {17, 9, 2}, {100, 50, 5}, {500, 3, 1}};
  for (const auto& [width, height, depth] : kSizes) {
    const int blocks_x = (width + 15) / 16, blocks_y = (height + 7) / 8;
    const auto values = bench.random_values<uint32_t>(static_cast<size_t>(width) * height * depth);
    std::vector<uint32_t> expected(static_cast<size_t>(blocks_x) * blocks_y * depth, 0);
    for (int z = 0; z < depth; z++)
      for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
          expected[(z * blocks_y + y / 8) * blocks_x + x / 16] += values[(z * height + y) * width + x];
    const auto source = bench.upload(values);
    const auto sums = bench.allocate(MemoryKind::kDevice, expected.size() * 4);
    const auto stream = bench.make_stream();
    stream->launch(
        bench.load("device/sum_blocks"),
        {static_cast<uint32_t>(width), static_cast<uint32_t>(height), static_cast<uint32_t>(depth)},
        k::Params{at<k::Values>(*source), at<k::Values>(*sums), width, height});
    ASSERT_THAT(stream->wait_all(), IsOk());
    EXPECT_TRUE(bench.download<uint32_t>(*sums) == expected) << width << "x" << height << "x" << depth;
  }
}

// A block of 64 values is reversed in each round. Values in the last block, which is incomplete,
// are kept if they have no partner.
template <class Value>
void check_type(Bench& bench, const std::string& type) {
  namespace k = kernels::block_types;
  constexpr int kCount = 64 * 5 + 10;
  for (const int rounds : {1, 2, 3}) {
    std::vector<Value> values = bench.random_values<Value>(kCount);
    if (type == "half")  // Only bits of numbers are used: a device may change the bits of a NaN.
      std::ranges::transform(values, values.begin(),
                             [](Value bits) { return static_cast<Value>(uint16_t(bits) & 0xbbff); });
    const auto buffer = bench.upload(values);
    const auto stream = bench.make_stream();
    stream->launch(bench.load("test/block_types." + type), {kCount, 1, 1},
                   k::Params{at<k::Values>(*buffer), kCount, rounds});
    ASSERT_THAT(stream->wait_all(), IsOk());
    for (int block = 0; block < kCount / 64 && rounds % 2 == 1; block++)
      std::reverse(values.begin() + block * 64, values.begin() + block * 64 + 64);
    EXPECT_TRUE(bench.download<Value>(*buffer) == values) << type << ", " << rounds << " rounds";
  }
}

DEVICE_CASE(BuffersAndSharedMemoryHoldEveryType) {
  check_type<int8_t>(bench, "int8_t");
  check_type<uint8_t>(bench, "uint8_t");
  check_type<int16_t>(bench, "int16_t");
  check_type<uint16_t>(bench, "uint16_t");
  check_type<int32_t>(bench, "int");
  check_type<uint32_t>(bench, "uint");
  check_type<int64_t>(bench, "int64_t");
  check_type<uint64_t>(bench, "uint64_t");
  check_type<float>(bench, "float");
  check_type<uint16_t>(bench, "half");
}

DEVICE_CASE(AtomicsAndSubgroupSumsCountEveryLane) {
  namespace k = kernels::reduce;
  for (const int count : {1, 63, 64, 65, 10007}) {
    auto values = bench.random_values<uint32_t>(static_cast<size_t>(count));
    constexpr uint32_t kWeights[] = {3, 1, 4, 1, 5};
    std::vector<uint32_t> expected = {0, UINT32_MAX, 0, 0};
    for (int i = 0; i < count; i++) {
      expected[0] += values[i];
      expected[1] = std::min(expected[1], values[i]);
      expected[2] = std::max(expected[2], values[i]);
      expected[3] += values[i] * kWeights[i % 5];
    }
    const auto source = bench.upload(values);
    const auto results = bench.upload(std::vector<uint32_t>{0, UINT32_MAX, 0, 0});
    const auto stream = bench.make_stream();
    stream->launch(bench.load("test/reduce"), {static_cast<uint32_t>(count), 1, 1},
                   k::Params{at<k::Values>(*source), at<k::Results>(*results), count});
    ASSERT_THAT(stream->wait_all(), IsOk());
    EXPECT_EQ(bench.download<uint32_t>(*results), expected) << count;
  }
}

}  // namespace
}  // namespace weft::device::suite
