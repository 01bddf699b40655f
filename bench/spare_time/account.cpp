// SPDX-License-Identifier: Apache-2.0
#include "bench/spare_time/account.h"

#include <algorithm>
#include <cmath>

namespace weft::bench {
namespace {

constexpr Duration kFellBehind = std::chrono::seconds(1);

}  // namespace

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  const auto rank = std::ptrdiff_t(part * double(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[size_t(rank)];
}

Account::Account(const Machine& machine, const Load& load)
    : machine_(machine), load_(load), arrivals_(load.streams.size()) {}

void Account::frame_arrived(int stream, TimePoint scheduled, TimePoint now) {
  const std::lock_guard lock(mutex_);
  auto& arrivals = arrivals_[size_t(stream)];
  arrivals.push_back(scheduled);
  result_.overrun = result_.overrun || now - arrivals.front() > kFellBehind;
  if (background_finished_ == background_started_) {
    yields_.push_back(0);
  } else {
    waiting_for_yield_.emplace_back(scheduled, background_started_);
  }
}

void Account::batch_started(const Start& batch) {
  const std::lock_guard lock(mutex_);
  if (batch.stream < 0) background_started_++;
}

void Account::batch_finished(const Start& batch, Duration device_time, TimePoint now) {
  const std::lock_guard lock(mutex_);
  if (batch.stream >= 0) {
    finish_frames(batch, device_time, now);
  } else {
    finish_background(batch, device_time, now);
  }
}

void Account::finish_frames(const Start& batch, Duration device_time, TimePoint now) {
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
  device_times_.push_back(ms(device_time));
}

void Account::finish_background(const Start& batch, Duration device_time, TimePoint now) {
  result_.batch_units += batch.units;
  if (batch.predicted > Duration(0)) errors_.push_back(std::abs(ms(batch.predicted) / ms(device_time) - 1));
  background_finished_++;
  while (!waiting_for_yield_.empty() && waiting_for_yield_.front().second <= background_finished_) {
    yields_.push_back(ms(now - waiting_for_yield_.front().first));
    waiting_for_yield_.pop_front();
  }
}

bool Account::is_overrun() const {
  const std::lock_guard lock(mutex_);
  return result_.overrun;
}

RowResult Account::result(double seconds) const {
  const std::lock_guard lock(mutex_);
  RowResult row = result_;
  row.seconds = seconds;
  row.frames = int64_t(latencies_.size());
  row.p50_ms = quantile(latencies_, 0.5);
  row.p99_ms = quantile(latencies_, 0.99);
  row.p99_all_ms = quantile(all_latencies_, 0.99);
  row.max_ms = quantile(latencies_, 1);
  row.device_p50_ms = quantile(device_times_, 0.5);
  row.device_p99_ms = quantile(device_times_, 0.99);
  double frame_time = 0;  // device time of the frames alone, in ms
  for (const auto& stream : load_.streams)
    frame_time += seconds * 1e3 * double(stream.cost.count()) / double(stream.period.count());
  row.spare_ms = seconds * 1e3 - frame_time;
  row.spare_used = row.batch_units * ms(machine_.background_unit) / row.spare_ms;
  row.batch_rate = row.batch_units / seconds;
  row.yield_p99_ms = quantile(yields_, 0.99);
  row.prediction_error = quantile(errors_, 0.5);
  return row;
}

}  // namespace weft::bench
