// SPDX-License-Identifier: Apache-2.0
// Tests fetches on a stream of the CPU device, planned by a loop with a simulated external load.
#include "server/worker/device/planned_fetch.h"

#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/worker/device/held_work.h"
#include "tests/server/worker/jobs.h"

namespace weft::worker {
namespace {

using schedule::ExternalLoadMode;
using std::chrono::hours;
using std::chrono::milliseconds;

schedule::PhaseLockLimits limits(ExternalLoadMode mode) {
  schedule::PhaseLockLimits limits;
  limits.mode = mode;
  return limits;
}

schedule::SourceSpec spare() {
  schedule::SourceSpec source;
  source.work_class = schedule::SourceClass::kSpare;
  source.owner = "somebody";
  return source;
}

std::unique_ptr<PlannedFetch> open(DeviceLoop& loop, Duration longest_hold) {
  auto fetch = PlannedFetch::open(cpu_device(), loop, spare(), "176x144", longest_hold);
  EXPECT_THAT(fetch.status(), IsOk());
  return *std::move(fetch);
}

void another_program_comes(DeviceLoop& loop) {
  loop.report_presence({true, 0.5, std::chrono::steady_clock::now()});
  ASSERT_TRUE(loop.protects_others());
}

// Fetches a frame as a decoder does.
void fetch_frame(PlannedFetch& fetch) {
  fetch.expect();
  fetch.expect();  // The decoder needed another packet.
  fetch.enqueued();
}

// A device that has no room for a fetch, since next to another program batches run one at a time.
struct FullDevice {
  explicit FullDevice(DeviceLoop& loop) : work(loop, "first") {
    while (!work.has_started()) std::this_thread::yield();
  }
  HeldWork work;
};

size_t batches_started(const DeviceLoop& loop) {
  size_t batches = 0;
  for (const schedule::Decision& d : loop.decisions_after(0, schedule::DecisionRing::kCapacity))
    if (d.units > 0) batches++;
  return batches;
}

// A decoded frame of 16x2 samples with interleaved chroma.
struct Decoded {
  std::vector<uint8_t> samples = std::vector<uint8_t>(48, 7);
  Surface surface() const {
    const auto address = reinterpret_cast<uint64_t>(samples.data());
    return {{16, 2, Chroma::k420, 8}, {address, address + 32, address + 33}, {16, 16, 16}, 2, 0};
  }
};

TEST(PlannedFetch, FramesAreKeptWhileNobodyElseIsThere) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kYield));
  const auto fetch = open(loop, hours(1));
  const Decoded decoded;
  EXPECT_EQ(fetch->keep(decoded.surface()), nullptr) << "there is no memory for them";
  fetch->keep_in(KeptFrames::make(cpu_device(), decoded.surface().format, 1).value());
  fetch->expect();
  auto kept = fetch->keep(decoded.surface());
  ASSERT_NE(kept, nullptr);
  EXPECT_EQ(fetch->keep(decoded.surface()), nullptr) << "there is a slot for one";
  const auto picture = fetch->read(kept.get());
  ASSERT_THAT(picture, IsOk());
  EXPECT_EQ(picture->plane[2][7], 7);
  kept.reset();
  another_program_comes(loop);
  fetch->expect();
  EXPECT_EQ(fetch->keep(decoded.surface()), nullptr) << "the other program would feel the launches";
  fetch->enqueued();
  EXPECT_EQ(batches_started(loop), 1u);
}

TEST(PlannedFetch, FramesComeAsTheyWillWhileNobodyElseIsThere) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kYield));
  const auto fetch = open(loop, hours(1));
  for (int i = 0; i < 20; i++) fetch_frame(*fetch);
  EXPECT_EQ(batches_started(loop), 0u);
}

TEST(PlannedFetch, BesideAnotherProgramEachIsABatchOfTheSchedule) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kYield));
  const auto fetch = open(loop, hours(1));
  another_program_comes(loop);
  for (int i = 0; i < 20; i++) fetch_frame(*fetch);
  EXPECT_EQ(batches_started(loop), 20u);
}

TEST(PlannedFetch, AProgramThatIsIgnoredPlansNothing) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kShare));
  const auto fetch = open(loop, hours(1));
  loop.report_presence({true, 0.5, std::chrono::steady_clock::now()});
  EXPECT_FALSE(loop.protects_others());
  for (int i = 0; i < 20; i++) fetch_frame(*fetch);
  EXPECT_EQ(batches_started(loop), 0u);
}

TEST(PlannedFetch, OneThatWaitsTooLongGoesOnUnplanned) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kYield));
  const FullDevice full(loop);
  const auto fetch = open(loop, milliseconds(1));
  another_program_comes(loop);
  for (int i = 0; i < 5; i++) fetch_frame(*fetch);
  EXPECT_EQ(batches_started(loop), 1u) << "of the full device";
}

TEST(PlannedFetch, NothingIsHeldBackWhileSomethingIsOpened) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kYield));
  const FullDevice full(loop);
  const auto fetch = open(loop, hours(1));
  another_program_comes(loop);
  auto held = std::async(std::launch::async, [&] { fetch_frame(*fetch); });
  // The lock is taken before or after the fetch.
  const DriverLock driver_lock = loop.driver_lock();
  held.get();
  fetch_frame(*fetch);
  EXPECT_EQ(batches_started(loop), 1u) << "of the full device";
}

TEST(PlannedFetch, TheDecoderLetsGoWhatItDoesNotFetch) {
  DeviceLoop loop(schedule::ScheduleLimits(), limits(ExternalLoadMode::kYield));
  const FullDevice full(loop);
  const auto fetch = open(loop, hours(1));
  another_program_comes(loop);
  fetch->expect();
  fetch->release();
  fetch->enqueued();  // This fetch is of an earlier frame and does not wait.
  fetch->expect();    // The object is destroyed while this fetch is held back.
}

}  // namespace
}  // namespace weft::worker
