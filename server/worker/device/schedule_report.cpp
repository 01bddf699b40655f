// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/schedule_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include <google/protobuf/util/time_util.h>

#include "server/worker/device/histogram.h"

namespace weft::worker {
namespace {

using google::protobuf::util::TimeUtil;

constexpr double kUnitBounds[] = {1, 2, 4, 8, 16, 32, 64, 128};
constexpr double kErrorBounds[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1};

google::protobuf::Duration as_message(Duration duration) {
  return TimeUtil::NanosecondsToDuration(duration.count());
}

// Converts a time of the steady clock to wall-clock time.
google::protobuf::Timestamp to_wall(TimePoint time) {
  const Duration ago = std::chrono::steady_clock::now() - time;
  const auto wall = std::chrono::system_clock::now() - ago;
  return TimeUtil::NanosecondsToTimestamp(
      std::chrono::duration_cast<std::chrono::nanoseconds>(wall.time_since_epoch()).count());
}

bool is_background_start(const schedule::Decision& decision) {
  return schedule::is_start(decision.reason) && schedule::is_background(decision.work_class);
}

}  // namespace

v1::ScheduleDecision to_message(const schedule::Decision& decision) {
  v1::ScheduleDecision message;
  message.set_serial(int64_t(decision.serial));
  *message.mutable_time() = to_wall(decision.time);
  message.set_reason(schedule::name_of(decision.reason));
  message.set_work_class(v1::WorkClass(int(decision.work_class) + v1::WORK_CLASS_REALTIME));
  message.set_units(decision.units);
  *message.mutable_spare() = as_message(decision.spare);
  if (decision.budget > Duration(0)) *message.mutable_budget() = as_message(decision.budget);
  if (decision.gap > Duration(0)) *message.mutable_gap() = as_message(decision.gap);
  if (decision.predicted > Duration(0)) *message.mutable_predicted() = as_message(decision.predicted);
  if (decision.real > Duration(0)) *message.mutable_real() = as_message(decision.real);
  return message;
}

v1::ScheduleSample ScheduleReport::take() {
  v1::ScheduleSample sample;
  const schedule::DeviceTotals now = loop_.totals();
  // The busy time reported for a running batch may have been slightly too high.
  const auto busy = [&](schedule::SourceClass work_class) {
    Duration& reported = reported_.busy[size_t(work_class)];
    const Duration before = std::exchange(reported, std::max(reported, now.busy[size_t(work_class)]));
    return as_message(reported - before);
  };
  *sample.mutable_realtime_busy() = busy(schedule::SourceClass::kRealtime);
  *sample.mutable_normal_busy() = busy(schedule::SourceClass::kNormal);
  *sample.mutable_spare_busy() = busy(schedule::SourceClass::kSpare);
  *sample.mutable_foreign() = as_message(now.external_load - reported_.external_load);
  *sample.mutable_spare() = as_message(now.spare - reported_.spare);
  *sample.mutable_budget() = as_message(now.budget - reported_.budget);
  *sample.mutable_granted() = as_message(now.granted - reported_.granted);
  sample.set_batches(now.batches - reported_.batches);
  sample.set_predicted_load(loop_.predicted_load());
  sample.set_foreign_reason(loop_.foreign_reason());
  for (const schedule::Starving& source : loop_.starving()) {
    v1::StarvingJob& job = *sample.add_starving();
    job.set_job_id(source.job);
    *job.mutable_unit() = as_message(source.unit);
    *job.mutable_waited() = as_message(source.waited);
  }
  const auto reported_busy = reported_.busy;
  reported_ = now;
  reported_.busy = reported_busy;
  take_decisions(sample);
  take_costs(sample);
  return sample;
}

void ScheduleReport::take_costs(v1::ScheduleSample& sample) {
  for (const KeyCost& cost : loop_.learnt_costs()) {
    std::pair<int, Duration>& reported = reported_costs_[cost.key];
    if (reported == std::pair(cost.batches, cost.unit)) continue;
    reported = {cost.batches, cost.unit};
    v1::LearntCost& message = *sample.add_costs();
    message.set_key(cost.key);
    *message.mutable_unit() = as_message(cost.unit);
    message.set_batch_units(cost.batch_units);
    message.set_batches(cost.batches);
  }
}

void ScheduleReport::take_decisions(v1::ScheduleSample& sample) {
  *sample.mutable_batch_units() = make_histogram(kUnitBounds);
  *sample.mutable_prediction_error() = make_histogram(kErrorBounds);
  const auto decisions = loop_.decisions_after(counted_serial_, schedule::DecisionRing::kCapacity);
  // Batches end in the order of their starts, except for a few of other sources. Decisions after a
  // running batch are counted in the next call.
  for (const schedule::Decision& decision : decisions) {
    if (is_background_start(decision)) {
      if (decision.real == Duration(0) && decision.serial > reported_serial_) break;
      if (decision.real > Duration(0)) {
        add(*sample.mutable_batch_units(), decision.units);
        if (decision.predicted > Duration(0))
          add(*sample.mutable_prediction_error(),
              std::abs(double((decision.real - decision.predicted).count())) /
                  double(decision.predicted.count()));
      }
    }
    counted_serial_ = decision.serial;
  }
  const auto first_new =
      std::find_if(decisions.begin(), decisions.end(),
                   [this](const schedule::Decision& d) { return d.serial > reported_serial_; });
  const auto fresh = size_t(std::distance(first_new, decisions.end()));
  const size_t reported = std::min(fresh, kReportedDecisions);
  if (fresh == 0) return;
  sample.set_decisions_left_out(int64_t(decisions.back().serial - reported_serial_) - int64_t(reported));
  for (auto decision_at = decisions.end() - ptrdiff_t(reported); decision_at != decisions.end();
       ++decision_at)
    *sample.add_decisions() = to_message(*decision_at);
  reported_serial_ = decisions.back().serial;
}

}  // namespace weft::worker
