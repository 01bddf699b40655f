// SPDX-License-Identifier: Apache-2.0
// Cases of order, marks, time, and several streams.
#include <algorithm>
#include <atomic>
#include <thread>

#include "tests/device_suite/step.h"
#include "tests/device_suite/suite.h"

namespace weft::device::suite {
namespace {

namespace step = kernels::step;

constexpr int kValues = 1000;  // number of values that these cases change

void launch_step(Bench& bench, Stream& stream, const Buffer& values, uint32_t addend, int steps = 1) {
  const int count = static_cast<int>(values.size_bytes() / sizeof(uint32_t));
  stream.launch(bench.load("test/step"), {static_cast<uint32_t>(count), 1, 1},
                step::Params{at<step::Values>(values), count, addend, steps});
}

void step_model(std::vector<uint32_t>& values, uint32_t addend, int steps = 1) {
  for (uint32_t& value : values)
    for (int i = 0; i < steps; i++) value = value * 1664525u + addend;
}

DEVICE_CASE(AStreamKeepsItsOrder) {
  std::vector<uint32_t> model = bench.random_values<uint32_t>(kValues);
  std::vector<uint32_t> other(kValues);
  const auto values = bench.upload(model);
  const auto copies = bench.allocate(MemoryKind::kDevice, kValues * 4);
  const auto stream = bench.make_stream();
  for (uint32_t i = 0; i < 200; i++) {
    launch_step(bench, *stream, *values, i, 1 + static_cast<int>(i % 3));
    step_model(model, i, 1 + static_cast<int>(i % 3));
    if (i % 5 == 0) {
      stream->copy(*copies, 0, *values, 0, kValues * 4);
      other = model;
    }
    if (i % 7 == 0) {
      stream->copy(*values, 0, *copies, 4, 4 * (kValues - 1));
      std::copy(other.begin() + 1, other.end(), model.begin());
    }
    if (i % 50 == 0) {
      stream->fill(*values, 0, 8, std::byte{1});
      model[0] = model[1] = 0x01010101;
    }
    if (i % 11 == 0) static_cast<void>(stream->mark());
  }
  ASSERT_THAT(stream->wait_all(), IsOk());
  EXPECT_TRUE(bench.download<uint32_t>(*values) == model);
}

DEVICE_CASE(MarksAreReachedInOrder) {
  const auto values = bench.upload(bench.random_values<uint32_t>(kValues));
  const auto stream = bench.make_stream();
  EXPECT_TRUE(stream->is_done(Mark{}));
  EXPECT_THAT(stream->wait(Mark{}), IsOk());
  std::vector<Mark> marks;
  for (uint32_t i = 0; i < 50; i++) {
    launch_step(bench, *stream, *values, i, 100);
    marks.push_back(stream->mark());
  }
  ASSERT_THAT(stream->wait(marks[20]), IsOk());
  for (int i = 0; i <= 20; i++) EXPECT_TRUE(stream->is_done(marks[i])) << i;
  ASSERT_THAT(stream->wait(marks.back()), IsOk());
  for (const Mark& mark : marks) EXPECT_TRUE(stream->is_done(mark));
  EXPECT_THAT(stream->wait(marks[3]), IsOk());
}

DEVICE_CASE(WaitAllNeedsNoMark) {
  std::vector<uint32_t> model = bench.random_values<uint32_t>(kValues);
  const auto values = bench.upload(model);
  const auto stream = bench.make_stream();
  EXPECT_THAT(stream->wait_all(), IsOk());
  launch_step(bench, *stream, *values, 3, 1000);
  ASSERT_THAT(stream->wait_all(), IsOk());
  step_model(model, 3, 1000);
  EXPECT_TRUE(bench.download<uint32_t>(*values) == model);
}

DEVICE_CASE(ManyLaunchesInARowAndCopiesBesideThemKeepTheirOrder) {
  std::vector<uint32_t> model = bench.random_values<uint32_t>(kValues);
  const auto values = bench.upload(model);
  const auto copies = bench.allocate(MemoryKind::kDevice, kValues * 4);
  const auto stream = bench.make_stream();
  for (uint32_t i = 0; i < 600; i++) {
    launch_step(bench, *stream, *values, i);
    step_model(model, i);
  }
  stream->copy(*copies, 0, *values, 0, kValues * 4);
  launch_step(bench, *stream, *values, 1);
  ASSERT_THAT(stream->wait_all(), IsOk());
  EXPECT_TRUE(bench.download<uint32_t>(*copies) == model);
  step_model(model, 1);
  EXPECT_TRUE(bench.download<uint32_t>(*values) == model);
}

DEVICE_CASE(DestroyingAStreamWaitsForItsWork) {
  std::vector<uint32_t> model = bench.random_values<uint32_t>(kValues);
  const auto values = bench.upload(model);
  auto stream = bench.make_stream();
  launch_step(bench, *stream, *values, 9, 20000);
  stream.reset();
  step_model(model, 9, 20000);
  EXPECT_TRUE(bench.download<uint32_t>(*values) == model);
}

// Two streams change the same values in turn: a missing wait gives other values.
DEVICE_CASE(StreamsWaitForEachOther) {
  std::vector<uint32_t> model = bench.random_values<uint32_t>(kValues);
  const auto values = bench.upload(model);
  const std::unique_ptr<Stream> streams[2] = {bench.make_stream(StreamPriority::kLow),
                                              bench.make_stream(StreamPriority::kHigh)};
  for (uint32_t i = 0; i < 60; i++) {
    Stream& stream = *streams[i % 2];
    const int steps = i % 4 == 0 ? 3000 : 1;  // without a wait the other stream would overtake
    launch_step(bench, stream, *values, i, steps);
    step_model(model, i, steps);
    streams[(i + 1) % 2]->wait_for(stream, stream.mark());
  }
  ASSERT_THAT(streams[0]->wait_all(), IsOk());
  ASSERT_THAT(streams[1]->wait_all(), IsOk());
  EXPECT_TRUE(bench.download<uint32_t>(*values) == model);
}

DEVICE_CASE(WaitingForWhatIsDoneOrForItselfChangesNothing) {
  const auto values = bench.upload(bench.random_values<uint32_t>(kValues));
  auto first = bench.make_stream();
  const auto second = bench.make_stream();
  const Mark done = first->mark();
  ASSERT_THAT(first->wait(done), IsOk());
  second->wait_for(*first, Mark{});
  second->wait_for(*first, done);
  second->wait_for(*second, second->mark());
  launch_step(bench, *second, *values, 1);
  first.reset();  // while the other stream may still refer to its mark
  EXPECT_THAT(second->wait_all(), IsOk());
}

// Upload on one stream, work on a second, download on a third, with three frames in flight, as
// filters run.
DEVICE_CASE(TransfersRunBesideWork) {
  constexpr int kFrames = 40, kSlots = 3;
  constexpr size_t kBytes = kValues * sizeof(uint32_t);
  const auto up = bench.make_stream(StreamPriority::kNormal, StreamUse::kCopies);
  const auto work = bench.make_stream();
  const auto down = bench.make_stream(StreamPriority::kNormal, StreamUse::kCopies);
  struct Slot {
    std::unique_ptr<Buffer> upload, values, download;
    Mark downloaded;
    std::vector<uint32_t> expected;
  };
  Slot slots[kSlots];
  for (Slot& slot : slots) {
    slot.upload = bench.allocate(MemoryKind::kUpload, kBytes);
    slot.values = bench.allocate(MemoryKind::kDevice, kBytes);
    slot.download = bench.allocate(MemoryKind::kDownload, kBytes);
  }
  for (int frame = 0; frame < kFrames + kSlots; frame++) {
    Slot& slot = slots[frame % kSlots];
    if (frame >= kSlots) {
      ASSERT_THAT(down->wait(slot.downloaded), IsOk());
      EXPECT_EQ(std::memcmp(slot.download->host(), slot.expected.data(), kBytes), 0) << frame - kSlots;
    }
    if (frame >= kFrames) continue;
    slot.expected = bench.random_values<uint32_t>(kValues);
    std::memcpy(slot.upload->host(), slot.expected.data(), kBytes);
    up->copy(*slot.values, 0, *slot.upload, 0, kBytes);
    work->wait_for(*up, up->mark());
    launch_step(bench, *work, *slot.values, static_cast<uint32_t>(frame), 50);
    step_model(slot.expected, static_cast<uint32_t>(frame), 50);
    down->wait_for(*work, work->mark());
    down->copy(*slot.download, 0, *slot.values, 0, kBytes);
    slot.downloaded = down->mark();
  }
}

DEVICE_CASE(TimeBetweenMarksAddsUpAndGrowsWithTheWork) {
  // Few values and many steps take long on any device. A time between marks includes the host's
  // time to launch the work between them, which may be 40 us or more. The smallest of five times
  // excludes other load of the machine.
  const auto values = bench.upload(bench.random_values<uint32_t>(64));
  const auto stream = bench.make_stream();
  launch_step(bench, *stream, *values, 1, 1000);  // the first launch may take longer
  ASSERT_THAT(stream->wait_all(), IsOk());
  Duration least_small = Duration::max(), least_large = Duration::max();
  for (int i = 0; i < 5; i++) {
    const TimePoint host_begin = std::chrono::steady_clock::now();
    const Mark begin = stream->mark();
    launch_step(bench, *stream, *values, 1, 1000);
    const Mark middle = stream->mark();
    launch_step(bench, *stream, *values, 1, 250'000);
    const Mark end = stream->mark();
    ASSERT_THAT(stream->wait(end), IsOk());
    const Duration host = std::chrono::steady_clock::now() - host_begin;
    const Duration small = value_of(stream->elapsed(begin, middle));
    const Duration large = value_of(stream->elapsed(middle, end));
    const Duration all = value_of(stream->elapsed(begin, end));
    EXPECT_GT(small, Duration::zero());
    EXPECT_NEAR(static_cast<double>((small + large).count()), static_cast<double>(all.count()), 2000);
    EXPECT_LE(all, host + host / 20 + std::chrono::microseconds(10));
    EXPECT_EQ(value_of(stream->elapsed(end, end)), Duration::zero());
    least_small = std::min(least_small, small);
    least_large = std::min(least_large, large);
  }
  EXPECT_GT(least_large, least_small);
  EXPECT_GT(bench.device().info().timestamp_resolution_ns, 0);
}

DEVICE_CASE(OldMarksCanBeWaitedForButHaveNoTime) {
  const auto stream = bench.make_stream();
  const Mark first = stream->mark();
  Mark last, kept;
  for (int i = 0; i < Stream::kMarksKept; i++) {
    last = stream->mark();
    if (i == 0) kept = last;
  }
  ASSERT_THAT(stream->wait(last), IsOk());
  EXPECT_THAT(stream->wait(first), IsOk());
  EXPECT_TRUE(stream->is_done(first));
  EXPECT_THAT(stream->elapsed(kept, last), IsOk());
  EXPECT_THAT(stream->elapsed(first, last), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(stream->elapsed(Mark{}, last), StatusIs(StatusCode::kOutOfRange));
  EXPECT_THAT(stream->elapsed(last, kept), StatusIs(StatusCode::kInvalidArgument));
}

DEVICE_CASE(WhatIsHeldBackWaitsForItsRelease) {
  if (!bench.device().info().can_hold_back) {
    EXPECT_THAT(bench.device().make_stream(StreamPriority::kNormal, StreamUse::kHeldBack),
                StatusIs(StatusCode::kFailedPrecondition));
    return;
  }
  std::vector<uint32_t> model = bench.random_values<uint32_t>(kValues);
  const auto values = bench.upload(model);
  const auto others = bench.upload(model);
  const auto other = bench.make_stream();
  auto stream = bench.make_stream(StreamPriority::kLow, StreamUse::kHeldBack);
  launch_step(bench, *stream, *values, 1);
  const Mark before = stream->mark();
  stream->hold();
  launch_step(bench, *stream, *values, 2);
  const Mark first = stream->mark();
  stream->hold();
  launch_step(bench, *stream, *values, 3);
  const Mark second = stream->mark();
  ASSERT_THAT(stream->wait(before), IsOk());
  EXPECT_FALSE(stream->is_done(first));
  launch_step(bench, *other, *others, 1, 1000);  // other streams continue
  ASSERT_THAT(other->wait_all(), IsOk());
  EXPECT_FALSE(stream->is_done(first));
  std::thread([&] { stream->release(); }).join();
  ASSERT_THAT(stream->wait(second), IsOk());
  stream->hold();  // a release does not apply to later work
  launch_step(bench, *stream, *values, 4);
  const Mark third = stream->mark();
  stream->release();
  ASSERT_THAT(stream->wait(third), IsOk());
  EXPECT_GT(value_of(stream->elapsed(before, third)), Duration::zero());
  for (const uint32_t addend : {1, 2, 3, 4}) step_model(model, addend);
  stream->hold();
  stream.reset();  // executes the held work
  EXPECT_TRUE(bench.download<uint32_t>(*values) == model);
}

DEVICE_CASE(AnotherThreadMayWait) {
  const auto values = bench.upload(bench.random_values<uint32_t>(kValues));
  const auto stream = bench.make_stream();
  std::atomic<int> reached = 0;
  std::vector<std::thread> waiters;
  for (uint32_t i = 0; i < 4; i++) {
    launch_step(bench, *stream, *values, i, 2000);
    waiters.emplace_back([&reached, &stream, mark = stream->mark()] {
      if (stream->wait(mark).ok() && stream->is_done(mark)) reached++;
    });
  }
  // while the other threads wait
  for (uint32_t i = 0; i < 100; i++) launch_step(bench, *stream, *values, i);
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(reached, 4);
  EXPECT_THAT(stream->wait_all(), IsOk());
}

// Each thread has its own stream and values; the first one loads the kernels.
DEVICE_CASE(ManyStreamsOfManyThreads) {
  constexpr int kThreads = 8;
  std::vector<std::vector<uint32_t>> models;
  std::vector<std::unique_ptr<Buffer>> values;
  for (int t = 0; t < kThreads; t++) {
    models.push_back(bench.random_values<uint32_t>(kValues + 13 * t));
    values.push_back(bench.upload(models.back()));
  }
  std::atomic<int> succeeded = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      StatusOr<std::unique_ptr<Stream>> stream =
          bench.device().make_stream(static_cast<StreamPriority>(t % 3));
      const StatusOr<const Kernel*> kernel = bench.device().load("test/step");
      if (!stream.ok() || !kernel.ok()) return;
      const auto count = static_cast<int>(models[t].size());
      for (uint32_t i = 0; i < 100; i++) {
        (*stream)->launch(**kernel, {static_cast<uint32_t>(count), 1, 1},
                          step::Params{at<step::Values>(*values[t]), count, i, 3});
        step_model(models[t], i, 3);
        if (i % 10 == 0 && !(*stream)->wait((*stream)->mark()).ok()) return;
      }
      if ((*stream)->wait_all().ok()) succeeded++;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(succeeded, kThreads);
  for (int t = 0; t < kThreads; t++) EXPECT_TRUE(bench.download<uint32_t>(*values[t]) == models[t]) << t;
}

}  // namespace
}  // namespace weft::device::suite
