// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/trace_ring.h"

#include <thread>

#include <gmock/gmock.h>

namespace weft::worker {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

std::vector<TracedWork> all_of(const TraceRing& ring) { return ring.after(0, TraceRing::kCapacity).works; }

TEST(TraceRingTest, KeepsTheNewestEvents) {
  TraceRing ring;
  constexpr size_t kMore = 100;
  for (size_t i = 0; i < TraceRing::kCapacity + kMore; i++) ring.record({.units = int64_t(i)});
  EXPECT_EQ(ring.newest(), TraceRing::kCapacity + kMore);
  uint64_t serial = 0;
  int64_t expected = int64_t(kMore);
  while (serial < ring.newest()) {
    const TraceRing::TraceChunk chunk = ring.after(serial, 1000);
    ASSERT_FALSE(chunk.works.empty());
    for (const TracedWork& work : chunk.works) ASSERT_EQ(work.units, expected++);
    EXPECT_EQ(chunk.serial, uint64_t(expected));
    serial = chunk.serial;
  }
  EXPECT_EQ(expected, int64_t(TraceRing::kCapacity + kMore));
}

TEST(TraceRingTest, AThreadThatIsNotTracedRecordsNothing) {
  TraceRing ring;
  trace(v1::TRACE_CATEGORY_DECODE, "decode", TimePoint(), milliseconds(1));
  { const TracedThread untraced(CurrentTrack(), "input"); }
  EXPECT_EQ(ring.newest(), 0u);
}

TEST(TraceRingTest, SpansOfAThreadNestOnItsTrack) {
  TraceRing ring;
  {
    const TracedThread traced(ring, {.name = "attempt 1", .job = "01ABC"});
    const TraceSpan outer(v1::TRACE_CATEGORY_JOB, "attempt");
    const TraceSpan inner(v1::TRACE_CATEGORY_DECODE, "decode");
  }
  trace(v1::TRACE_CATEGORY_DECODE, "later", TimePoint(), milliseconds(1));
  const auto works = all_of(ring);
  ASSERT_EQ(works.size(), 2u);
  EXPECT_STREQ(works[0].name, "decode");
  EXPECT_EQ(works[0].track, works[1].track);
  EXPECT_EQ(works[0].track->job, "01ABC");
  EXPECT_GE(works[0].start, works[1].start);
  EXPECT_LE(works[0].start + works[0].duration, works[1].start + works[1].duration);
}

TEST(TraceRingTest, AThreadOfTheSameJobHasATrackOfItsOwn) {
  TraceRing ring;
  const TracedThread traced(ring, {.name = "stream", .job = {}, .stream = 7});
  std::jthread([parent = current_track()] {
    const TracedThread own(parent, "upload");
    trace(v1::TRACE_CATEGORY_UPLOAD, "upload", TimePoint(), milliseconds(1));
  }).join();
  const auto works = all_of(ring);
  ASSERT_EQ(works.size(), 1u);
  EXPECT_EQ(works[0].track->name, "upload");
  EXPECT_EQ(works[0].track->stream, 7u);
}

TEST(TraceRingTest, ShortWaitsAreLeftOut) {
  TraceRing ring;
  const TracedThread traced(ring, {.name = "x"});
  trace(v1::TRACE_CATEGORY_WAIT, "short", TimePoint(), kShortestTracedWait - Duration(1));
  trace(v1::TRACE_CATEGORY_WAIT, "long", TimePoint(), kShortestTracedWait);
  trace(v1::TRACE_CATEGORY_ENCODE, "work", TimePoint(), Duration(1));
  const auto works = all_of(ring);
  ASSERT_EQ(works.size(), 2u);
  EXPECT_STREQ(works[0].name, "long");
}

// The host notices the end of work late, by a varying time.
TEST(TraceRingTest, WorkOnTheDeviceDoesNotOverlap) {
  TraceRing ring;
  const TracedThread traced(ring, {.name = "attempt 1"});
  DeviceTrack device("nodes");
  TimePoint end(milliseconds(10));
  for (const int late : {0, 300, 20, 250, 0}) {
    device.record(v1::TRACE_CATEGORY_NODES, end + microseconds(late), milliseconds(2), 3);
    end += milliseconds(2);
  }
  TimePoint until{};
  for (const TracedWork& work : all_of(ring)) {
    EXPECT_GE(work.start, until);
    EXPECT_GT(work.duration, milliseconds(1));
    EXPECT_LE(work.duration, milliseconds(2));
    EXPECT_EQ(work.units, 3);
    until = work.start + work.duration;
  }
}

TEST(TraceRingTest, ADownloadIsBehindItsBatchAndTheDownloadBefore) {
  TraceRing ring;
  const TracedThread traced(ring, {.name = "attempt 1"});
  DeviceTrack device("download");
  device.record_download({.units = 4, .download = milliseconds(3), .ended = TimePoint(milliseconds(10))});
  device.record_download({.units = 4, .download = milliseconds(3), .ended = TimePoint(milliseconds(11))});
  const auto works = all_of(ring);
  ASSERT_EQ(works.size(), 2u);
  EXPECT_EQ(works[0].start, TimePoint(milliseconds(10)));
  EXPECT_EQ(works[1].start, TimePoint(milliseconds(13)));
  EXPECT_EQ(works[1].duration, milliseconds(3));
}

}  // namespace
}  // namespace weft::worker
