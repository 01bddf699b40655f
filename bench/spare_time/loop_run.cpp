// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <deque>
#include <mutex>
#include <thread>

#include "bench/spare_time/account.h"
#include "bench/spare_time/arrivals.h"
#include "bench/spare_time/run.h"
#include "server/worker/device/device_loop.h"

namespace weft::bench {
namespace {

using device::Mark;
using device::Stream;

// A stream of the load, or the background, in the form that the loop requires.
class LoopWork final : public worker::DeviceWork {
 public:
  LoopWork(Account& account, Work& work, std::unique_ptr<Stream> stream, int index)
      : account_(account), work_(work), stream_(std::move(stream)), index_(index) {}

  void frame_arrived(int units) {
    const std::lock_guard lock(mutex_);
    ready_ += units;
  }
  Status error() const {
    const std::lock_guard lock(mutex_);
    return error_;
  }

  Ready ready() override {
    if (index_ < 0) return {1 << 30};
    const std::lock_guard lock(mutex_);
    return {ready_};
  }

  Status start(int units, const graph::SubmittedBatch& after) override {
    const std::lock_guard lock(mutex_);
    if (after.stream != nullptr) stream_->wait_for(*after.stream, after.end);
    Running running{{index_, units, {}}, stream_->mark(), {}};
    work_.enqueue(*stream_, units);
    running.end = stream_->mark();
    running_.push_back(running);
    if (index_ >= 0) ready_ -= units;
    account_.batch_started(running.start);
    return ok_status();
  }
  graph::SubmittedBatch last_batch() override {
    const std::lock_guard lock(mutex_);
    if (running_.empty()) return {};
    return {stream_.get(), running_.back().begin, running_.back().end};
  }
  graph::SubmittedBatch oldest_batch() override {
    const std::lock_guard lock(mutex_);
    return {stream_.get(), running_.front().begin, running_.front().end};
  }
  StatusOr<Duration> wait() override {
    Running first;
    {
      const std::lock_guard lock(mutex_);
      first = running_.front();
    }
    RETURN_IF_ERROR(stream_->wait(first.end));
    const TimePoint now = clock_now();
    const std::lock_guard lock(mutex_);
    ASSIGN_OR_RETURN(const Duration time, stream_->elapsed(first.begin, first.end));
    running_.pop_front();
    account_.batch_finished(first.start, time, now);
    return time;
  }
  void failed(const Status& error) override {
    const std::lock_guard lock(mutex_);
    error_ = error;
  }

 private:
  struct Running {
    Start start;
    Mark begin, end;
  };
  Account& account_;
  Work& work_;
  mutable std::mutex mutex_;
  std::unique_ptr<Stream> stream_;
  const int index_;  // index among the load's streams; -1 for the background
  int ready_ = 0;
  std::deque<Running> running_;
  Status error_;
};

// The state of the phase lock on another program, at each report about that program.
class LockAccount {
 public:
  void poll(const worker::DeviceLoop& loop, const schedule::Presence& presence) {
    const schedule::LockState state = loop.external_load_state();
    polls_++;
    locked_ += state == schedule::LockState::kLocked ? 1 : 0;
    if (state == last_) return;
    if (last_ == schedule::LockState::kLocked) lost_++;
    last_ = state;
    changes_ += fmt::format("\n    {:7.3f} s: {}, others use {:.0f}%. {}", seconds_since(begin_),
                            name_of(state), 100 * presence.utilisation, loop.foreign_reason());
  }
  std::string summary() const {
    return fmt::format(" Locked for {:.1f}% of the time, lost {} times.{}",
                       100.0 * locked_ / std::max(1, polls_), lost_, lost_ > 0 ? changes_ : "");
  }

 private:
  static double seconds_since(TimePoint begin) {
    return std::chrono::duration<double>(clock_now() - begin).count();
  }

  const TimePoint begin_ = clock_now();
  schedule::LockState last_ = schedule::LockState::kAbsent;
  int polls_ = 0, locked_ = 0, lost_ = 0;
  std::string changes_;
};

class LoopRow {
 public:
  LoopRow(const Machine& machine, const Load& load, const schedule::PhaseLockLimits& external_load)
      : machine_(machine), load_(load), account_(machine, load), loop_({}, external_load) {}

  Status open(TimePoint first) {
    for (size_t i = 0; i < load_.streams.size(); i++) {
      const Load::StreamSpec& stream = load_.streams[i];
      schedule::SourceSpec spec;
      spec.work_class = schedule::SourceClass::kRealtime;
      spec.cost_key = fmt::format("frame {}", stream.units);
      spec.max_units = spec.units_per_period = stream.units;
      spec.period = stream.period;
      spec.declared_cost = stream.cost / stream.units;
      if (!stream.poisson) spec.first_frame = first + stream.offset;
      RETURN_IF_ERROR(add(int(i), *machine_.frame, device::StreamPriority::kHigh, spec));
    }
    if (!load_.background) return ok_status();
    schedule::SourceSpec spec;
    spec.work_class = schedule::SourceClass::kSpare;
    spec.cost_key = "background";
    spec.max_units = load_.max_units;
    return add(-1, *machine_.background, device::StreamPriority::kLow, spec);
  }

  StatusOr<RowResult> run(double seconds, TimePoint first, const PresenceSource& presence) {
    Arrivals arrivals(load_, first);
    account_.count_from(first + load_.skip);
    while (clock_now() < first - std::chrono::milliseconds(1)) std::this_thread::yield();
    const TimePoint begin = clock_now();
    LockAccount lock;
    const TimePoint end =
        begin + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    if (load_.background) loop_.ready(ids_.back());
    while (clock_now() < end && !account_.is_overrun()) {
      arrivals.take(clock_now(), [&](int stream, TimePoint scheduled) {
        account_.frame_arrived(stream, scheduled, clock_now());
        works_[size_t(stream)]->frame_arrived(load_.streams[size_t(stream)].units);
        loop_.frame_arrived(ids_[size_t(stream)]);
      });
      if (presence)
        if (const auto summary = presence()) {
          loop_.report_presence(*summary);
          lock.poll(loop_, *summary);
        }
      if (load_.streams.empty() || machine_.device.info().is_software)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    const double elapsed = std::chrono::duration<double>(clock_now() - begin).count();
    RowResult row = account_.result(elapsed);
    row.prediction_error = prediction_error();
    if (presence) row.remark = loop_.foreign_reason() + lock.summary();
    for (const schedule::SourceId id : ids_) loop_.close(id);
    for (const auto& work : works_) RETURN_IF_ERROR(work->error());
    return row;
  }

 private:
  Status add(int index, Work& work, device::StreamPriority priority, const schedule::SourceSpec& spec) {
    ASSIGN_OR_RETURN(auto stream, machine_.device.make_stream(priority));
    works_.push_back(std::make_unique<LoopWork>(account_, work, std::move(stream), index));
    ASSIGN_OR_RETURN(const schedule::SourceId id, loop_.open(spec, *works_.back()));
    ids_.push_back(id);
    return ok_status();
  }

  // Returns the median error over the newest background batches.
  double prediction_error() const {
    std::vector<double> errors;
    for (const schedule::Decision& decision : loop_.decisions_after(0, schedule::DecisionRing::kCapacity)) {
      if (decision.units == 0 || decision.work_class == schedule::SourceClass::kRealtime) continue;
      if (decision.predicted == Duration(0) || decision.real == Duration(0)) continue;
      errors.push_back(std::abs(double(decision.predicted.count()) / double(decision.real.count()) - 1));
    }
    return quantile(errors, 0.5);
  }

  const Machine& machine_;
  const Load& load_;
  Account account_;
  std::vector<std::unique_ptr<LoopWork>> works_;
  worker::DeviceLoop loop_;  // after the works, because its sources close first
  std::vector<schedule::SourceId> ids_;
};

}  // namespace

StatusOr<RowResult> run_loop_row(const Machine& machine, const Load& load,
                                 const schedule::PhaseLockLimits& external_load, double seconds,
                                 TimePoint first_frame, const PresenceSource& presence) {
  LoopRow row(machine, load, external_load);
  RETURN_IF_ERROR(row.open(first_frame));
  return row.run(seconds, first_frame, presence);
}

}  // namespace weft::bench
