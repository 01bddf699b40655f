// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/run.h"

#include <deque>
#include <optional>
#include <thread>

#include "bench/spare_time/account.h"
#include "bench/spare_time/arrivals.h"

namespace weft::bench {
namespace {

using device::Mark;
using device::Stream;

struct Running {
  Start start;
  Mark begin, end;
};

class Row {
 public:
  Row(const Machine& machine, const Load& load, Policy& policy)
      : machine_(machine), load_(load), policy_(policy), account_(machine, load) {}

  Status open() {
    ASSIGN_OR_RETURN(frames_stream_, machine_.device.make_stream(device::StreamPriority::kHigh));
    ASSIGN_OR_RETURN(batch_stream_, machine_.device.make_stream(device::StreamPriority::kLow));
    return ok_status();
  }

  StatusOr<RowResult> run(double seconds, TimePoint first) {
    Arrivals arrivals(load_, first);
    account_.count_from(first + load_.skip);
    while (clock_now() < first - std::chrono::milliseconds(1)) std::this_thread::yield();
    const TimePoint begin = clock_now();
    const TimePoint end =
        begin + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
    Starts starts;
    policy_.begin(begin, starts);
    RETURN_IF_ERROR(start(starts));
    while (clock_now() < end && !account_.is_overrun()) {
      arrivals.take(clock_now(), [&](int stream, TimePoint scheduled) {
        account_.frame_arrived(stream, scheduled, clock_now());
        policy_.frame_arrived(stream, clock_now(), starts);
      });
      RETURN_IF_ERROR(finish(frames_, starts));
      RETURN_IF_ERROR(finish(batches_, starts));
      policy_.poll(clock_now(), starts);
      RETURN_IF_ERROR(start(starts));
      if (machine_.device.info().is_software) std::this_thread::yield();
    }
    const double elapsed = std::chrono::duration<double>(clock_now() - begin).count();
    RETURN_IF_ERROR(frames_stream_->wait_all());
    RETURN_IF_ERROR(batch_stream_->wait_all());
    return account_.result(elapsed);
  }

 private:
  Stream& stream_of(const Start& batch) {
    return batch.stream >= 0 || policy_.one_queue() ? *frames_stream_ : *batch_stream_;
  }

  Status start(Starts& starts) {
    for (const Start& one : starts) {
      const bool frame = one.stream >= 0;
      Stream& stream = stream_of(one);
      Running running{one, stream.mark(), {}};
      (frame ? machine_.frame : machine_.background)->enqueue(stream, one.units);
      running.end = stream.mark();
      (frame ? frames_ : batches_).push_back(running);
      account_.batch_started(one);
    }
    starts.clear();
    return ok_status();
  }

  // Finishes batches of one kind, in the order of their starts.
  Status finish(std::deque<Running>& running, Starts& starts) {
    while (!running.empty()) {
      const Running first = running.front();
      Stream& stream = stream_of(first.start);
      if (!stream.is_done(first.end)) return ok_status();
      RETURN_IF_ERROR(stream.wait(first.end));
      const TimePoint now = clock_now();
      ASSIGN_OR_RETURN(const Duration time, stream.elapsed(first.begin, first.end));
      running.pop_front();
      account_.batch_finished(first.start, time, now);
      policy_.batch_finished(first.start, time, now, starts);
    }
    return ok_status();
  }

  const Machine& machine_;
  const Load& load_;
  Policy& policy_;
  Account account_;
  std::unique_ptr<Stream> frames_stream_, batch_stream_;
  std::deque<Running> frames_, batches_;
};

}  // namespace

StatusOr<RowResult> run_row(const Machine& machine, const Load& load, Policy& policy, double seconds,
                            TimePoint first_frame) {
  Row row(machine, load, policy);
  RETURN_IF_ERROR(row.open());
  return row.run(seconds, first_frame);
}

}  // namespace weft::bench
