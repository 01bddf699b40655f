// SPDX-License-Identifier: Apache-2.0
// Measures the schedule's cost per event: 32 jobs of 8 owners and two streams, over virtual time.
//
//   schedule_bench [EVENTS]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <queue>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/command_line.h"
#include "server/schedule/device_schedule.h"

namespace weft::schedule {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr SourceId kFirstJob = 100;
constexpr int kJobs = 32, kStreams = 2;

// Runs started batches one after another, and measures the handling time of each event.
class Bench {
 public:
  explicit Bench(bool at_random) : at_random_(at_random) {
    for (int i = 0; i < kStreams; i++) {
      SourceSpec spec = spec_of(SourceId(i) + 1, "frame", 1);
      spec.work_class = SourceClass::kRealtime;
      spec.period = milliseconds(16);
      spec.declared_cost = milliseconds(3);
      post(SourceOpened{spec});
      timers_.push({now_ + i * milliseconds(7), FrameArrived{spec.id, 1}});
    }
    for (int i = 0; i < kJobs; i++) {
      const SourceSpec spec = spec_of(kFirstJob + SourceId(i), "job " + std::to_string(i % 4), 64);
      post(SourceOpened{spec});
      post(UnitsReady{spec.id, 1 << 30});
    }
  }

  void run(size_t events) {
    for (auto& kind : times_) kind.clear();
    for (size_t i = 0; i < events; i++) {
      const Timer timer = timers_.top();
      timers_.pop();
      now_ = std::max(now_, timer.time);
      if (std::holds_alternative<FrameArrived>(timer.event)) {
        const double periods = at_random_ ? gap_(random_) : 1;
        timers_.push({now_ + Duration(int64_t(16e6 * periods)), timer.event});
      }
      if (!std::holds_alternative<ClockTick>(timer.event) || timer.time == wake_) post(timer.event);
    }
  }

  void report(const char* what) {
    static constexpr std::pair<size_t, const char*> kKinds[] = {
        {ScheduleEvent(FrameArrived{}).index(), "frame arrived"},
        {ScheduleEvent(BatchFinished{}).index(), "batch finished"},
        {ScheduleEvent(ClockTick{}).index(), "clock tick"}};
    for (const auto& [kind, name] : kKinds) {
      std::vector<double>& times = times_[kind];
      if (times.empty()) continue;
      std::sort(times.begin(), times.end());
      std::printf("%-22s %-16s %8zu  median %6.2f us  p99 %6.2f us\n", what, name, times.size(),
                  times[times.size() / 2], times[times.size() * 99 / 100]);
    }
  }

 private:
  struct Timer {
    TimePoint time;
    ScheduleEvent event;
    bool operator<(const Timer& other) const { return time > other.time; }
  };

  static SourceSpec spec_of(SourceId id, const std::string& cost_key, int max_units) {
    SourceSpec spec;
    spec.id = id;
    spec.owner = "owner " + std::to_string(id % 8);
    spec.cost_key = cost_key;
    spec.max_units = max_units;
    return spec;
  }

  void post(const ScheduleEvent& event) {
    const auto before = std::chrono::steady_clock::now();
    const std::vector<ScheduleAction> actions = advance(state_, event, now_);
    times_[event.index()].push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - before).count());
    for (const ScheduleAction& action : actions) {
      if (const auto* batch = std::get_if<StartBatch>(&action)) {
        const bool frame = batch->source < kFirstJob;
        const double cost = frame ? 3e6 : double(batch->units) * 2e5 / double(1 + batch->source % 4);
        const auto time = Duration(int64_t(cost * noise_(random_)));
        free_ = std::max(free_, now_) + time;
        timers_.push({free_, BatchFinished{batch->source, time}});
      } else if (const auto* wake = std::get_if<WakeAt>(&action)) {
        wake_ = wake->time;
        timers_.push({wake_, ClockTick{}});
      }
    }
  }

  bool at_random_;
  std::mt19937 random_{1};
  std::exponential_distribution<double> gap_{1};
  std::uniform_real_distribution<double> noise_{0.98, 1.02};
  ScheduleState state_;
  TimePoint now_{}, free_{}, wake_{};
  std::priority_queue<Timer> timers_;
  std::array<std::vector<double>, std::variant_size_v<ScheduleEvent>> times_;
};

void measure(const char* what, bool at_random, size_t events) {
  Bench bench(at_random);
  bench.run(20'000);  // the schedule learns costs and clocks
  bench.run(events);
  bench.report(what);
}

}  // namespace
}  // namespace weft::schedule

int main(int argc, char** argv) {
  size_t events = 200'000;
  weft::bench::CommandLine line("Measures the cost of one event of the schedule.");
  line.add_option("EVENTS", events, "Events to handle")->check(weft::bench::kPositive);
  line.read(argc, argv);
  weft::schedule::measure("streams with a clock", false, events);
  weft::schedule::measure("streams at random", true, events);
}
