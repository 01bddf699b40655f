// SPDX-License-Identifier: Apache-2.0
// Compares the schedule with simpler policies on an ideal device: one queue, no preemption, a frame
// of about 9 ms every 16.67 ms, and endless background work in slices. The results of the simple
// policies are known and are the reference.
#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;

constexpr int kFrames = 10'000;

// Returns random costs. Each frame is similar to the previous one, and 2% of the frames are 1.6
// times as long.
std::function<Duration()> nine_milliseconds() {
  return [random = std::mt19937(5), level = 0.0]() mutable {
    level = 0.9 * level + std::normal_distribution<double>(0, 0.35)(random);
    const double spike = std::bernoulli_distribution(0.02)(random) ? 1.6 : 1;
    return milliseconds_of(std::max(2.0, 9.06 + level) * spike);
  };
}

struct Figures {
  Duration p50{0}, p99{0};
  double missed = 0, used = 0;
};

Figures figures_of(const std::vector<SimulatedDevice::Frame>& frames, Duration frame_time,
                   Duration background, Duration length) {
  Figures figures;
  figures.p50 = latency_percentile(frames, 50);
  figures.p99 = latency_percentile(frames, 99);
  for (const auto& frame : frames) figures.missed += frame.end - frame.arrival > kPeriod ? 1 : 0;
  figures.missed /= double(frames.size());
  figures.used = double(background.count()) / double((length - frame_time).count());
  return figures;
}

// A policy, which puts slices of background work into the queue. Each function returns a number of
// slices.
class Policy {
 public:
  virtual ~Policy() = default;
  virtual int at_start() { return 0; }                      // slices at the begin
  virtual int slice_ended() { return 0; }                   // slices after the end of a slice
  virtual int frame_ended(Duration /*cost*/) { return 0; }  // slices after the end of a frame
  virtual int idle() { return 0; }                          // slices when the queue is empty
};

// Keeps a fixed number of slices in the queue.
struct PlainSharing : Policy {
  explicit PlainSharing(int slices) : ahead(slices) {}
  int at_start() override { return ahead; }
  int slice_ended() override { return 1; }
  int ahead;
};
// Puts one slice into the empty queue.
struct StopAtArrival : Policy {
  int idle() override { return 1; }
};
// After each frame, uses a share of the spare time: the smaller of the average and the last value
// at the begin of the frame.
struct Averages : Policy {
  Averages(double part, Duration length) : share(part), slice(length) {}
  int frame_ended(Duration cost) override {
    const double budget = share * std::min(average, last);
    last = std::max(0.0, double((kPeriod - cost).count()));
    average += (last - average) / 16;
    return int(budget / double(slice.count()));
  }
  double share;
  Duration slice;
  double average = 0, last = 0;
};
struct Nothing : Policy {};

Figures run(Policy& policy, Duration slice) {
  auto next_cost = nine_milliseconds();
  std::vector<SimulatedDevice::Frame> frames;
  std::deque<int> queue;  // frames by index; -1 is a slice
  Duration frame_time{0}, background{0}, now{0};
  const auto put = [&](int slices) { queue.insert(queue.end(), size_t(slices), -1); };
  const auto arrive = [&](Duration until) {
    for (; int(frames.size()) < kFrames && int64_t(frames.size()) * kPeriod <= until;)
      queue.push_back(int(frames.size())),
          frames.push_back({TimePoint{} + int64_t(frames.size()) * kPeriod, {}});
  };
  put(policy.at_start());
  for (int done = 0; done < kFrames;) {
    arrive(now);
    if (queue.empty()) put(policy.idle());
    if (queue.empty()) {
      now = int64_t(frames.size()) * kPeriod;
      continue;
    }
    const int what = queue.front();
    queue.pop_front();
    const Duration cost = what < 0 ? slice : next_cost();
    now += cost;
    (what < 0 ? background : frame_time) += cost;
    arrive(now - Duration(1));  // These frames arrived before the slices that follow this end.
    if (what < 0) {
      put(policy.slice_ended());
    } else {
      frames[size_t(what)].end = TimePoint{} + now;
      put(policy.frame_ended(cost));
      done++;
    }
  }
  return figures_of(frames, frame_time, background, now);
}

const Figures& run_schedule(Duration slice) {
  static std::map<Duration, Figures> known;
  const auto found = known.find(slice);
  if (found != known.end()) return found->second;
  SimulatedDevice device(1);
  device.state().limits.guard = Duration(0);
  device.state().limits.quantum = slice;
  SimulatedStream stream = stream_of(kStream, kPeriod, microseconds(9'060));
  stream.next_cost = nine_milliseconds();
  stream.spec.max_units = 1;
  stream.spec.first_frame = TimePoint{};
  EXPECT_TRUE(device.add_stream(stream));
  device.add_job(job_of(kJob, slice, 1));
  device.run_for(kPeriod * kFrames);
  return known[slice] =
             figures_of(device.frames(kStream), device.realtime_busy(), device.used(kJob), kPeriod * kFrames);
}

double added(Duration with, Duration alone) {
  return 100 * (double(with.count()) / double(alone.count()) - 1);
}

struct Row {
  const char* name;
  double slice_ms;
  std::function<std::unique_ptr<Policy>(Duration slice)> policy;
  // percent: delay added to frames (median, 99th percentile), and used part of the spare time
  double p50, p99, used;
};

class SimplePolicies : public testing::TestWithParam<Row> {};

// Each policy has its known result, which validates the reference. The schedule has a better
// result.
TEST_P(SimplePolicies, AreAsTheyAreKnownAndTheScheduleAddsLess) {
  const Row& row = GetParam();
  const Duration slice = milliseconds_of(row.slice_ms);
  Nothing nothing;
  const Figures alone = run(nothing, slice), simple = run(*row.policy(slice), slice),
                ours = run_schedule(slice);
  EXPECT_NEAR(double(alone.p50.count()) / 1e6, 9.06, 0.2);
  EXPECT_NEAR(double(alone.p99.count()) / 1e6, 14.58, 0.5);
  EXPECT_NEAR(added(simple.p50, alone.p50), row.p50, 0.15 * row.p50 + 0.6);
  EXPECT_NEAR(added(simple.p99, alone.p99), row.p99, 0.3 * row.p99 + 1.5);
  EXPECT_NEAR(100 * simple.used, row.used, 4);
  EXPECT_LE(ours.p50, std::min(simple.p50, alone.p50 + microseconds(1)));
  EXPECT_LE(ours.p99, std::min(simple.p99, alone.p99 + microseconds(1)));
  EXPECT_LE(ours.missed, alone.missed);
  // One slice of 4 ms fits in a gap of 7.6 ms, and the rest of the gap is lost.
  EXPECT_GE(ours.used, row.slice_ms < 0.5 ? 0.98 : row.slice_ms < 2 ? 0.93 : 0.65);
}

template <class T, class... Args>
auto make(Args... args) {
  return [=](Duration) -> std::unique_ptr<Policy> { return std::make_unique<T>(args...); };
}
auto averages(double share) {
  return [=](Duration slice) -> std::unique_ptr<Policy> { return std::make_unique<Averages>(share, slice); };
}

INSTANTIATE_TEST_SUITE_P(Table, SimplePolicies,
                         testing::Values(Row{"Plain4Ahead", 1, make<PlainSharing>(4), 38.8, 28.6, 100},
                                         Row{"Plain8Ahead", 0.25, make<PlainSharing>(8), 20.8, 13.7, 100},
                                         Row{"StopAtArrival4", 4, make<StopAtArrival>(), 22.8, 14.1, 100},
                                         Row{"StopAtArrival1", 1, make<StopAtArrival>(), 5.5, 3.5, 100},
                                         Row{"StopAtArrivalQuarter", 0.25, make<StopAtArrival>(), 1.4, 1.0,
                                             100},
                                         Row{"Averages50", 1, averages(0.5), 0.1, 0.9, 40.9},
                                         Row{"Averages80", 0.25, averages(0.8), 0.3, 2.8, 74.0},
                                         Row{"Averages100", 0.25, averages(1), 0.8, 6.3, 91.1}),
                         [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace weft::schedule
