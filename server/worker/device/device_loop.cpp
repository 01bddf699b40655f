// SPDX-License-Identifier: Apache-2.0
#include "server/worker/device/device_loop.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <sys/prctl.h>

#include "server/schedule/busy_time.h"
#include "server/schedule/stream_load.h"

namespace weft::worker {
namespace {

using schedule::SourceId;

TimePoint now() { return std::chrono::steady_clock::now(); }

// Makes the sleeps of this thread exact: by default Linux may extend each by 50 us to end several
// at once.
void sleep_exactly() { ::prctl(PR_SET_TIMERSLACK, 1UL); }

// Duration above which the start of a batch has been delayed. A start is a few calls of the driver;
// a long one waited for a call of another thread, such as a copy to memory that is not pinned.
constexpr Duration kLongStart = std::chrono::microseconds(200);
// Required accuracy of the time of an end that is later than predicted.
constexpr Duration kSure = std::chrono::microseconds(60);
// Limit of spinning for a batch that is late.
constexpr Duration kLongestOverdue = std::chrono::microseconds(200);

// Spins until the batch has ended, or until kLongestOverdue after its expected end. Returns false
// if the batch may have ended earlier than it was observed.
bool spin_for(const graph::SubmittedBatch& batch, TimePoint expected, SpinMargin& margin) {
  if (batch.stream == nullptr || batch.stream->device()->info().is_software) return true;
  const TimePoint sleep_until = expected - margin.margin();
  if (now() < sleep_until) {
    std::this_thread::sleep_until(sleep_until);
    margin.slept(now() - sleep_until);
  }
  // newest time at which the batch had not ended, at first the expected end
  TimePoint runs_at = expected;
  while (!batch.stream->is_done(batch.end)) {
    runs_at = now();
    if (runs_at >= expected + kLongestOverdue) return true;  // the batch is late; spinning ends
  }
  return now() - runs_at < kSure;
}

// Returns the oldest batch of the source in flight, or null if there is none.
const schedule::RunningBatch* oldest_of(const schedule::ScheduleState& state, SourceId id) {
  const auto batch = std::find_if(state.in_flight.begin(), state.in_flight.end(),
                                  [&](const schedule::RunningBatch& b) { return b.source == id; });
  return batch == state.in_flight.end() ? nullptr : &*batch;
}

// Returns the expected end of the source's oldest batch if the schedule is precise, else nullopt.
std::optional<TimePoint> expected_end(const schedule::ScheduleState& state, SourceId id) {
  const schedule::RunningBatch* batch = schedule::is_precise(state) ? oldest_of(state, id) : nullptr;
  if (batch == nullptr || batch->predicted == Duration(0)) return std::nullopt;
  return batch->runs_since + batch->predicted;
}

int units_of_oldest(const schedule::ScheduleState& state, SourceId id) {
  const schedule::RunningBatch* batch = oldest_of(state, id);
  return batch == nullptr ? 0 : batch->units;
}

}  // namespace

DeviceLoop::DeviceLoop(const schedule::ScheduleLimits& limits, const schedule::PhaseLockLimits& external_load,
                       Duration longest_batch)
    : longest_batch_(longest_batch), timer_([this](const std::stop_token& stop) { keep_time(stop); }) {
  const std::lock_guard lock(mutex_);
  state_.limits = limits;
  state_.lock = schedule::PhaseLock(external_load);
}

DeviceLoop::~DeviceLoop() = default;

StatusOr<SourceId> DeviceLoop::open(schedule::SourceSpec spec, DeviceWork& work) {
  const std::lock_guard lock(mutex_);
  const SourceId id = spec.id = next_id_++;
  if (spec.portions > 1 && !spec.cost_key.empty()) {
    const Divided divided{spec.cost_key, spec.portions};
    spec.cost_key += fmt::format(" / {}", spec.portions);
    divided_[spec.cost_key] = divided;
  }
  auto entry = std::make_unique<Entry>();
  entry->work = &work;
  Entry& kept = *(sources_[id] = std::move(entry));
  refusal_.reset();
  post(schedule::SourceOpened{std::move(spec)});
  if (refusal_.has_value()) {
    sources_.erase(id);
    return *std::exchange(refusal_, {});
  }
  kept.waiter = std::jthread([this, id, &kept] { wait_for_batches(id, kept); });
  return id;
}

void DeviceLoop::ready(SourceId id) {
  const std::lock_guard lock(mutex_);
  const auto entry = sources_.find(id);
  if (entry == sources_.end()) return;
  notify_ready(id, *entry->second->work);
}

void DeviceLoop::frame_arrived(SourceId id) {
  const std::lock_guard lock(mutex_);
  const auto entry = sources_.find(id);
  if (entry == sources_.end()) return;
  const DeviceWork::Ready ready = entry->second->work->ready();
  post(schedule::FrameArrived{id, ready.units});
  if (ready.ended) post(schedule::InputEnded{id});
}

void DeviceLoop::change(const schedule::SourceChanged& change) {
  const std::lock_guard lock(mutex_);
  post(change);
}

void DeviceLoop::stop(SourceId id) {
  const std::lock_guard lock(mutex_);
  post(schedule::StopAsked{id});
}

void DeviceLoop::close(SourceId id) {
  std::unique_lock lock(mutex_);
  const auto found = sources_.find(id);
  if (found == sources_.end()) return;
  Entry& entry = *found->second;
  post(schedule::StopAsked{id});
  entry.changed.wait(lock, [&] { return entry.drained && entry.outstanding == 0; });
  entry.closing = true;
  entry.changed.notify_all();
  std::jthread waiter = std::move(entry.waiter);
  lock.unlock();
  waiter.join();
  lock.lock();
  if (last_started_ == id) last_started_ = 0;
  sources_.erase(id);
}

void DeviceLoop::take_measured_cost(std::string_view measured, std::string_view key) {
  const std::lock_guard lock(mutex_);
  post(schedule::CostMeasured{std::string(measured), std::string(key)});
}

bool DeviceLoop::could_fit(const schedule::SourceSpec& spec) const {
  const std::lock_guard lock(mutex_);
  return schedule::could_fit(state_, spec);
}

void DeviceLoop::report_presence(const schedule::Presence& presence) {
  const std::lock_guard lock(mutex_);
  post(presence);
}

// Handles an event. An event that arrives during the actions of another is queued. ready() is
// called after all events, so that its result is not outdated by a start in between.
void DeviceLoop::post(const schedule::ScheduleEvent& event) {
  events_.push_back(event);
  if (posting_) return;
  posting_ = true;
  while (!events_.empty() || !asked_.empty()) {
    if (events_.empty()) {
      const SourceId id = asked_.front();
      asked_.pop_front();
      const auto entry = sources_.find(id);
      if (entry == sources_.end()) continue;
      notify_ready(id, *entry->second->work);
    }
    const schedule::ScheduleEvent next = std::move(events_.front());
    events_.pop_front();
    const std::vector<schedule::ScheduleAction> actions = schedule::advance(state_, next, now());
    protects_others_ = state_.lock.protects();
    for (const schedule::ScheduleAction& action : actions) act(action);
  }
  posting_ = false;
}

void DeviceLoop::act(const schedule::ScheduleAction& action) {
  if (const auto* batch = std::get_if<schedule::StartBatch>(&action)) {
    start(*batch);
  } else if (const auto* drained = std::get_if<schedule::Drained>(&action)) {
    const auto entry = sources_.find(drained->source);
    if (entry == sources_.end()) return;
    entry->second->drained = true;
    entry->second->changed.notify_all();
  } else if (const auto* refused = std::get_if<schedule::Refused>(&action)) {
    refusal_ = refused->refusal.to_status();
  } else if (const auto* wake = std::get_if<schedule::WakeAt>(&action)) {
    wake_ = *wake;
    wakes_++;
    timer_changed_.notify_all();
  }
}

void DeviceLoop::start(const schedule::StartBatch& batch) {
  const auto found = sources_.find(batch.source);
  if (found == sources_.end()) return;
  Entry& entry = *found->second;
  if (entry.failed) {  // decided together with a batch that failed to start
    events_.push_back(schedule::BatchFailed{batch.source});
    return;
  }
  const auto source = state_.sources.find(batch.source);
  const bool background = source != state_.sources.end() && is_background(source->second.spec.work_class);
  graph::SubmittedBatch after;
  const auto last = sources_.find(last_started_);
  if (background && last != sources_.end() && last->second->outstanding > 0 && last_started_ != batch.source)
    after = last->second->work->last_batch();
  const TimePoint called = now();
  uint64_t calm = driver_locks_.calm_since();
  const Status started = entry.work->start(batch.units, after);
  if (now() - called > kLongStart) calm = DriverLocks::kDisturbed;
  if (started.code() == StatusCode::kResourceExhausted && batch.units > 1) {
    events_.push_back(schedule::OutOfMemory{batch.source});
  } else if (!started.ok()) {
    events_.push_back(schedule::BatchFailed{batch.source});
    fail(batch.source, entry, started);
  } else {
    if (background) last_started_ = batch.source;
    entry.outstanding++;
    entry.calm_since.push_back(calm);
    entry.changed.notify_all();
  }
  asked_.push_back(batch.source);
}

void DeviceLoop::notify_ready(SourceId id, DeviceWork& work) {
  const DeviceWork::Ready ready = work.ready();
  post(schedule::UnitsReady{id, ready.units, ready.batches, ready.complete});
  if (ready.ended) post(schedule::InputEnded{id});
}

void DeviceLoop::fail(SourceId id, Entry& entry, const Status& error) {
  if (std::exchange(entry.failed, true)) return;
  if (last_started_ == id) last_started_ = 0;  // a batch started after a failed one would fail too
  entry.work->failed(error);
  post(schedule::StopAsked{id});
}

void DeviceLoop::wait_for_batches(SourceId id, Entry& entry) {
  sleep_exactly();
  std::unique_lock lock(mutex_);
  while (true) {
    entry.changed.wait(lock, [&] { return entry.closing || entry.outstanding > 0; });
    if (entry.outstanding == 0) return;
    const std::optional<TimePoint> expected = expected_end(state_, id);
    lock.unlock();
    const bool sure = !expected.has_value() || spin_for(entry.work->oldest_batch(), *expected, spin_margin_);
    const StatusOr<Duration> device_time = entry.work->wait();
    const TimePoint ended = now();
    lock.lock();
    if (device_time.ok())
      entry.trace.record(v1::TRACE_CATEGORY_NODES, ended, *device_time, units_of_oldest(state_, id));
    entry.outstanding--;
    const uint64_t calm = entry.calm_since.front();
    entry.calm_since.pop_front();
    if (device_time.ok()) {
      post(schedule::BatchFinished{
          id, *device_time, !sure || calm == DriverLocks::kDisturbed || calm != driver_locks_.calm_since()});
    } else {
      post(schedule::BatchFailed{id});
      fail(id, entry, device_time.status());
    }
    notify_ready(id, *entry.work);
    entry.changed.notify_all();
  }
}

void DeviceLoop::keep_time(const std::stop_token& stop) {
  sleep_exactly();
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    if (!wake_.has_value()) {
      timer_changed_.wait(lock, stop, [&] { return wake_.has_value(); });
      continue;
    }
    const schedule::WakeAt wake = *wake_;
    const uint64_t mine = wakes_;
    const TimePoint sleep_until = wake.precise ? wake.time - spin_margin_.margin() : wake.time;
    if (now() < sleep_until) {
      const bool replaced =
          timer_changed_.wait_until(lock, stop, sleep_until, [&] { return wakes_ != mine; });
      if (!replaced) spin_margin_.slept(now() - sleep_until);
      continue;
    }
    if (now() < wake.time) {
      lock.unlock();
      while (now() < wake.time && wakes_ == mine && !stop.stop_requested()) {
      }
      lock.lock();
    }
    if (wakes_ != mine) continue;
    wake_.reset();
    post(schedule::ClockTick{});
  }
}

DriverLock DeviceLoop::driver_lock() {
  DriverLock taken = driver_locks_.take(kLongestTurn);
  const std::lock_guard lock(mutex_);
  for (const auto& [id, entry] : sources_) entry->work->release_all();
  return taken;
}

schedule::BatchCost DeviceLoop::cost(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto found = state_.costs.find(key);
  return found == state_.costs.end() ? schedule::BatchCost() : found->second;
}

std::vector<KeyCost> DeviceLoop::learnt_costs() const {
  const std::lock_guard lock(mutex_);
  std::vector<KeyCost> costs;
  for (const auto& [key, cost] : state_.costs)
    if (const int units = cost.largest_measured(); units > 0 && !key.empty() && !key.starts_with(kMeasured)) {
      const auto found = divided_.find(key);
      const Divided whole = found == divided_.end() ? Divided{key, 1} : found->second;
      costs.push_back({whole.key, cost.predict(units) * whole.portions / units,
                       std::max(units / whole.portions, 1), cost.measured()});
    }
  return costs;
}

schedule::DeviceTotals DeviceLoop::totals() const {
  const std::lock_guard lock(mutex_);
  return schedule::totals_until(state_, now());
}

std::vector<schedule::Decision> DeviceLoop::decisions_after(uint64_t serial, size_t limit) const {
  const std::lock_guard lock(mutex_);
  return state_.decisions.after(serial, limit);
}

std::vector<schedule::Starving> DeviceLoop::starving() const {
  const std::lock_guard lock(mutex_);
  return schedule::starving(state_, now());
}

bool DeviceLoop::waiting_is_life() const {
  if (state_.in_flight.empty()) return true;
  const schedule::RunningBatch& oldest = state_.in_flight.front();
  const TimePoint time = now();
  if (const uint64_t done = chunks_of(oldest.source); done != oldest_chunks_.done)
    oldest_chunks_ = {done, time};
  return time - std::max(oldest.runs_since, oldest_chunks_.moved) < longest_batch_;
}

uint64_t DeviceLoop::chunks_done(std::string_view job) const {
  const std::lock_guard lock(mutex_);
  uint64_t chunks = 0;
  for (const auto& [id, source] : state_.sources)
    if (source.spec.job == job) chunks += chunks_of(id);
  return chunks;
}

bool DeviceLoop::waits_for_turn(SourceId id) const {
  const std::lock_guard lock(mutex_);
  const auto source = state_.sources.find(id);
  return source != state_.sources.end() && source->second.waiting_since.has_value() && waiting_is_life();
}

bool DeviceLoop::waits_for_turn(std::string_view job) const {
  const std::lock_guard lock(mutex_);
  bool waits = false;
  for (const auto& [id, source] : state_.sources) {
    if (source.spec.job != job) continue;
    if (source.in_flight > 0) return false;
    waits = waits || source.waiting_since.has_value();
  }
  return waits && waiting_is_life();
}

schedule::LockState DeviceLoop::external_load_state() const {
  const std::lock_guard lock(mutex_);
  return state_.lock.state();
}

std::string DeviceLoop::foreign_reason() const {
  const std::lock_guard lock(mutex_);
  return state_.lock.reason();
}

}  // namespace weft::worker
