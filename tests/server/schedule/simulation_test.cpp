// SPDX-License-Identifier: Apache-2.0
// Tests random events of a device: jobs and streams begin, end and change, costs are noisy, and the
// device slows down, runs out of memory and disappears. The rules hold in all cases, and at the end
// all work was done once.
#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "server/schedule/durations.h"
#include "tests/server/schedule/simulated_device.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr SourceId kFirstJob = 1000;

// Simulates three seconds of a device's events, by seed.
class Life {
 public:
  explicit Life(unsigned seed) : seed_(seed), random_(seed), device_(seed) {
    device_.launch = microseconds(15);
    device_.state().limits.aging = kAging;
  }

  void run() {
    for (int i = 0; i < 4; i++) open_job(job());
    while (device_.now() < TimePoint{} + seconds(3)) {
      device_.run_for(microseconds(between(1, 150'000)));
      happen();
    }
    for (const SourceId id : streams_) device_.post(StopAsked{id});
    device_.slower = 1;
    device_.run_for(seconds(30));
    check();
  }

 private:
  static constexpr Duration kAging = milliseconds(500);

  int between(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  SimulatedJob job() {
    // From 50 us to 6.4 ms per unit, and about 0.3 s in all.
    const Duration unit = microseconds(50 << between(0, 7));
    SimulatedJob job = job_of(next_job_++, unit, between(1, 64));
    job.spec.owner = "owner " + std::to_string(between(1, 3));
    job.spec.work_class = between(0, 1) == 0 ? SourceClass::kSpare : SourceClass::kNormal;
    job.spec.priority = between(-2, 2);
    job.spec.weight = between(1, 4);
    job.spec.cost_key = "job " + std::to_string(unit.count()) + " " + std::to_string(between(1, 2));
    job.cost.per_batch = microseconds(between(0, 100));
    job.cost.noise = 0.05;
    job.cost.outlier_chance = 0.02;
    job.cost.outlier_times = between(0, 3) == 0 ? 10 : 1.6;
    job.units = std::max<int64_t>(milliseconds(between(1, 600)) / unit, 1);
    if (between(0, 3) == 0) job.unit_interval = 2 * unit;
    if (between(0, 3) == 0) job.memory_units = between(1, 16);
    return job;
  }

  void open_job(const SimulatedJob& job) {
    device_.add_job(job);
    jobs_.push_back(job);
  }

  void open_stream() {
    const Duration period = milliseconds(between(4, 40));
    SimulatedStream stream = stream_of(next_stream_++, period, period * between(1, 50) / 100);
    stream.jitter = period * between(0, 5) / 100;
    stream.poisson = between(0, 3) == 0;
    stream.drop_chance = between(0, 2) * 0.01;
    stream.cost.noise = 0.05;
    stream.cost.outlier_chance = 0.02;
    stream.cost.outlier_times = 1.6;
    if (device_.add_stream(stream)) streams_.push_back(stream.spec.id);
  }

  void happen() {
    switch (between(0, 9)) {
      case 0:
      case 1:
        return open_stream();
      case 2:
        if (!streams_.empty())
          device_.post(StopAsked{streams_[size_t(between(0, int(streams_.size()) - 1))]});
        return;
      case 3:
      case 4:
        return open_job(job());
      case 5: {
        const SimulatedJob& job = jobs_[size_t(between(0, int(jobs_.size()) - 1))];
        device_.post(SourceChanged{job.spec.id,
                                   between(0, 1) == 0 ? SourceClass::kSpare : SourceClass::kNormal,
                                   between(-5, 5), 1, double(between(1, 5))});
        return;
      }
      case 6: {
        const SourceId id = jobs_[size_t(between(0, int(jobs_.size()) - 1))].spec.id;
        device_.post(StopAsked{id});
        cancelled_[id] = true;
        return;
      }
      case 7:
        device_.slower = device_.slower > 1 ? 1 : 2;
        return;
      case 8:
        if (between(0, 2) == 0) vanish();
        return;
      default:
        device_.post(ClockTick{});
    }
  }

  // Ends every source, as after the loss of a worker, and opens the unfinished jobs again.
  void vanish() {
    device_.vanish();
    device_.run_for(milliseconds(10));
    for (const SimulatedJob& job : jobs_) device_.post(StopAsked{job.spec.id});
    for (const SourceId id : streams_) device_.post(StopAsked{id});
    device_.run_for(seconds(1));
    ASSERT_TRUE(device_.state().sources.empty()) << "seed " << seed_;
    ASSERT_TRUE(device_.state().in_flight.empty()) << "seed " << seed_;
    device_.come_back();
    std::vector<SimulatedJob> again;
    for (SimulatedJob& job : jobs_) {
      const int64_t left = job.units - device_.done(job.spec.id);
      if (cancelled_[job.spec.id] || left == 0) continue;
      job.units = device_.done(job.spec.id);
      again.push_back(job);
      again.back().units = left;
      again.back().spec.id = next_job_++;
    }
    for (const SimulatedJob& job : again) open_job(job);
  }

  void check() {
    EXPECT_TRUE(device_.violations().empty()) << "seed " << seed_ << ": " << device_.violations().front();
    EXPECT_TRUE(device_.state().sources.empty()) << "seed " << seed_;
    EXPECT_TRUE(device_.state().in_flight.empty()) << "seed " << seed_;
    for (const SimulatedJob& job : jobs_) {
      const SourceId id = job.spec.id;
      EXPECT_TRUE(device_.drained(id)) << "seed " << seed_ << ", job " << id;
      if (cancelled_[id])
        EXPECT_LE(device_.done(id), job.units) << "seed " << seed_ << ", job " << id;
      else
        EXPECT_EQ(device_.done(id), job.units) << "seed " << seed_ << ", job " << id;
    }
    for (const Decision& decision : device_.state().decisions.after(0)) {
      const bool planned = decision.reason == Reason::kGap || decision.reason == Reason::kShortSlice;
      const auto keeps_to = [&](Duration limit) {
        return limit == Duration(0) || decision.predicted <= limit;
      };
      EXPECT_TRUE(!planned || keeps_to(decision.gap)) << "seed " << seed_;
      EXPECT_TRUE(!planned || keeps_to(decision.budget)) << "seed " << seed_;
    }
  }

  const unsigned seed_;
  std::mt19937 random_;
  SimulatedDevice device_;
  SourceId next_stream_ = 1, next_job_ = kFirstJob;
  std::vector<SourceId> streams_;
  std::vector<SimulatedJob> jobs_;
  std::map<SourceId, bool> cancelled_;
};

TEST(Life, KeepsTheRulesAndDoesAllWorkOnce) {
  for (unsigned seed = 1; seed <= 100 && !testing::Test::HasFailure(); seed++) Life(seed).run();
}

// Returns random streams that leave at least a third of the device and that can all meet their
// deadlines.
std::vector<SimulatedStream> random_streams(std::mt19937& random, int most) {
  const auto between = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::vector<SimulatedStream> streams;
  int load = 0;
  for (SourceId id = 1; id <= SourceId(between(0, most)); id++) {
    const int percent = between(5, 35);
    const Duration period = milliseconds(between(8, 40));
    if ((load += percent) > 65) break;
    SimulatedStream stream = stream_of(id, period, period * percent / 100);
    stream.jitter = period / 200;
    stream.cost.noise = 0.01;
    streams.push_back(stream);
  }
  return streams;
}

TEST(Properties, NobodyWaitsPastTheAgingTimeAndNoFrameIsLate) {
  constexpr Duration kAging = milliseconds(400);
  for (unsigned seed = 1; seed <= 60; seed++) {
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    SimulatedDevice device(seed);
    device.state().limits.aging = kAging;
    const auto streams = random_streams(random, 3);
    for (const SimulatedStream& stream : streams) device.add_stream(stream);
    device.run_for(milliseconds(500));
    const int jobs = between(2, 6);
    for (int i = 0; i < jobs; i++) {
      SimulatedJob job = job_of(kFirstJob + SourceId(i), microseconds(100 << between(0, 5)), 64);
      job.spec.work_class = i == 0 ? SourceClass::kNormal : SourceClass::kSpare;
      job.spec.priority = between(-3, 3);
      job.spec.owner = "owner " + std::to_string(between(1, 2));
      job.cost.noise = 0.01;
      // The cost is known, since the first batch of an unknown cost is a risk that some source has
      // to bear once.
      for (int n = 0; n < 12; n++) device.state().costs[job.spec.cost_key].learn(1, job.cost.per_unit);
      device.add_job(job);
    }
    const TimePoint since = device.now();
    device.run_for(seconds(3));
    std::map<SourceId, TimePoint> last;
    std::map<SourceId, Duration> longest;
    for (const auto& batch : device.started()) {
      const TimePoint from = std::max(last[batch.source], since);
      longest[batch.source] = std::max(longest[batch.source], batch.time - from);
      last[batch.source] = batch.end;
    }
    for (int i = 0; i < jobs; i++) {
      const SourceId id = kFirstJob + SourceId(i);
      const Source& source = device.state().sources.at(id);
      longest[id] = std::max(longest[id], device.now() - std::max(last[id], since));
      // Jobs that reach the aging time at the same time wait for each other.
      EXPECT_TRUE(source.starves || longest[id] <= kAging * 5 / 4 + jobs * milliseconds(40))
          << "seed " << seed << ", job " << id << ": " << seconds_of(longest[id]) << " s";
    }
    for (const auto& [id, source] : device.state().sources)
      EXPECT_EQ(source.misses, 0) << "seed " << seed << ", stream " << id;
    EXPECT_TRUE(device.violations().empty()) << "seed " << seed;
  }
}

TEST(Properties, SharesFollowWeights) {
  for (unsigned seed = 1; seed <= 40; seed++) {
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    SimulatedDevice device(seed);
    for (const SimulatedStream& stream : random_streams(random, 2)) device.add_stream(stream);
    const bool equal = seed % 2 == 0;
    const int owners = between(2, 4);
    double weights = 0, all = 0;
    std::vector<double> weight, share;
    for (int i = 0; i < owners; i++) {
      weight.push_back(equal ? 1 : between(1, 4));
      weights += weight.back();
      SimulatedJob job = job_of(kFirstJob + SourceId(i), microseconds(50 << between(0, 3)), 64);
      job.spec.owner = "owner " + std::to_string(i);
      job.spec.owner_weight = weight.back();
      job.cost.noise = 0.05;
      job.cost.outlier_chance = 0.02;
      job.cost.outlier_times = 1.6;
      device.add_job(job);
    }
    device.run_for(seconds(5));
    for (int i = 0; i < owners; i++) all += seconds_of(device.used(kFirstJob + SourceId(i)));
    for (int i = 0; i < owners; i++) {
      share.push_back(seconds_of(device.used(kFirstJob + SourceId(i))) / all);
      EXPECT_NEAR(share.back(), weight[size_t(i)] / weights, 0.02) << "seed " << seed << ", owner " << i;
    }
    EXPECT_TRUE(!equal || jain(share) >= 0.99) << "seed " << seed;
  }
}

TEST(Properties, ChangesAndCancelsActWithinTheReactionTime) {
  for (unsigned seed = 1; seed <= 100; seed++) {
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    SimulatedDevice device(seed);
    const int jobs = between(2, 5);
    for (int i = 0; i < jobs; i++) {
      SimulatedJob job = job_of(kFirstJob + SourceId(i), microseconds(100 << between(0, 6)), 256);
      job.spec.priority = i;
      job.cost.noise = 0.05;
      device.add_job(job);
    }
    device.run_for(seconds(1) + microseconds(between(0, 50'000)));
    const SourceId raised = kFirstJob, stopped = kFirstJob + SourceId(jobs) - 1;
    const TimePoint changed = device.now();
    const size_t before = device.started().size();
    device.post(SourceChanged{raised, SourceClass::kNormal, 100, 1, 1});
    device.post(StopAsked{stopped});
    device.run_for(milliseconds(50));
    EXPECT_TRUE(device.drained(stopped)) << "seed " << seed;
    ASSERT_GT(device.started().size(), before) << "seed " << seed;
    for (size_t i = before; i < device.started().size(); i++)
      EXPECT_EQ(device.started()[i].source, raised) << "seed " << seed;
    EXPECT_GT(device.done(raised), 0) << "seed " << seed;
    EXPECT_LE(device.started()[before].time - changed, milliseconds(50)) << "seed " << seed;
  }
}

// The frames take 20% of the period, then 80%, with background work. Returns the number of frames
// that are later than without it.
TEST(Reaction, AStepOfTheStreamsLoadIsFollowedWithinThreeFrames) {
  for (unsigned seed = 1; seed <= 20; seed++) {
    const auto run = [&](bool background) {
      SimulatedDevice device(seed);
      SimulatedStream stream = stream_of(1, kPeriod, kPeriod / 5);
      stream.jitter = microseconds(50);
      stream.cost.noise = 0.02;
      EXPECT_TRUE(device.add_stream(stream));
      SimulatedJob job = job_of(kFirstJob, microseconds(100), 64);
      job.cost.noise = 0.02;
      if (background) device.add_job(job);
      device.run_for(seconds(3));
      device.stream(1).cost.per_unit = kPeriod * 4 / 5;
      device.run_for(seconds(3));
      return device;
    };
    SimulatedDevice with = run(true), alone = run(false);
    const auto& frames = with.frames(1);
    const auto& undisturbed = alone.frames(1);
    ASSERT_EQ(frames.size(), undisturbed.size());
    EXPECT_EQ(with.state().sources.at(1).misses, alone.state().sources.at(1).misses) << "seed " << seed;
    int later = 0;
    for (size_t i = 0; i < frames.size(); i++) {
      const Duration more = frames[i].end - undisturbed[i].end;
      const bool after_step = frames[i].arrival > TimePoint{} + seconds(3);
      if (after_step && more > kPeriod / 50) later++;
    }
    EXPECT_LE(later, 3) << "seed " << seed;
  }
}

// The clock of the device is halved for two seconds, so that learnt costs are wrong at the begin
// and at the end.
TEST(Reaction, ADeviceThatSlowsDownIsLearntAnew) {
  for (unsigned seed = 1; seed <= 20; seed++) {
    SimulatedDevice device(seed);
    SimulatedStream stream = stream_of(1, milliseconds(20), milliseconds(7));
    stream.cost.noise = 0.02;
    ASSERT_TRUE(device.add_stream(stream));
    SimulatedJob job = job_of(kFirstJob, microseconds(200), 64);
    job.cost.noise = 0.02;
    device.add_job(job);
    const auto misses = [&] { return device.state().sources.at(1).misses; };
    device.run_for(seconds(2));
    device.slower = 2;
    device.run_for(milliseconds(500));
    const int64_t at_the_step = misses();
    EXPECT_LE(at_the_step, 3) << "seed " << seed;
    device.run_for(milliseconds(1500));
    device.slower = 1;
    device.run_for(seconds(2));
    EXPECT_EQ(misses(), at_the_step) << "seed " << seed;
    const Duration used = device.used(kFirstJob);
    device.run_for(seconds(2));
    EXPECT_GE(seconds_of(device.used(kFirstJob) - used), 0.9 * 2 * 13 / 20) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weft::schedule
