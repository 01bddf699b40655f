// SPDX-License-Identifier: Apache-2.0
// A simulated device for the schedule's tests: virtual time, one piece of work at a time in the
// order of their starts, and costs with noise.
//
//   SimulatedDevice device(seed);
//   device.add_stream(stream);
//   device.add_job(job);
//   device.run_for(std::chrono::seconds(10));
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <random>
#include <string>
#include <vector>

#include "server/schedule/device_schedule.h"
#include "tests/server/schedule/stream_and_job.h"

namespace weft::schedule {

inline Duration milliseconds_of(double ms) { return Duration(int64_t(ms * 1e6)); }

// Returns Jain's index of fairness: 1 if all shares are equal, 1/n if one source has everything.
double jain(const std::vector<double>& shares);

// The true duration of a batch of n units.
struct TrueCost {
  Duration per_batch{0}, per_unit{0};
  double noise = 0;           // standard deviation, as a fraction of the duration
  double outlier_chance = 0;  // probability of a batch with outlier_times the duration
  double outlier_times = 3;
};

struct SimulatedStream {
  SourceSpec spec;
  TrueCost cost;
  Duration jitter{0};                   // largest deviation of each arrival, earlier or later
  bool poisson = false;                 // random arrivals (Poisson) at the same rate
  double true_period_ratio = 1;         // ratio of the real period to the declared one
  double drop_chance = 0;               // probability of a missing frame
  std::function<Duration()> next_cost;  // duration of the next frame, in place of `cost`
};

struct SimulatedJob {
  SourceSpec spec;
  TrueCost cost;
  int64_t units = int64_t{1} << 40;  // number of units in all
  // time between units that become ready; zero: all are ready at once
  Duration unit_interval{0};
  // a batch of more units fails for lack of memory
  int memory_units = std::numeric_limits<int>::max();
  // Largest number of started batches with output that is not taken yet. The output of a batch is
  // taken `taken_after` after its end. As in real jobs, one batch may start before each report of
  // ready work. Zero: no limit.
  int kept = 0;
  Duration taken_after{0};
  int units_at_once = 1 << 30;  // largest number of units that are ready at one time
};

// Return a stream and an endless job with the usual settings.
SimulatedStream stream_of(SourceId id, Duration period, Duration cost);
SimulatedJob job_of(SourceId id, Duration unit, int max_units);

class SimulatedDevice {
 public:
  struct Frame {
    TimePoint arrival{}, end{};
    bool blocked = false;  // a background batch was on the device at the arrival
  };
  struct Started {  // a background batch
    SourceId source = 0;
    int units = 0;
    TimePoint time{}, end{};
    Duration predicted{0};
  };

  explicit SimulatedDevice(unsigned seed) : seed_(seed) {}

  // Returns false if the stream was refused.
  bool add_stream(SimulatedStream stream);
  void add_job(SimulatedJob job);
  void post(const ScheduleEvent& event);
  void at(TimePoint time, std::function<void()> what);
  void run_for(Duration time);
  // Loses the device: its current and later work fails until come_back().
  void vanish() { vanished_ = true; }
  void come_back() { vanished_ = false; }

  TimePoint now() const { return now_; }
  ScheduleState& state() { return state_; }
  SimulatedStream& stream(SourceId id) { return streams_.at(id); }
  Duration used(SourceId source) const;  // device time of ended batches
  int64_t done(SourceId source) const;   // number of units of ended batches
  const std::vector<Frame>& frames(SourceId stream) const { return frames_.at(stream); }
  const std::vector<Started>& started() const { return started_; }
  bool drained(SourceId source) const { return drained_.contains(source); }
  Duration realtime_busy() const { return realtime_busy_; }
  // Returns violations of the rules of every schedule, such as a batch next to a running frame, or
  // a batch of more units than are ready.
  const std::vector<std::string>& violations() const { return violations_; }
  // Returns the device time of background work as a fraction of the time that realtime streams do
  // not use.
  double spare_used() const;
  double slower = 1;  // factor of all durations
  // time from the start of a batch until it runs on the device; hidden by running work
  Duration launch{0};

 private:
  struct Timer {
    TimePoint time;
    uint64_t order;
    std::function<void()> what;
    bool operator<(const Timer& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };
  void start(const StartBatch& batch);
  void check(const StartBatch& batch);
  void finish(SourceId source, int units, Duration time);
  void fail(SourceId source, int units, const ScheduleEvent& event);
  void arrive(SourceId stream, int64_t index);
  void notify_ready(SourceId job);
  Duration cost_of(SourceId source, const TrueCost& cost, int units);
  std::mt19937& random_of(std::map<SourceId, std::mt19937>& randoms, SourceId source) const;

  // Each source has its own random numbers for arrivals and costs, so that they do not depend on
  // other sources.
  unsigned seed_;
  std::map<SourceId, std::mt19937> arrivals_random_, costs_random_;
  TimePoint now_{}, device_free_{}, background_until_{};
  ScheduleState state_;
  std::priority_queue<Timer> timers_;
  uint64_t order_ = 0, wake_ = 0;
  std::map<SourceId, SimulatedStream> streams_;
  std::map<SourceId, SimulatedJob> jobs_;
  std::map<SourceId, std::vector<Frame>> frames_;
  std::map<SourceId, size_t> ended_;
  std::map<SourceId, TimePoint> first_;
  std::vector<Started> started_;
  std::map<SourceId, Duration> used_;
  std::map<SourceId, int64_t> done_;
  std::map<SourceId, bool> drained_;
  std::map<SourceId, int64_t> left_;   // number of a job's ready units that were not started
  std::map<SourceId, int> on_device_;  // number of batches on the device
  std::map<SourceId, int> kept_;       // number of batches that were started and not taken
  std::vector<std::string> violations_;
  Duration realtime_busy_{0}, background_busy_{0};
  bool refused_ = false, vanished_ = false;
};

// Returns the latency that `percent` percent of the frames stay below.
Duration latency_percentile(const std::vector<SimulatedDevice::Frame>& frames, double percent);

}  // namespace weft::schedule
