// SPDX-License-Identifier: Apache-2.0
// The device's schedule beside another program: the lock as a part of the machine, fed with what its batches take.
#include <cstdio>
#include <deque>
#include <optional>

#include <gtest/gtest.h>

#include "server/schedule/device_schedule.h"
#include "tests/server/schedule/shared_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr SourceId kJob = 3;

// An endless job under the schedule, on a device that a program shares.
struct Beside {
  std::vector<Program> programs;
  PhaseLockLimits limits = {};
  Duration unit = microseconds(10);
  double length = 6;
  double count_from = 0;  // what is done earlier is not in `work`

  DeviceState state = {};
  double work = 0;
  int longest_batch = 0;
  std::vector<Frame> alone = {}, beside = {};

  void run() {
    state.lock = PhaseLock(limits);
    SharedDevice undisturbed(frames_of(programs, 1));
    undisturbed.arrive(length + 1);
    alone = undisturbed.frames();
    SharedDevice device(frames_of(programs, 1));
    SourceSpec spec;
    spec.id = kJob;
    spec.cost_key = "unit";
    spec.max_units = 4096;
    post(SourceOpened{spec}, 0);
    post(UnitsReady{kJob, 1 << 30}, 0);
    double now = 0, told = 0;
    while (now < length) {
      // Batches run one after another; the first one's end, or a time to look again, comes next.
      double next = told + 0.15;
      if (wake) next = std::min(next, *wake);
      if (!queue.empty()) next = std::min(next, end_of_first(device));
      now = std::max(now, next);
      if (!queue.empty() && end <= now) {
        finish();
      } else if (wake && *wake <= now) {
        wake.reset();
        post(ClockTick{}, now);
      } else {
        told = now;
        post(presence_at(now), now);
      }
    }
    device.arrive(length + 1);
    beside = device.frames();
  }
  double inflation(double quantile, double from) const {
    const auto latency = [&](const std::vector<Frame>& frames) {
      std::vector<double> values;
      for (const Frame& f : frames)
        if (f.arrival >= from) values.push_back(f.latency());
      std::sort(values.begin(), values.end());
      return values[size_t(quantile * double(values.size() - 1))];
    };
    return latency(beside) / latency(alone);
  }
  double idle_used() const {
    double busy = 0;
    for (const Frame& f : alone)
      if (f.arrival >= count_from) busy += f.length;
    return work / (length - count_from - busy);
  }

  struct Started {
    int units;
    double time;
  };
  void post(const Event& event, double now) {
    Step step = advance(std::move(state), event, at(now));
    state = std::move(step.state);
    for (const Action& action : step.actions) {
      if (const auto* batch = std::get_if<StartBatch>(&action)) queue.push_back({batch->units, now});
      if (const auto* asked = std::get_if<WakeAt>(&action))
        wake = seconds(asked->time + Duration(1));  // a second's fraction is rounded
    }
  }
  double end_of_first(SharedDevice& device) {
    if (running) return end;
    running = true;
    begin = std::max(end, queue.front().time);
    return end = device.launch(begin, queue.front().units * seconds(unit));
  }
  void finish() {
    const Started batch = queue.front();
    queue.pop_front();
    running = false;
    if (begin >= count_from) work += batch.units * seconds(unit);
    if (begin >= count_from) longest_batch = std::max(longest_batch, batch.units);
    post(BatchFinished{kJob, of(end - begin)}, end);
  }
  Presence presence_at(double now) const {
    const Program& p = programs.front();
    const bool works = now >= p.from + 0.5 && now < p.to + 1;
    return {now >= p.from && now < p.to + 0.5, works ? p.length / p.period(now) : 0, at(now)};
  }

  std::deque<Started> queue = {};
  std::optional<double> wake = {};
  bool running = false;
  double begin = 0, end = 0;
};

TEST(ForeignSchedule, AProgramWithAPeriodHardlyNotices) {
  Beside beside{.programs = {{.from = 0.1, .to = 6}}, .count_from = 1.6};
  beside.run();
  std::printf("locked: p50 x%.3f p99 x%.3f idle used %.1f%% | %s\n", beside.inflation(0.5, 1.6),
              beside.inflation(0.99, 1.6), 100 * beside.idle_used(), beside.state.lock.reason().c_str());
  EXPECT_EQ(beside.state.lock.state(), LockState::kLocked);
  EXPECT_LE(beside.inflation(0.5, 1.6), 1.03);
  EXPECT_LE(beside.inflation(0.99, 1.6), 1.10);
  EXPECT_GE(beside.idle_used(), 0.85);
}

TEST(ForeignSchedule, UnitsLongerThanASliceStillRunInTheGaps) {
  Beside beside{.programs = {{.from = 0.1, .to = 6}}, .unit = milliseconds(2), .count_from = 1.6};
  beside.run();
  std::printf("2 ms units: p50 x%.3f p99 x%.3f idle used %.1f%% | %s\n", beside.inflation(0.5, 1.6),
              beside.inflation(0.99, 1.6), 100 * beside.idle_used(), beside.state.lock.reason().c_str());
  EXPECT_GE(beside.idle_used(), 0.4);
}

TEST(ForeignSchedule, ShortMeansShortAndOneAtATime) {
  Beside beside{
      .programs = {{.from = 0.1, .to = 6}}, .limits = {.mode = ForeignMode::kShort}, .count_from = 1.6};
  beside.run();
  EXPECT_LE(beside.longest_batch, 10) << "0.1 ms";
  EXPECT_LE(beside.inflation(0.5, 1.6), 1.5);
}

TEST(ForeignSchedule, YieldMeansNothingAndIgnoreEverything) {
  Beside yields{
      .programs = {{.from = 0.1, .to = 6}}, .limits = {.mode = ForeignMode::kYield}, .count_from = 1.6};
  yields.run();
  EXPECT_EQ(yields.work, 0);
  Beside ignores{
      .programs = {{.from = 0.1, .to = 6}}, .limits = {.mode = ForeignMode::kIgnore}, .count_from = 1.6};
  ignores.run();
  EXPECT_GE(ignores.inflation(0.5, 1.6), 1.2);
  EXPECT_GE(ignores.longest_batch, 1000) << "a whole quantum";
}

TEST(ForeignSchedule, OnceItIsGoneBatchesAreLongAgain) {
  Beside beside{.programs = {{.from = 0.1, .to = 2}}, .count_from = 4.5};
  beside.run();
  EXPECT_EQ(beside.state.lock.state(), LockState::kAbsent);
  EXPECT_GE(beside.longest_batch, 1000);
  EXPECT_GE(beside.idle_used(), 0.95);
}

}  // namespace
}  // namespace weft::schedule
