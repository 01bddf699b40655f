// SPDX-License-Identifier: Apache-2.0
// Tests the device's schedule next to another program. The phase lock is a part of the schedule and
// receives the times of its batches.
#include <cstdio>
#include <deque>
#include <optional>

#include <gtest/gtest.h>

#include "server/schedule/device_schedule.h"
#include "tests/server/schedule/shared_device.h"
#include "tests/server/schedule/stream_and_job.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr SourceId kProber = 101;

// An endless job under the schedule, on a device that other programs share.
struct JobBeside {
  std::vector<Program> programs;
  PhaseLockLimits limits = {};
  Duration unit = microseconds(10);
  double length = 6;
  double count_from = 0;  // time from which `work` is counted
  // time between units that become ready; 0: all are ready
  double interval = 0;
  bool probes = false;  // a source of activity probes exists
  // period of driver stalls: each batch takes another millisecond
  double stalled_from = 0, stalled_to = 0;
  bool reports_stalls = true;

  ScheduleState state = {};
  double work = 0;
  int probed = 0, locks_lost = 0;
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
    if (interval == 0) post(UnitsReady{kJob, 1 << 30}, 0);
    if (probes) open_prober();
    double now = 0, told = 0, given = 0;
    while (now < length) {
      // Batches run one after another. The next event is the end of the first batch or a time to
      // look again.
      double next = told + 0.15;
      if (interval > 0) next = std::min(next, given + interval);
      if (wake) next = std::min(next, *wake);
      if (!queue.empty()) next = std::min(next, end_of_first(device));
      now = std::max(now, next);
      if (!queue.empty() && end <= now) {
        finish();
      } else if (wake && *wake <= now) {
        wake.reset();
        post(ClockTick{}, now);
      } else if (interval > 0 && given + interval <= now) {
        given = now;
        post(UnitsReady{kJob, ++ready}, now);
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

  void open_prober() {
    SourceSpec spec;
    spec.id = kProber;
    spec.cost_key = "look";
    spec.probes_only = true;
    post(SourceOpened{spec}, 0);
    post(UnitsReady{kProber, 1}, 0);
  }
  struct Started {
    SourceId source;
    int units;
    double time;
  };
  void post(const ScheduleEvent& event, double now) {
    const bool was_locked = state.lock.state() == LockState::kLocked;
    const std::vector<ScheduleAction> actions = advance(state, event, at(now));
    if (was_locked && state.lock.state() == LockState::kLearning) locks_lost++;
    for (const ScheduleAction& action : actions) {
      if (const auto* batch = std::get_if<StartBatch>(&action)) {
        queue.push_back({batch->source, batch->units, now});
        if (batch->source == kJob) ready -= batch->units;
        if (batch->source == kProber) probed++;
      }
      if (const auto* asked = std::get_if<WakeAt>(&action))
        wake = in_seconds(asked->time + Duration(1));  // fractions of a second are rounded
    }
  }
  double end_of_first(SharedDevice& device) {
    if (running) return end;
    running = true;
    begin = std::max(end, queue.front().time);
    end = device.launch(begin, queue.front().units * in_seconds(unit));
    return end += is_stalled() ? 1e-3 : 0;
  }
  bool is_stalled() const { return begin >= stalled_from && begin < stalled_to; }
  void finish() {
    const Started batch = queue.front();
    queue.pop_front();
    running = false;
    if (begin >= count_from && batch.source == kJob) work += batch.units * in_seconds(unit);
    if (begin >= count_from) longest_batch = std::max(longest_batch, batch.units);
    const double stall = is_stalled() ? 1e-3 : 0;
    post(BatchFinished{batch.source, of(end - begin - stall), reports_stalls && stall > 0}, end);
    if (batch.source == kProber) post(UnitsReady{kProber, 1}, end);
  }
  Presence presence_at(double now) const {
    const Program& p = programs.front();
    const bool works = now >= p.from + 0.5 && now < p.to + 1;
    return {now >= p.from && now < p.to + 0.5, works ? p.length / p.period(now) : 0, at(now)};
  }

  std::deque<Started> queue = {};
  int ready = 0;
  std::optional<double> wake = {};
  bool running = false;
  double begin = 0, end = 0;
};

TEST(ExternalLoadSchedule, AProgramWithAPeriodHardlyNotices) {
  JobBeside beside{.programs = {{.from = 0.1, .to = 6}}, .count_from = 1.6};
  beside.run();
  std::printf("locked: p50 x%.3f p99 x%.3f idle used %.1f%% | %s\n", beside.inflation(0.5, 1.6),
              beside.inflation(0.99, 1.6), 100 * beside.idle_used(), beside.state.lock.reason().c_str());
  EXPECT_EQ(beside.state.lock.state(), LockState::kLocked);
  EXPECT_LE(beside.inflation(0.5, 1.6), 1.03);
  EXPECT_LE(beside.inflation(0.99, 1.6), 1.10);
  EXPECT_GE(beside.idle_used(), 0.85);
}

TEST(ExternalLoadSchedule, UnitsLongerThanASliceStillRunInTheGaps) {
  JobBeside beside{.programs = {{.from = 0.1, .to = 6}}, .unit = milliseconds(2), .count_from = 1.6};
  beside.run();
  std::printf("2 ms units: p50 x%.3f p99 x%.3f idle used %.1f%% | %s\n", beside.inflation(0.5, 1.6),
              beside.inflation(0.99, 1.6), 100 * beside.idle_used(), beside.state.lock.reason().c_str());
  EXPECT_GE(beside.idle_used(), 0.4);
}

// A decoder provides a frame now and then, too rarely for the batches to show the begin of the
// program's frames.
TEST(ExternalLoadSchedule, WithLittleToDoItLooksByItself) {
  JobBeside beside{.programs = {{.from = 0.1, .to = 8}},
                   .length = 8,
                   .count_from = 1.6,
                   .interval = 1.8e-3,
                   .probes = true};
  beside.run();
  std::printf("little to do: p50 x%.3f p99 x%.3f, %d looks | %s\n", beside.inflation(0.5, 1.6),
              beside.inflation(0.99, 1.6), beside.probed, beside.state.lock.reason().c_str());
  EXPECT_EQ(beside.state.lock.state(), LockState::kLocked);
  EXPECT_LE(beside.inflation(0.5, 1.6), 1.03);
  EXPECT_LE(beside.inflation(0.99, 1.6), 1.10);
  const double units = beside.work / in_seconds(beside.unit);
  EXPECT_GE(units, 0.95 * (beside.length - beside.count_from) / beside.interval)
      << "all of it is done in the gaps";
}

TEST(ExternalLoadSchedule, NobodyIsLookedAtForNothing) {
  JobBeside shares{.programs = {{.from = 0.1, .to = 3}},
                   .limits = {.mode = ExternalLoadMode::kShare},
                   .length = 3,
                   .interval = 1.8e-3,
                   .probes = true};
  shares.run();
  EXPECT_EQ(shares.probed, 0);
  JobBeside alone{.programs = {{.from = 5, .to = 6}}, .length = 3, .interval = 1.8e-3, .probes = true};
  alone.run();
  EXPECT_EQ(alone.probed, 0);
  JobBeside idle{.programs = {{.from = 0.1, .to = 3}}, .length = 3, .interval = 10, .probes = true};
  idle.run();
  EXPECT_GT(idle.probed, 0) << "the job is open, and may have work any time";
  idle.post(StopAsked{kJob}, 3);
  const int before = idle.probed;
  idle.post(ClockTick{}, 3.1);
  EXPECT_EQ(idle.probed, before);
}

TEST(ExternalLoadSchedule, WhatTheDriverKeptIsNoSignOfAnotherProgram) {
  JobBeside told{.programs = {{.from = 0.1, .to = 4}}, .length = 4, .stalled_from = 2, .stalled_to = 2.3};
  told.run();
  EXPECT_EQ(told.state.lock.state(), LockState::kLocked);
  EXPECT_EQ(told.locks_lost, 0);
  JobBeside untold{.programs = {{.from = 0.1, .to = 4}},
                   .length = 4,
                   .stalled_from = 2,
                   .stalled_to = 2.3,
                   .reports_stalls = false};
  untold.run();
  EXPECT_GT(untold.locks_lost, 0) << "or the test is of nothing";
}

TEST(ExternalLoadSchedule, WithoutAPeriodBatchesAreShortAndOneAtATime) {
  JobBeside beside{.programs = {{.from = 0.1, .to = 6, .aperiodic = true}}, .count_from = 1.6};
  beside.run();
  EXPECT_NE(beside.state.lock.state(), LockState::kLocked);
  EXPECT_LE(beside.longest_batch, 10) << "0.1 ms";
  EXPECT_LE(beside.inflation(0.5, 1.6), 1.5);
}

TEST(ExternalLoadSchedule, ShareHasNoRegard) {
  JobBeside shares{
      .programs = {{.from = 0.1, .to = 6}}, .limits = {.mode = ExternalLoadMode::kShare}, .count_from = 1.6};
  shares.run();
  EXPECT_GE(shares.inflation(0.5, 1.6), 1.2);
  EXPECT_GE(shares.longest_batch, 1000) << "a whole quantum";
}

TEST(ExternalLoadSchedule, OnceItIsGoneBatchesAreLongAgain) {
  JobBeside beside{.programs = {{.from = 0.1, .to = 2}}, .count_from = 4.5};
  beside.run();
  EXPECT_EQ(beside.state.lock.state(), LockState::kAbsent);
  EXPECT_GE(beside.longest_batch, 1000);
  EXPECT_GE(beside.idle_used(), 0.95);
}

}  // namespace
}  // namespace weft::schedule
