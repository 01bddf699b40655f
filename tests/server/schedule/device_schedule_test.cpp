// SPDX-License-Identifier: Apache-2.0
// Tests one job alone on a device on a virtual clock: with scripted events, a simulated device, and
// random events.
#include "server/schedule/device_schedule.h"

#include <algorithm>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/schedule/busy_time.h"
#include "server/schedule/stream_load.h"
#include "tests/server/schedule/stream_and_job.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::IsEmpty;

// The state of a schedule and its clock, with one open source.
struct Script {
  ScheduleState state{};
  VirtualClock clock{};

  explicit Script(int max_units) {
    SourceSpec spec;
    spec.id = kJob;
    spec.owner = "somebody";
    spec.cost_key = "a filter";
    spec.max_units = max_units;
    on(SourceOpened{spec});
  }
  std::vector<ScheduleAction> on(const ScheduleEvent& event) { return advance(state, event, clock.now()); }
  int ready() const { return state.sources.contains(kJob) ? state.sources.at(kJob).ready : 0; }
  std::vector<ScheduleAction> add(int units) { return on(UnitsReady{kJob, ready() + units}); }
  void knows(Duration per_unit);
};

Duration normal_busy(const Script& script) {
  return totals_until(script.state, script.clock.now()).busy[size_t(SourceClass::kNormal)];
}

ScheduleAction start(int units, Duration predicted) { return StartBatch{kJob, units, predicted}; }

// Returns a known cost: `per_unit` for each unit and nothing per batch.
BatchCost known_cost(Duration per_unit) {
  BatchCost cost;
  for (const int n : {1, 2, 4, 8, 16, 32}) cost.learn(n, per_unit * n);
  return cost;
}

void Script::knows(Duration per_unit) { state.costs["a filter"] = known_cost(per_unit); }

TEST(DeviceSchedule, TimeOfWhatRunsIsCountedBeforeItEnds) {
  Script script(8);
  ASSERT_FALSE(script.add(1).empty());
  for (int i = 1; i <= 3; i++) {
    script.clock.advance(milliseconds(400));
    EXPECT_EQ(normal_busy(script), i * milliseconds(400));
  }
  script.on(ClockTick{});  // The tick ends periods.
  EXPECT_EQ(normal_busy(script), milliseconds(1200));
  script.clock.advance(milliseconds(300));
  EXPECT_EQ(normal_busy(script), milliseconds(1500));
  script.on(BatchFinished{kJob, milliseconds(1490)});
  EXPECT_EQ(normal_busy(script), milliseconds(1490));
  script.clock.advance(milliseconds(300));
  EXPECT_EQ(normal_busy(script), milliseconds(1490)) << "nothing runs";
}

// A stream of 25 frames a second is measured at 1 ms per synthetic frame. Its real frames take 30
// ms.
TEST(MeasuredCost, WhatAStreamsOwnFramesShowCountsMoreThanAProbe) {
  ScheduleState state;
  VirtualClock clock;
  SourceSpec stream;
  stream.id = kStream;
  stream.work_class = SourceClass::kRealtime;
  stream.cost_key = "a filter";
  stream.period = milliseconds(40);
  const auto on = [&](const ScheduleEvent& event) { return advance(state, event, clock.now()); };
  const auto probe = [&] {
    state.costs["apart"] = known_cost(milliseconds(1));
    static_cast<void>(on(CostMeasured{"apart", "a filter"}));
  };
  probe();
  static_cast<void>(on(SourceOpened{stream}));
  ASSERT_TRUE(state.sources.contains(kStream));
  for (int i = 0; i < 50; i++) {
    static_cast<void>(on(FrameArrived{kStream, 1}));
    clock.advance(milliseconds(30));
    static_cast<void>(on(BatchFinished{kStream, milliseconds(30)}));
    clock.advance(milliseconds(10));
  }
  SourceSpec second = stream;
  second.id = kStream + 1;
  EXPECT_THAT(on(SourceOpened{second}), testing::Contains(testing::VariantWith<Refused>(testing::_)))
      << "two do not fit, by what the first one showed";
  static_cast<void>(on(StopAsked{kStream}));
  ASSERT_TRUE(state.sources.empty());
  probe();
  EXPECT_NEAR(double(state.costs["a filter"].predict(1).count()), 30e6, 1e5)
      << "the probe's frames are easier";
  clock.advance(kShownFor + milliseconds(1));
  probe();
  EXPECT_EQ(state.costs["a filter"].predict(1), milliseconds(1)) << "the device may have been busier then";
}

TEST(MeasuredCost, IsTakenWhereNothingIsKnownOrWhereItIsClearlyLess) {
  ScheduleState state;
  const auto measure = [&](Duration cost, const std::string& key) {
    state.costs["apart"] = known_cost(cost);
    static_cast<void>(advance(state, CostMeasured{"apart", key}, TimePoint()));
    EXPECT_FALSE(state.costs.contains("apart"));
  };
  measure(milliseconds(40), "a filter");
  EXPECT_EQ(state.costs["a filter"].predict(1), milliseconds(40)) << "nothing was known";
  measure(milliseconds(39), "a filter");
  EXPECT_EQ(state.costs["a filter"].predict(1), milliseconds(40)) << "hardly less";
  measure(milliseconds(4), "");
  EXPECT_EQ(state.costs["a filter"].predict(1), milliseconds(40)) << "it failed";
  measure(milliseconds(4), "a filter");
  EXPECT_EQ(state.costs["a filter"].predict(1), milliseconds(4));
  measure(milliseconds(40), "a filter");
  EXPECT_EQ(state.costs["a filter"].predict(1), milliseconds(4)) << "more";
}

TEST(MeasuredCost, DoesNotReplaceWhatAnOpenSourceTeaches) {
  Script script(8);
  script.knows(milliseconds(4));
  script.state.costs["apart"] = known_cost(milliseconds(1));
  script.on(CostMeasured{"apart", "a filter"});
  EXPECT_EQ(script.state.costs["a filter"].predict(1), milliseconds(4));
}

TEST(OneJob, TriesOneUnitFirstAndAlone) {
  Script script(8);
  EXPECT_THAT(script.add(100), ElementsAre(start(1, Duration(0))));
  EXPECT_THAT(script.add(1), IsEmpty());
}

TEST(OneJob, KeepsTwoInFlightOfAQuantumEach) {
  Script script(64);
  script.knows(milliseconds(4));
  const auto actions = script.add(100);
  ASSERT_EQ(actions.size(), 2u);
  for (const ScheduleAction& action : actions) EXPECT_EQ(std::get<StartBatch>(action).units, 5);
  EXPECT_THAT(script.add(100), IsEmpty());
  EXPECT_EQ(script.on(BatchFinished{kJob, milliseconds(20)}).size(), 1u);
}

TEST(OneJob, AnIdleDeviceTakesWhatThereIsABusyOneWaitsForAFullBatch) {
  Script script(64);
  script.knows(milliseconds(4));
  EXPECT_EQ(script.add(2).size(), 1u);
  EXPECT_THAT(script.add(4), IsEmpty());
  EXPECT_EQ(script.add(1).size(), 1u);
}

TEST(OneJob, AtTheEndTheRestGoesAtOnceAndThenItIsDrained) {
  Script script(64);
  script.knows(milliseconds(4));
  script.add(2);
  script.add(3);
  EXPECT_EQ(script.on(InputEnded{kJob}).size(), 1u);
  EXPECT_THAT(script.on(BatchFinished{kJob, milliseconds(8)}), IsEmpty());
  EXPECT_THAT(script.on(BatchFinished{kJob, milliseconds(12)}), ElementsAre(ScheduleAction(Drained{kJob})));
  EXPECT_THAT(script.on(InputEnded{kJob}), IsEmpty()) << "it ends once";
}

TEST(OneJob, WhatIsReadyIsSaidAnewEachTime) {
  Script script(64);
  script.knows(milliseconds(30));
  EXPECT_EQ(script.on(UnitsReady{kJob, 5}).size(), 1u);
  EXPECT_EQ(script.ready(), 4);
  EXPECT_THAT(script.on(UnitsReady{kJob, 0}), IsEmpty());
  EXPECT_EQ(script.ready(), 0);
  EXPECT_THAT(script.on(UnitsReady{kJob, 2}), IsEmpty());
  EXPECT_EQ(script.ready(), 2);
}

TEST(OneJob, AnEmptyInputIsDrainedAtOnce) {
  Script script(4);
  EXPECT_THAT(script.on(InputEnded{kJob}), ElementsAre(ScheduleAction(Drained{kJob})));
}

TEST(OneJob, AUnitLongerThanTheReactionTimeRunsAlone) {
  Script script(64);
  script.knows(milliseconds(80));
  EXPECT_EQ(script.add(10).size(), 1u);
  EXPECT_THAT(script.add(10), IsEmpty());
  EXPECT_EQ(script.on(BatchFinished{kJob, milliseconds(80)}).size(), 1u);
}

TEST(OneJob, AStopStartsNothingMoreAndWaitsForWhatRuns) {
  Script script(64);
  script.knows(milliseconds(4));
  script.add(100);
  EXPECT_THAT(script.on(StopAsked{kJob}), IsEmpty());
  EXPECT_THAT(script.on(BatchFinished{kJob, milliseconds(20)}), IsEmpty());
  EXPECT_THAT(script.on(BatchFinished{kJob, milliseconds(20)}), ElementsAre(ScheduleAction(Drained{kJob})));
}

// A device that runs one batch after another, each in a + b*n with some noise. Units arrive at a
// constant rate.
struct Simulation {
  Duration per_batch, per_unit, arrival;
  int units, max_units;

  Duration elapsed{0};  // time until all units were done
  Duration busy{0};     // busy time of the device
  int largest = 0, done = 0;
  Duration longest_queue{0};  // largest device time of the batches in flight, after the learning

  void run(unsigned seed) {
    std::mt19937 random(seed);
    Script script(max_units);
    struct Running {
      int units;
      Duration time;
      TimePoint end;
    };
    std::deque<Running> running;
    TimePoint device_free{}, next_arrival{};
    int arrived = 0;
    bool drained = false;
    const auto act = [&](const std::vector<ScheduleAction>& actions) {
      for (const ScheduleAction& action : actions) {
        if (std::holds_alternative<Drained>(action)) drained = true;
        if (!std::holds_alternative<StartBatch>(action)) continue;
        const int n = std::get<StartBatch>(action).units;
        const Duration noise = microseconds(random() % 100);
        const Duration time = per_batch + per_unit * n + noise;
        device_free = std::max(device_free, script.clock.now()) + time;
        running.push_back({n, time, device_free});
        largest = std::max(largest, n);
        if (done > 50) longest_queue = std::max(longest_queue, device_free - script.clock.now());
      }
    };
    while (!drained) {
      const bool more = arrived < units;
      ASSERT_TRUE(more || !running.empty()) << "it stands still";
      const bool arrives = more && (running.empty() || next_arrival < running.front().end);
      const TimePoint next = arrives ? next_arrival : running.front().end;
      script.clock.advance(std::max(next - script.clock.now(), Duration(0)));
      if (arrives) {
        arrived++;
        next_arrival += arrival;
        act(script.add(1));
        if (arrived == units) act(script.on(InputEnded{kJob}));
      } else {
        const Running first = running.front();
        running.pop_front();
        done += first.units;
        busy += first.time;
        act(script.on(BatchFinished{kJob, first.time}));
      }
    }
    elapsed = script.clock.now() - TimePoint{};
  }
};

TEST(OneJob, KeepsAFastDeviceBusyWithinItsReactionTime) {
  for (unsigned seed = 1; seed <= 20; seed++) {
    Simulation device{microseconds(200), microseconds(150), microseconds(1), 20'000, 256};
    device.run(seed);
    EXPECT_EQ(device.done, 20'000);
    EXPECT_GE(device.busy.count(), 0.98 * double(device.elapsed.count()));
    EXPECT_LE(device.longest_queue, milliseconds(50));
    EXPECT_GT(device.largest, 100) << "20 ms hold 132 units";
  }
}

TEST(OneJob, ASlowInputIsNotHeldBack) {
  Simulation device{microseconds(500), milliseconds(1), milliseconds(10), 500, 256};
  device.run(1);
  EXPECT_EQ(device.done, 500);
  EXPECT_LE(device.elapsed, milliseconds(10) * 500 + milliseconds(20));
}

TEST(OneJob, NeverPastTheMemoryLimit) {
  Simulation device{microseconds(10), microseconds(10), microseconds(1), 5'000, 7};
  device.run(1);
  EXPECT_EQ(device.done, 5'000);
  EXPECT_EQ(device.largest, 7);
}

TEST(OneJob, RandomEventsNeverBreakItsRules) {
  for (unsigned seed = 1; seed <= 300; seed++) {
    std::mt19937 random(seed);
    const int max_units = 1 + int(random() % 32);
    Script script(max_units);
    int ready = 0, in_flight = 0, ends = 0;
    bool stopped = false;
    std::deque<int> batches;
    for (int i = 0; i < 300; i++) {
      script.clock.advance(microseconds(random() % 20'000));
      std::vector<ScheduleAction> actions;
      switch (random() % 16) {
        case 0:
          actions = script.on(InputEnded{kJob});
          break;
        case 1:
          if (i > 200) stopped = true;
          actions = i > 200 ? script.on(StopAsked{kJob}) : script.add(0);
          break;
        case 2:
        case 3:
        case 4:
        case 5:
        case 6: {
          const int n = int(random() % 40);
          ready += n;
          actions = script.add(n);
          break;
        }
        default:
          if (!batches.empty()) batches.pop_front();
          actions = script.on(BatchFinished{kJob, microseconds(1 + random() % 30'000)});
      }
      for (const ScheduleAction& action : actions) {
        ASSERT_EQ(ends, 0) << "something after the end";
        if (const auto* start = std::get_if<StartBatch>(&action)) {
          ASSERT_FALSE(stopped);
          ASSERT_GE(start->units, 1);
          ASSERT_LE(start->units, max_units);
          ready -= start->units;
          batches.push_back(start->units);
        } else if (std::holds_alternative<Drained>(action)) {
          ends++;
        }
      }
      in_flight = int(batches.size());
      ASSERT_GE(ready, 0) << "a unit ran twice";
      ASSERT_LE(in_flight, 2);
      ASSERT_TRUE(in_flight > 0 || ready == 0 || stopped || ends > 0) << "the device idles while units wait";
    }
  }
}

}  // namespace
}  // namespace weft::schedule
