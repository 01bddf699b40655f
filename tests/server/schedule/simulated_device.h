// SPDX-License-Identifier: Apache-2.0
// A device for the schedule's tests: virtual time, one thing at a time in the order it was started, costs with noise.
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

// Jain's index of fairness: 1 where all have the same, 1/n where one has all.
double jain(const std::vector<double>& shares);

// What a batch of n units really takes.
struct TrueCost {
  Duration per_batch{0}, per_unit{0};
  double noise = 0;           // standard deviation, as a part
  double outlier_chance = 0;  // of a batch that takes outlier_times as long
  double outlier_times = 3;
};

struct SimulatedStream {
  SourceSpec spec;
  TrueCost cost;
  Duration jitter{0};                   // each arrival lies up to so much to either side of its time
  bool poisson = false;                 // arrivals at random, at the same rate
  double true_period_ratio = 1;         // of the real period to the stated one
  double drop_chance = 0;               // of a frame that never comes
  std::function<Duration()> next_cost;  // instead of `cost`
};

struct SimulatedJob {
  SourceSpec spec;
  TrueCost cost;
  int64_t units = int64_t{1} << 40;  // in all
  Duration unit_interval{0};         // between units that become ready; zero: all are at once
  int memory_units = std::numeric_limits<int>::max();  // a batch of more is out of memory
  // As real jobs are: so many batches at most that are not taken yet, each `taken_after` its end; one may be started each time before it
  // is said anew what is ready. Zero: any number.
  int kept = 0;
  Duration taken_after{0};
  int units_at_once = 1 << 30;  // ready, of those that are left
};

// A stream and an endless job, as most tests want them.
SimulatedStream stream_of(SourceId id, Duration period, Duration cost);
SimulatedJob job_of(SourceId id, Duration unit, int max_units);

class SimulatedDevice {
 public:
  struct Frame {
    TimePoint arrival{}, end{};
    bool blocked = false;  // background was on the device when it arrived
  };
  struct Started {  // a background batch
    SourceId source = 0;
    int units = 0;
    TimePoint time{}, end{};
    Duration predicted{0};
  };

  explicit SimulatedDevice(unsigned seed) : seed_(seed) {}

  // False: the stream was refused.
  bool add_stream(SimulatedStream stream);
  void add_job(SimulatedJob job);
  void post(const ScheduleEvent& event);
  void at(TimePoint time, std::function<void()> what);
  void run_for(Duration time);
  // What is on the device fails, and so does what is started later, until it returns.
  void vanish() { vanished_ = true; }
  void come_back() { vanished_ = false; }

  TimePoint now() const { return now_; }
  ScheduleState& state() { return state_; }
  SimulatedStream& stream(SourceId id) { return streams_.at(id); }
  Duration used(SourceId source) const;  // device time, of batches that ended
  int64_t done(SourceId source) const;   // units, the same
  const std::vector<Frame>& frames(SourceId stream) const { return frames_.at(stream); }
  const std::vector<Started>& started() const { return started_; }
  bool drained(SourceId source) const { return drained_.contains(source); }
  Duration realtime_busy() const { return realtime_busy_; }
  // What no schedule may do, where it did: a batch beside a frame in work, of more units than there are, ...
  const std::vector<std::string>& violations() const { return violations_; }
  // Device time of background as a part of what REALTIME left.
  double spare_used() const;
  double slower = 1;   // everything takes so much longer
  Duration launch{0};  // from a start until it is on the device; hidden behind what runs

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
  void tell_ready(SourceId job);
  Duration cost_of(SourceId source, const TrueCost& cost, int units);
  std::mt19937& random_of(std::map<SourceId, std::mt19937>& randoms, SourceId source) const;

  // Each source has its own, for its arrivals and its costs: what comes does not depend on what else runs.
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
  std::map<SourceId, int64_t> left_;   // units of a job that are ready and were not started
  std::map<SourceId, int> on_device_;  // batches
  std::map<SourceId, int> kept_;       // batches that were started and not taken
  std::vector<std::string> violations_;
  Duration realtime_busy_{0}, background_busy_{0};
  bool refused_ = false, vanished_ = false;
};

// The latency that so many percent of the frames keep below.
Duration latency_percentile(const std::vector<SimulatedDevice::Frame>& frames, double percent);

}  // namespace weft::schedule
