// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/policy.h"

#include <algorithm>
#include <optional>

namespace weft::bench {
namespace {

using schedule::SourceId;

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
    look(now, starts);
  }
  void look(TimePoint now, Starts& starts) override {
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

class Scheduled final : public Policy {
 public:
  static constexpr SourceId kBackground = 1000;

  Scheduled(const Load& load, const schedule::PhaseLockLimits& foreign, TimePoint first)
      : load_(load), first_(first) {
    state_.lock = schedule::PhaseLock(foreign);
  }
  void begin(TimePoint now, Starts& starts) override {
    for (size_t i = 0; i < load_.streams.size(); i++) {
      const Load::StreamSpec& stream = load_.streams[i];
      schedule::SourceSpec spec;
      spec.id = i + 1;
      spec.work_class = schedule::WorkClass::kRealtime;
      spec.cost_key = "frame " + std::to_string(stream.units);
      spec.max_units = stream.units;
      spec.units_per_period = stream.units;
      spec.period = stream.period;
      spec.declared_cost = stream.cost / stream.units;
      if (!stream.poisson) spec.first_frame = first_ + stream.offset;
      post(schedule::SourceOpened{spec}, now, starts);
    }
    if (!load_.background) return;
    schedule::SourceSpec spec;
    spec.id = kBackground;
    spec.work_class = schedule::WorkClass::kSpare;
    spec.cost_key = "background";
    spec.max_units = load_.max_units;
    post(schedule::SourceOpened{spec}, now, starts);
    post(schedule::UnitsReady{kBackground, 1 << 30}, now, starts);
  }
  void frame_arrived(int stream, TimePoint now, Starts& starts) override {
    const SourceId id = SourceId(stream) + 1;
    const auto source = state_.sources.find(id);
    if (source == state_.sources.end()) return;
    post(schedule::FrameArrived{id, source->second.ready + load_.streams[size_t(stream)].units}, now, starts);
  }
  void batch_finished(const Start& batch, Duration time, TimePoint now, Starts& starts) override {
    const SourceId id = batch.stream < 0 ? kBackground : SourceId(batch.stream) + 1;
    post(schedule::BatchFinished{id, time}, now, starts);
  }
  void tell(const schedule::Presence& presence, Starts& starts) override {
    post(presence, presence.time, starts);
  }
  void look(TimePoint now, Starts& starts) override {
    if (!wake_.has_value() || *wake_ > now) return;
    wake_.reset();
    post(schedule::ClockTick{}, now, starts);
  }
  std::string remark() const override {
    return fmt::format("{}{}", refused_ ? "a stream was refused; " : "",
                       state_.lock.state() == schedule::LockState::kAbsent ? "" : state_.lock.reason());
  }

 private:
  void post(const schedule::Event& event, TimePoint now, Starts& starts) {
    last_ = std::max(last_, now);
    schedule::Step step = schedule::advance(std::move(state_), event, last_);
    state_ = std::move(step.state);
    for (const schedule::Action& action : step.actions) {
      if (const auto* batch = std::get_if<schedule::StartBatch>(&action))
        starts.push_back(
            {batch->source == kBackground ? -1 : int(batch->source) - 1, batch->units, batch->predicted});
      if (const auto* wake = std::get_if<schedule::WakeAt>(&action)) wake_ = wake->time;
      refused_ = refused_ || std::holds_alternative<schedule::Refused>(action);
    }
  }

  Load load_;
  TimePoint first_, last_{};
  schedule::DeviceState state_;
  std::optional<TimePoint> wake_;
  bool refused_ = false;
};

}  // namespace

std::unique_ptr<Policy> run_alone(const Load& load) { return std::make_unique<Naive>(load, 0, 0, false); }
std::unique_ptr<Policy> run_scheduled(const Load& load, const schedule::PhaseLockLimits& foreign,
                                      TimePoint first_frame) {
  return std::make_unique<Scheduled>(load, foreign, first_frame);
}
std::unique_ptr<Policy> run_naive(const Load& load, int units, int in_flight, bool one_queue) {
  return std::make_unique<Naive>(load, units, in_flight, one_queue);
}
std::unique_ptr<Policy> run_averages(const Load& load, double share) {
  return std::make_unique<Averages>(load, share);
}

}  // namespace weft::bench
