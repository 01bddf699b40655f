// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/run.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <thread>

namespace weft::bench {
namespace {

using device::Mark;
using device::Stream;

constexpr Duration kFellBehind = std::chrono::seconds(1);

double ms(Duration time) { return std::chrono::duration<double, std::milli>(time).count(); }
TimePoint clock_now() { return std::chrono::steady_clock::now(); }

struct Running {
  Start start;
  Mark begin, end;
  TimePoint arrival{};
  bool ends_frame = true;
};

class Row {
 public:
  Row(const Machine& machine, const Load& load, Policy& policy)
      : machine_(machine), load_(load), policy_(policy) {}

  Status open() {
    ASSIGN_OR_RETURN(frames_stream_, machine_.device.make_stream(device::StreamPriority::kHigh));
    ASSIGN_OR_RETURN(batch_stream_, machine_.device.make_stream(device::StreamPriority::kLow));
    arrivals_.resize(load_.streams.size());
    return ok_status();
  }

  StatusOr<RowResult> run(double seconds, TimePoint first,
                          const std::function<std::optional<schedule::Presence>()>& presence) {
    std::mt19937 random(7);
    std::vector<TimePoint> next;
    for (const auto& stream : load_.streams) next.push_back(first + stream.offset);
    while (clock_now() < first - std::chrono::milliseconds(1)) std::this_thread::yield();
    const TimePoint begin = clock_now();
    count_from_ = first + load_.skip;
    const TimePoint end =
        begin + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    Starts starts;
    policy_.begin(begin, starts);
    RETURN_IF_ERROR(start(starts));
    while (clock_now() < end && !result_.overrun) {
      for (size_t i = 0; i < next.size(); i++) {
        if (clock_now() < next[i]) continue;
        arrive(int(i), next[i], starts);
        next[i] = following(load_.streams[i], next[i], random);
      }
      RETURN_IF_ERROR(finish(frames_, starts));
      RETURN_IF_ERROR(finish(batches_, starts));
      if (presence)
        if (const auto told = presence()) policy_.tell(*told, starts);
      policy_.look(clock_now(), starts);
      RETURN_IF_ERROR(start(starts));
      if (machine_.device.info().is_software) std::this_thread::yield();
    }
    const double elapsed = std::chrono::duration<double>(clock_now() - begin).count();
    RETURN_IF_ERROR(frames_stream_->wait_all());
    RETURN_IF_ERROR(batch_stream_->wait_all());
    summarise(elapsed);
    return result_;
  }

 private:
  static TimePoint following(const Load::StreamSpec& stream, TimePoint last, std::mt19937& random) {
    if (!stream.poisson) return last + stream.period;
    const double gap = std::exponential_distribution<double>(1 / double(stream.period.count()))(random);
    return last + Duration(int64_t(gap));
  }

  void arrive(int stream, TimePoint scheduled, Starts& starts) {
    arrivals_[size_t(stream)].push_back(scheduled);
    result_.overrun = result_.overrun || clock_now() - arrivals_[size_t(stream)].front() > kFellBehind;
    if (batches_.empty()) {
      yields_.push_back(0);
    } else {
      waiting_for_yield_.push_back(scheduled);
    }
    policy_.frame_arrived(stream, clock_now(), starts);
  }

  Status start(Starts& starts) {
    for (const Start& one : starts) {
      const bool frame = one.stream >= 0;
      Stream& stream = frame || policy_.one_queue() ? *frames_stream_ : *batch_stream_;
      Running running{one, stream.mark(), {}, {}};
      (frame ? machine_.frame : machine_.background)->enqueue(stream, one.units);
      running.end = stream.mark();
      (frame ? frames_ : batches_).push_back(running);
    }
    starts.clear();
    return ok_status();
  }

  // Of one kind, in the order they started.
  Status finish(std::deque<Running>& running, Starts& starts) {
    while (!running.empty()) {
      const Running first = running.front();
      const bool frame = first.start.stream >= 0;
      Stream& stream = frame || policy_.one_queue() ? *frames_stream_ : *batch_stream_;
      if (!stream.is_done(first.end)) return ok_status();
      RETURN_IF_ERROR(stream.wait(first.end));
      const TimePoint now = clock_now();
      ASSIGN_OR_RETURN(const Duration time, stream.elapsed(first.begin, first.end));
      running.pop_front();
      if (frame) {
        finish_frames(first.start, time, now);
      } else {
        finish_batch(first.start, time, now);
      }
      policy_.batch_finished(first.start, time, now, starts);
    }
    return ok_status();
  }

  void finish_frames(const Start& batch, Duration time, TimePoint now) {
    const Load::StreamSpec& stream = load_.streams[size_t(batch.stream)];
    auto& arrivals = arrivals_[size_t(batch.stream)];
    for (int done = 0; done < batch.units && !arrivals.empty(); done += stream.units) {
      const Duration latency = now - arrivals.front();
      const bool counts = arrivals.front() >= count_from_;
      arrivals.pop_front();
      all_latencies_.push_back(ms(latency));
      if (!counts) continue;
      latencies_.push_back(ms(latency));
      result_.misses += latency > stream.period ? 1 : 0;
    }
    result_.frame_busy_ms += ms(time);
  }

  void finish_batch(const Start& batch, Duration time, TimePoint now) {
    result_.batch_units += batch.units;
    if (batch.predicted > Duration(0)) errors_.push_back(std::abs(ms(batch.predicted) / ms(time) - 1));
    if (!batches_.empty()) return;
    for (const TimePoint arrival : waiting_for_yield_) yields_.push_back(ms(now - arrival));
    waiting_for_yield_.clear();
  }

  void summarise(double elapsed) {
    result_.seconds = elapsed;
    result_.frames = int64_t(latencies_.size());
    result_.p50_ms = quantile(latencies_, 0.5);
    result_.p99_ms = quantile(latencies_, 0.99);
    result_.p99_all_ms = quantile(all_latencies_, 0.99);
    result_.max_ms = quantile(latencies_, 1);
    double frame_time =
        0;  // as long as frames take alone: what is queued behind background is not their work
    for (const auto& stream : load_.streams)
      frame_time += elapsed * 1e3 * double(stream.cost.count()) / double(stream.period.count());
    result_.spare_ms = elapsed * 1e3 - frame_time;
    result_.spare_used = result_.batch_units * ms(machine_.background_unit) / result_.spare_ms;
    result_.batch_rate = result_.batch_units / elapsed;
    result_.yield_p99_ms = quantile(yields_, 0.99);
    result_.prediction_error = quantile(errors_, 0.5);
    result_.remark = policy_.remark();
  }

  const Machine& machine_;
  const Load& load_;
  Policy& policy_;
  RowResult result_;
  std::unique_ptr<Stream> frames_stream_, batch_stream_;
  std::deque<Running> frames_, batches_;
  std::vector<std::deque<TimePoint>> arrivals_;
  std::vector<TimePoint> waiting_for_yield_;
  TimePoint count_from_{};
  std::vector<double> latencies_, all_latencies_, yields_, errors_;
};

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto rank = std::ptrdiff_t(part * double(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[size_t(rank)];
}

StatusOr<RowResult> run_row(const Machine& machine, const Load& load, Policy& policy, double seconds,
                            TimePoint first_frame,
                            const std::function<std::optional<schedule::Presence>()>& presence) {
  Row row(machine, load, policy);
  RETURN_IF_ERROR(row.open());
  return row.run(seconds, first_frame, presence);
}

}  // namespace weft::bench
