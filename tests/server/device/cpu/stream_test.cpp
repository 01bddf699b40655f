// SPDX-License-Identifier: Apache-2.0
// Tests streams of the CPU device with different priorities. tests/device_suite/ tests the streams
// of every device.
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/test/step.kernel"
#include "server/device/device.h"

namespace weft::device::cpu {
namespace {

namespace step = kernels::step;
using testing::Contains;

constexpr uint32_t kLow = 1, kHigh = 2;  // addends
constexpr int kLowLaunches = 200, kHighLaunches = 200, kSteps = 20'000;

// value * factor + addend: the effect of one or more steps.
struct Steps {
  uint32_t factor = 1, addend = 0;

  static Steps of(uint32_t addend, int count) {
    Steps all;
    for (int i = 0; i < count; i++) all = all.then({1664525u, addend});
    return all;
  }
  Steps then(Steps next) const { return {factor * next.factor, addend * next.factor + next.addend}; }
};

// On one core the launches of both streams change the same value. The result shows the order of the
// launches.
TEST(CpuStreamTest, NothingOfALowerPriorityRunsBetweenLaunchesThatFollowEachOther) {
  const auto device = open_device("cpu", {.cpu_threads = 1});
  ASSERT_THAT(device, IsOk());
  const auto kernel = (*device)->load("test/step");
  const auto value = (*device)->allocate(MemoryKind::kDevice, sizeof(uint32_t));
  const auto staging = (*device)->allocate(MemoryKind::kDownload, sizeof(uint32_t));
  const auto low = (*device)->make_stream(StreamPriority::kLow);
  const auto high = (*device)->make_stream(StreamPriority::kHigh, StreamUse::kHeldBack);
  for (const Status& status :
       {kernel.status(), value.status(), staging.status(), low.status(), high.status()})
    ASSERT_THAT(status, IsOk());
  const auto launch = [&](Stream& stream, uint32_t addend, int steps) {
    stream.launch(**kernel, {1, 1, 1}, step::Params{at<step::Values>(**value), 1, addend, steps});
  };

  (*low)->fill(**value, 0, sizeof(uint32_t), std::byte{0});
  ASSERT_THAT((*low)->wait_all(), IsOk());
  (*high)->hold();
  for (int i = 0; i < kHighLaunches; i++) launch(**high, kHigh, kSteps);
  for (int i = 0; i < kLowLaunches; i++) launch(**low, kLow, kSteps);
  (*high)->release();
  ASSERT_THAT((*high)->wait_all(), IsOk());
  (*low)->copy(**staging, 0, **value, 0, sizeof(uint32_t));
  ASSERT_THAT((*low)->wait_all(), IsOk());

  uint32_t result = 0;
  std::memcpy(&result, (*staging)->host(), sizeof(result));
  // results if all launches of high priority follow this number of launches of low priority
  std::vector<uint32_t> allowed;
  const Steps high_ones = Steps::of(kHigh, kHighLaunches * kSteps), low_one = Steps::of(kLow, kSteps);
  for (int before = 0; before <= kLowLaunches; before++) {
    Steps all;
    for (int i = 0; i < before; i++) all = all.then(low_one);
    all = all.then(high_ones);
    for (int i = before; i < kLowLaunches; i++) all = all.then(low_one);
    allowed.push_back(all.addend);
  }
  EXPECT_THAT(allowed, Contains(result));
}

// The chunks of one launch are counted, since a launch may take minutes.
TEST(CpuStreamTest, ALaunchIsDoneInPiecesThatAreCounted) {
  const auto device = open_device("cpu", {.cpu_threads = 2});
  ASSERT_THAT(device, IsOk());
  const auto kernel = (*device)->load("test/step");
  const uint32_t values = 1 << 20;
  const auto buffer = (*device)->allocate(MemoryKind::kDevice, values * sizeof(uint32_t));
  const auto stream = (*device)->make_stream(StreamPriority::kNormal);
  const auto other = (*device)->make_stream(StreamPriority::kNormal);
  for (const Status& status : {kernel.status(), buffer.status(), stream.status(), other.status()})
    ASSERT_THAT(status, IsOk());
  EXPECT_EQ((*stream)->chunks_done(), 0u);
  (*stream)->fill(**buffer, 0, values * sizeof(uint32_t), std::byte{0});
  (*stream)->launch(**kernel, {values, 1, 1}, step::Params{at<step::Values>(**buffer), int(values), kLow, 1});
  ASSERT_THAT((*stream)->wait_all(), IsOk());
  EXPECT_GE((*stream)->chunks_done(), 8u) << "more than one a thread";
  EXPECT_EQ((*other)->chunks_done(), 0u);
}

}  // namespace
}  // namespace weft::device::cpu
