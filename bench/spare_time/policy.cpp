// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/policy.h"

#include <algorithm>
#include <optional>

namespace weft::bench {
namespace {

class Naive : public Policy {
 public:
  Naive(const Load& load, int units, int in_flight, bool one_queue)
      : load_(load), units_(units), in_flight_(load.background ? in_flight : 0), one_queue_(one_queue) {}

  void begin(TimePoint, Starts& starts) override {
    for (int i = 0; i < in_flight_; i++) starts.push_back({-1, units_, {}});
  }
  void frame_arrived(int stream, TimePoint, Starts& starts) override {
    starts.push_back({stream, load_.streams[size_t(stream)].units, {}});
  }
  void batch_finished(const Start& batch, Duration, TimePoint, Starts& starts) override {
    if (batch.stream < 0) starts.push_back({-1, units_, {}});
  }
  bool one_queue() const override { return one_queue_; }

 private:
  Load load_;
  int units_, in_flight_;
  bool one_queue_;
};

class Averages final : public Policy {
 public:
  Averages(const Load& load, double share) : load_(load), share_(share) {
    for (const auto& stream : load_.streams) period_ = std::min(period_, stream.period);
  }
  void begin(TimePoint now, Starts& starts) override {
    period_start_ = now;
    starts.push_back({-1, 1, {}});
    running_ = true;
  }
  void frame_arrived(int stream, TimePoint, Starts& starts) override {
    starts.push_back({stream, load_.streams[size_t(stream)].units, {}});
  }
  void batch_finished(const Start& batch, Duration time, TimePoint now, Starts& starts) override {
    if (batch.stream >= 0) {
      busy_ += time;
    } else {
      cost_.learn(batch.units, time);
      budget_ -= time;
      running_ = false;
    }
    poll(now, starts);
  }
  void poll(TimePoint now, Starts& starts) override {
    if (now - period_start_ >= period_) {
      const Duration spare = std::max(period_ - busy_, Duration(0));
      average_ = average_ == Duration(0) ? spare : (average_ * 7 + spare) / 8;
      const Duration usable = std::min(average_, spare);
      budget_ = std::min(budget_, Duration(0)) + Duration(int64_t(share_ * double(usable.count())));
      busy_ = Duration(0);
      period_start_ += period_ * ((now - period_start_) / period_);
    }
    if (running_ || budget_ <= Duration(0)) return;
    const Duration slice = std::min(period_ / 20, budget_);
    const int units = cost_.largest_within(slice, load_.max_units);
    starts.push_back({-1, units, cost_.predict(units)});
    running_ = true;
  }

 private:
  Load load_;
  double share_;
  Duration period_ = schedule::kIdlePeriod * 10;
  TimePoint period_start_{};
  Duration busy_{0}, average_{0}, budget_{0};
  schedule::BatchCost cost_;
  bool running_ = false;
};

}  // namespace

std::unique_ptr<Policy> run_alone(const Load& load) { return std::make_unique<Naive>(load, 0, 0, false); }
std::unique_ptr<Policy> run_naive(const Load& load, int units, int in_flight, bool one_queue) {
  return std::make_unique<Naive>(load, units, in_flight, one_queue);
}
std::unique_ptr<Policy> run_averages(const Load& load, double share) {
  return std::make_unique<Averages>(load, share);
}

}  // namespace weft::bench
