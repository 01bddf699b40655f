// SPDX-License-Identifier: Apache-2.0
// Tests the phase lock against simulated programs.
#include "server/schedule/phase_lock.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/schedule/period_fit.h"
#include "tests/server/schedule/shared_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

struct Result {
  std::vector<Frame> alone, beside;
  double seconds = 0, work = 0;  // duration and device time of Weft's work from `count_from` on
  double count_from = 0;

  // Returns a quantile of the latency of frames that arrive between `from` and `to`: the ratio of
  // its values with and without Weft's work.
  double inflation(double quantile, double from, double to, int program = 0) const {
    const auto latency = [&](const std::vector<Frame>& frames) {
      std::vector<double> values;
      for (const Frame& f : frames)
        if (f.program == program && f.arrival >= from && f.arrival < to) values.push_back(f.latency());
      std::sort(values.begin(), values.end());
      return values.empty() ? 0.0 : values[size_t(quantile * double(values.size() - 1))];
    };
    return latency(beside) / latency(alone);
  }
  double idle_used() const {
    double busy = 0;
    for (const Frame& f : alone)
      if (f.arrival >= count_from) busy += f.length;
    return work / (seconds - count_from - busy);
  }
};

// Runs endless work of Weft next to the programs, as far as the lock permits it.
struct Beside {
  PhaseLock lock{};
  std::vector<Program> programs = {};
  double length = 10;  // seconds
  double count_from = 0;
  unsigned seed = 1;
  // states of the lock and the times of their changes
  std::vector<std::pair<double, LockState>> states = {};

  Result run() {
    Result result;
    result.seconds = length;
    result.count_from = count_from;
    SharedDevice alone(frames_of(programs, seed)), device(frames_of(programs, seed));
    alone.arrive(length + 1);
    std::mt19937 random(seed + 1);
    double now = 0, told = -1;
    while (now < length) {
      if (now - told >= 0.15) report_presence(told = now);
      if (states.empty() || states.back().second != lock.state()) states.emplace_back(now, lock.state());
      const ExternalLoadAdvice advice = lock.advise(at(now));
      const double from = advice.from == TimePoint::max() ? now + 0.15 : in_seconds(advice.from);
      if (from > now) {
        now = std::min(from, now + 0.15);
        continue;
      }
      const double slice = slice_within(advice, now);
      if (slice <= 0) {
        now = in_seconds(advice.until);
        continue;
      }
      const double noise = 1 + 0.02 * (double(random() % 1000) / 1000 - 0.5);
      const double end = device.launch(now, slice * noise);
      if (now >= count_from) result.work += slice;
      lock.observe({at(now), at(end), of(slice)});
      now = end;
    }
    device.arrive(length + 1);
    result.alone = alone.frames();
    result.beside = device.frames();
    return result;
  }

 private:
  static double slice_within(const ExternalLoadAdvice& advice, double now) {
    if (advice.trial) return 5e-6;
    double slice = advice.longest == Duration::max() ? 20e-3 : in_seconds(advice.longest);
    if (advice.until != TimePoint::max()) slice = std::min(slice, in_seconds(advice.until) - now - kLaunch);
    return slice < 30e-6 ? 0 : slice;
  }
  // Reports the load of the last second with a delay of half a second, as NVML does.
  void report_presence(double now) {
    double load = 0;
    bool present = false;
    for (const Program& p : programs) {
      present = present || (now >= p.from && now < p.to + 0.5);
      if (now >= p.from + 0.5 && now < p.to + 1) load += p.length / p.period(now);
    }
    lock.report_presence({present, std::min(1.0, load), at(now)});
  }
};

bool was(const Beside& beside, LockState state, double from, double to) {
  for (size_t i = 0; i < beside.states.size(); i++) {
    const double end = i + 1 < beside.states.size() ? beside.states[i + 1].first : beside.length;
    if (beside.states[i].second == state && beside.states[i].first < to && end > from) return true;
  }
  return false;
}

void report(const char* what, const Beside& beside, const Result& result, double from, double to) {
  std::string states;
  for (const auto& [time, state] : beside.states)
    states += std::string(" ") + name_of(state) + "@" + std::to_string(time).substr(0, 5);
  std::printf("%-18s seed %u: p50 x%.3f p99 x%.3f idle used %.1f%%%s | %s\n", what, beside.seed,
              result.inflation(0.5, from, to), result.inflation(0.99, from, to), 100 * result.idle_used(),
              states.c_str(), beside.lock.reason().c_str());
}

void expect_targets(const char* what, const Beside& beside, const Result& result, double from, double to) {
  report(what, beside, result, from, to);
  EXPECT_LE(result.inflation(0.5, from, to), 1.03) << what << ", seed " << beside.seed;
  EXPECT_LE(result.inflation(0.99, from, to), 1.10) << what << ", seed " << beside.seed;
  EXPECT_GE(result.idle_used(), 0.85) << what << ", seed " << beside.seed;
}

TEST(PhaseLock, ASteadyProgramHardlyNotices) {
  for (unsigned seed = 1; seed <= 10; seed++) {
    Beside beside{.programs = {{.from = 0.1, .to = 10}}, .count_from = 1.6, .seed = seed};
    const Result result = beside.run();
    expect_targets("steady", beside, result, 1.6, 10);
    EXPECT_EQ(beside.lock.state(), LockState::kLocked) << beside.lock.reason();
    EXPECT_NEAR(in_seconds(beside.lock.period()), 16.683e-3, 5e-6);
  }
}

TEST(PhaseLock, OtherRatesAndLoads) {
  for (const auto& [period, length] : std::vector<std::pair<double, double>>{
           {41.7e-3, 20e-3}, {33.37e-3, 5e-3}, {16.683e-3, 11e-3}, {8.333e-3, 4e-3}}) {
    Beside beside{
        .programs = {{.from = 0.1, .to = 10, .length = length, .period = [=](double) { return period; }}},
        .count_from = 2};
    const Result result = beside.run();
    report("other rates", beside, result, 2, 10);
    EXPECT_EQ(beside.lock.state(), LockState::kLocked) << beside.lock.reason();
    EXPECT_LE(result.inflation(0.5, 2, 10), 1.0 + 0.25e-3 / length);
    EXPECT_LE(result.inflation(0.99, 2, 10), 1.0 + 1.1e-3 / length) << "two launches into a frame";
  }
}

TEST(PhaseLock, JitterWidensTheGuard) {
  for (unsigned seed = 1; seed <= 10; seed++) {
    Beside beside{
        .programs = {{.from = 0.1, .to = 12, .jitter = 0.5e-3}}, .length = 12, .count_from = 2, .seed = seed};
    const Result result = beside.run();
    report("jitter", beside, result, 2, 12);
    EXPECT_LE(result.inflation(0.5, 2, 12), 1.03);
    EXPECT_LE(result.inflation(0.99, 2, 12), 1.16) << "a frame that is late meets two launches";
    EXPECT_GE(result.idle_used(), 0.78) << "the guards alone take 12% of the idle time";
    EXPECT_GT(beside.lock.guard(), microseconds(300));
  }
}

TEST(PhaseLock, FollowsADriftingClock) {
  for (unsigned seed = 1; seed <= 5; seed++) {
    // The rate increases by 30 ppm every second.
    Beside beside{
        .programs = {{.from = 0.1, .to = 20, .period = [](double t) { return 16.683e-3 * (1 - 3e-5 * t); }}},
        .length = 20,
        .count_from = 1.6,
        .seed = seed};
    const Result result = beside.run();
    expect_targets("drift", beside, result, 1.6, 20);
  }
}

TEST(PhaseLock, LearnsAgainWhenThePeriodChanges) {
  for (const double second : {20e-3, 16.9e-3, 11e-3}) {
    Beside beside{
        .programs = {{.from = 0.1, .to = 12, .period = [=](double t) { return t < 5 ? 16.683e-3 : second; }}},
        .length = 12,
        .count_from = 6};
    const Result result = beside.run();
    report("period change", beside, result, 6, 12);
    EXPECT_LE(result.inflation(0.5, 1.6, 5), 1.03);
    EXPECT_LE(result.inflation(0.5, 6, 12), 1.03);
    EXPECT_LE(result.inflation(0.99, 6, 12), 1.10);
    EXPECT_NEAR(in_seconds(beside.lock.period()), second, 1e-5);
  }
}

TEST(PhaseLock, ASecondProgramEndsTheLockAndItsEndBringsItBack) {
  Beside beside{.programs = {{.from = 0.1, .to = 20},
                             {.from = 5, .to = 12, .length = 2e-3, .period = [](double) { return 10.3e-3; }}},
                .length = 20};
  const Result result = beside.run();
  report("second program", beside, result, 14, 20);
  EXPECT_TRUE(was(beside, LockState::kLocked, 1.6, 5));
  EXPECT_FALSE(was(beside, LockState::kLocked, 6, 12));
  EXPECT_EQ(beside.lock.state(), LockState::kLocked) << beside.lock.reason();
  EXPECT_LE(result.inflation(0.99, 14, 20), 1.10);
  EXPECT_LE(result.inflation(0.5, 6, 12), 1.6) << "short slices bound the harm";
}

TEST(PhaseLock, WhoComesAndGoesIsLearntAndForgotten) {
  Beside beside{
      .programs = {{.from = 2, .to = 6}, {.from = 10, .to = 16, .period = [](double) { return 20e-3; }}},
      .length = 20};
  const Result result = beside.run();
  report("start and stop", beside, result, 3.5, 6);
  EXPECT_FALSE(was(beside, LockState::kLearning, 0, 2));
  EXPECT_TRUE(was(beside, LockState::kLocked, 3, 6));
  EXPECT_FALSE(was(beside, LockState::kLocked, 8.6, 10)) << "nobody is there";
  EXPECT_TRUE(was(beside, LockState::kLocked, 11.5, 16));
  EXPECT_EQ(beside.lock.state(), LockState::kAbsent);
  EXPECT_LE(result.inflation(0.99, 3.5, 6, 0), 1.10);
  EXPECT_LE(result.inflation(0.99, 11.5, 16, 1), 1.10);
}

TEST(PhaseLock, WithoutAPeriodSlicesAreShort) {
  const Program program{
      .from = 0.1, .to = 20, .length = 3e-3, .period = [](double) { return 15e-3; }, .aperiodic = true};
  Beside shorts{.programs = {program}, .length = 20};
  const Result with_shorts = shorts.run();
  report("aperiodic, short", shorts, with_shorts, 2, 20);
  EXPECT_EQ(shorts.lock.state(), LockState::kNoPeriod) << shorts.lock.reason();
  EXPECT_FALSE(was(shorts, LockState::kLocked, 0, 20));
  EXPECT_GE(with_shorts.idle_used(), 0.7);
  EXPECT_EQ(shorts.lock.advise(at(20)).longest, microseconds(100));
  EXPECT_TRUE(shorts.lock.advise(at(20)).one_at_a_time);
}

TEST(PhaseLock, WorkWithoutAPauseIsNoPeriod) {
  Beside beside{.programs = {{.from = 0.1, .to = 8, .length = 20e-3, .period = [](double) { return 20e-3; }}},
                .length = 8};
  beside.run();
  EXPECT_EQ(beside.lock.state(), LockState::kNoPeriod);
  EXPECT_EQ(beside.lock.reason(), "The other program's work never pauses.");
}

TEST(PhaseLock, ShareHasNoRegard) {
  PhaseLock lock({.mode = ExternalLoadMode::kShare});
  lock.report_presence({true, 0.4, at(1)});
  for (int i = 0; i < 20; i++) lock.observe({at(1 + i * 0.02), at(1.02 + i * 0.02), milliseconds(10)});
  EXPECT_EQ(lock.advise(at(2)).longest, Duration::max());
  EXPECT_FALSE(lock.protects());
}

TEST(PhaseLock, AnIdleProgramThatIsOpenDoesNotHoldUsUp) {
  PhaseLock lock{};
  lock.report_presence({true, 0, at(0)});
  EXPECT_EQ(lock.state(), LockState::kAbsent);
  for (int i = 0; i < 6; i++) lock.observe({at(i * 0.02), at(i * 0.02 + 0.02), milliseconds(10)});
  EXPECT_EQ(lock.state(), LockState::kLearning) << "our own slices notice before the driver does";
  for (int i = 0; i < 2000; i++)
    lock.observe({at(1 + i * 1e-3), at(1 + i * 1e-3 + 115e-6), microseconds(100)});
  EXPECT_EQ(lock.state(), LockState::kAbsent);
}

TEST(PeriodFit, FindsTheLineBesideAStrayTime) {
  std::vector<double> times;
  for (int i = 0; i < 16; i++)
    if (i != 4 && i != 9) times.push_back(100 + i * 0.0167);
  times.insert(times.begin() + 7, times[6] + 0.006);
  const auto fit = fit_period(times, 1e-3);
  ASSERT_TRUE(fit.has_value());
  EXPECT_NEAR(fit->period, 0.0167, 1e-6);
  EXPECT_NEAR(fit->phase, 100, 1e-5);
  EXPECT_FALSE(fit->counts[7]);
}

TEST(PeriodFit, RandomTimesHaveNone) {
  std::mt19937 random(5);
  std::exponential_distribution<double> gap(60);
  int found = 0;
  for (int round = 0; round < 2000; round++) {
    std::vector<double> times{0};
    while (times.size() < 16) times.push_back(times.back() + gap(random));
    found += fit_period(times, 2e-3).has_value() ? 1 : 0;
  }
  EXPECT_LE(found, 4);
  EXPECT_FALSE(fit_period(std::vector<double>{1, 2, 3}, 1e-3).has_value());
}

}  // namespace
}  // namespace weft::schedule
