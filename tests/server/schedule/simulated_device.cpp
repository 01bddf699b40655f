// SPDX-License-Identifier: Apache-2.0
#include "tests/server/schedule/simulated_device.h"

#include <algorithm>
#include <utility>

#include "server/schedule/durations.h"

namespace weft::schedule {
SimulatedStream stream_of(SourceId id, Duration period, Duration cost) {
  SimulatedStream stream;
  stream.spec.id = id;
  stream.spec.work_class = SourceClass::kRealtime;
  stream.spec.owner = "streamer";
  stream.spec.cost_key = "frame " + std::to_string(id);
  stream.spec.max_units = 4;
  stream.spec.period = period;
  stream.spec.declared_cost = cost;
  stream.cost.per_unit = cost;
  return stream;
}

SimulatedJob job_of(SourceId id, Duration unit, int max_units) {
  SimulatedJob job;
  job.spec.id = id;
  job.spec.owner = "somebody";
  job.spec.cost_key = "unit " + std::to_string(unit.count());
  job.spec.max_units = max_units;
  job.cost.per_unit = unit;
  return job;
}

bool SimulatedDevice::add_stream(SimulatedStream stream) {
  const SourceId id = stream.spec.id;
  refused_ = false;
  streams_[id] = std::move(stream);
  post(SourceOpened{streams_[id].spec});
  if (refused_) return false;
  first_[id] = streams_[id].spec.first_frame.value_or(now_);
  frames_[id];
  at(std::max(first_[id], now_), [this, id] { arrive(id, 0); });
  return true;
}

void SimulatedDevice::add_job(SimulatedJob job) {
  const SourceId id = job.spec.id;
  jobs_[id] = std::move(job);
  const SimulatedJob& kept = jobs_[id];
  post(SourceOpened{kept.spec});
  if (kept.unit_interval == Duration(0)) {
    const bool endless = kept.units >= 1 << 30;
    left_[id] = kept.units;
    if (kept.kept > 0) return notify_ready(id);
    post(UnitsReady{id, endless ? 1 << 30 : int(kept.units)});
    if (!endless) post(InputEnded{id});
    return;
  }
  for (int64_t i = 0; i < kept.units; i++)
    at(now_ + i * kept.unit_interval, [this, id, last = i + 1 == kept.units] {
      const auto source = state_.sources.find(id);
      if (source == state_.sources.end()) return;
      post(UnitsReady{id, int(++left_[id])});
      if (last) post(InputEnded{id});
    });
}

void SimulatedDevice::at(TimePoint time, std::function<void()> what) {
  timers_.push({time, order_++, std::move(what)});
}

void SimulatedDevice::post(const ScheduleEvent& event) {
  for (const ScheduleAction& action : advance(state_, event, now_)) {
    if (const auto* batch = std::get_if<StartBatch>(&action)) start(*batch);
    if (const auto* drained = std::get_if<Drained>(&action)) drained_[drained->source] = true;
    if (std::holds_alternative<Refused>(action)) refused_ = true;
    if (const auto* wake = std::get_if<WakeAt>(&action)) {
      const uint64_t mine = ++wake_;
      at(wake->time, [this, mine] {
        if (mine == wake_) post(ClockTick{});
      });
    }
  }
}

void SimulatedDevice::run_for(Duration time) {
  const TimePoint end = now_ + time;
  while (!timers_.empty() && timers_.top().time <= end) {
    const Timer timer = timers_.top();
    timers_.pop();
    now_ = std::max(now_, timer.time);
    timer.what();
  }
  now_ = end;
}

std::mt19937& SimulatedDevice::random_of(std::map<SourceId, std::mt19937>& randoms, SourceId source) const {
  const auto found = randoms.find(source);
  if (found != randoms.end()) return found->second;
  return randoms.emplace(source, std::mt19937(seed_ * 1000 + unsigned(source))).first->second;
}

Duration SimulatedDevice::cost_of(SourceId source, const TrueCost& cost, int units) {
  std::mt19937& random = random_of(costs_random_, source);
  double time = double((cost.per_batch + cost.per_unit * units).count()) * slower;
  if (cost.noise > 0) time *= std::max(0.2, std::normal_distribution<double>(1, cost.noise)(random));
  if (cost.outlier_chance > 0 && std::bernoulli_distribution(cost.outlier_chance)(random))
    time *= cost.outlier_times;
  return Duration(std::max(int64_t(time), int64_t{1}));
}

void SimulatedDevice::check(const StartBatch& batch) {
  const Source& source = state_.sources.at(batch.source);
  const auto violate = [&](const std::string& what) {
    violations_.push_back(what + ": source " + std::to_string(batch.source) + " at " +
                          std::to_string((now_ - TimePoint{}).count()) + " ns");
  };
  if (batch.units < 1 || batch.units > source.spec.max_units) violate("a batch of a wrong size");
  if (source.stopping) violate("a batch after a stop");
  if (!is_background(source.spec.work_class)) return;
  if (left_[batch.source] < batch.units) violate("units that are not there");
  int background = 0;
  for (const auto& [id, batches] : on_device_) {
    if (batches > 0 && streams_.contains(id)) violate("a batch beside a frame");
    if (!streams_.contains(id)) background += batches;
  }
  if (background >= state_.limits.max_in_flight) violate("too much in flight");
}

void SimulatedDevice::start(const StartBatch& batch) {
  check(batch);
  const auto stream = streams_.find(batch.source);
  const bool realtime = stream != streams_.end();
  on_device_[batch.source]++;
  if (!realtime) left_[batch.source] -= batch.units;
  if (!realtime && batch.units > jobs_.at(batch.source).memory_units)
    return at(now_, [this, batch] { fail(batch.source, batch.units, OutOfMemory{batch.source}); });
  Duration time{0};
  if (!realtime) {
    time = cost_of(batch.source, jobs_.at(batch.source).cost, batch.units);
  } else if (stream->second.next_cost) {
    time = stream->second.next_cost();
  } else {
    time = cost_of(batch.source, stream->second.cost, batch.units);
  }
  device_free_ = std::max(now_ + launch, device_free_) + time;
  (realtime ? realtime_busy_ : background_busy_) += time;
  if (!realtime) {
    background_until_ = device_free_;
    started_.push_back({batch.source, batch.units, now_, device_free_, batch.predicted});
  }
  at(device_free_, [this, source = batch.source, units = batch.units, time] { finish(source, units, time); });
  if (realtime || jobs_.at(batch.source).kept == 0) return;
  kept_[batch.source]++;
  at(now_, [this, source = batch.source] { notify_ready(source); });
}

void SimulatedDevice::finish(SourceId source, int units, Duration time) {
  if (vanished_) return fail(source, units, BatchFailed{source});
  on_device_[source]--;
  used_[source] += time;
  done_[source] += units;
  if (streams_.contains(source)) {
    size_t& ended = ended_[source];
    const int frames = std::max(1, units / streams_.at(source).spec.units_per_period);
    for (int i = 0; i < frames && ended < frames_[source].size(); i++) frames_[source][ended++].end = now_;
  }
  const auto job = jobs_.find(source);
  if (job != jobs_.end() && job->second.kept > 0)
    at(now_ + job->second.taken_after, [this, source] {
      kept_[source]--;
      notify_ready(source);
    });
  post(BatchFinished{source, time});
}

void SimulatedDevice::notify_ready(SourceId id) {
  const SimulatedJob& job = jobs_.at(id);
  const int64_t units = std::min<int64_t>(left_[id], job.units_at_once);
  post(UnitsReady{id, kept_[id] < job.kept ? int(units) : 0, 1});
}

// Makes the units of a job ready again.
void SimulatedDevice::fail(SourceId source, int units, const ScheduleEvent& event) {
  on_device_[source]--;
  if (!streams_.contains(source)) left_[source] += units;
  post(event);
  if (!streams_.contains(source)) post(UnitsReady{source, int(std::min<int64_t>(left_[source], 1 << 30))});
}

void SimulatedDevice::arrive(SourceId stream, int64_t index) {
  const SimulatedStream& plan = streams_.at(stream);
  const auto source = state_.sources.find(stream);
  if (source == state_.sources.end()) return;
  std::mt19937& random = random_of(arrivals_random_, stream);
  const Duration period = part_of(plan.spec.period, plan.true_period_ratio);
  TimePoint next = first_[stream] + (index + 1) * period;
  if (plan.poisson) {
    const double rate = 1 / double(period.count());
    next = now_ + Duration(int64_t(std::exponential_distribution<double>(rate)(random)));
  } else if (plan.jitter > Duration(0)) {
    const auto most = plan.jitter.count();
    next += Duration(std::uniform_int_distribution<int64_t>(-most, most)(random));
  }
  at(std::max(next, now_), [this, stream, index] { arrive(stream, index + 1); });
  if (plan.drop_chance > 0 && std::bernoulli_distribution(plan.drop_chance)(random)) return;
  frames_[stream].push_back({now_, {}, background_until_ > now_});
  post(FrameArrived{stream, source->second.ready + plan.spec.units_per_period});
}

Duration SimulatedDevice::used(SourceId source) const {
  const auto found = used_.find(source);
  return found == used_.end() ? Duration(0) : found->second;
}

int64_t SimulatedDevice::done(SourceId source) const {
  const auto found = done_.find(source);
  return found == done_.end() ? 0 : found->second;
}

double SimulatedDevice::spare_used() const {
  return double(background_busy_.count()) / double((now_ - TimePoint{} - realtime_busy_).count());
}

double jain(const std::vector<double>& shares) {
  double sum = 0, squares = 0;
  for (const double share : shares) {
    sum += share;
    squares += share * share;
  }
  return sum * sum / (double(shares.size()) * squares);
}

Duration latency_percentile(const std::vector<SimulatedDevice::Frame>& frames, double percent) {
  std::vector<Duration> latencies;
  for (const SimulatedDevice::Frame& frame : frames)
    if (frame.end > frame.arrival) latencies.push_back(frame.end - frame.arrival);
  if (latencies.empty()) return Duration(0);
  const auto rank = size_t(percent / 100 * double(latencies.size() - 1));
  std::nth_element(latencies.begin(), latencies.begin() + ptrdiff_t(rank), latencies.end());
  return latencies[rank];
}

}  // namespace weft::schedule
