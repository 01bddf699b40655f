// SPDX-License-Identifier: Apache-2.0
// Executes the schedule of a device (server/schedule/device_schedule.h). Users of the device open a
// source, and the loop starts the source's batches by the schedule.
//
//   ASSIGN_OR_RETURN(const SourceId id, loop.open(spec, work));  // work: a DeviceWork
//   loop.ready(id);  // more can start: the loop calls work.ready(), and work.start(n) when due
//   loop.close(id);  // stops it and waits for its work on the device
//
// A decision and the resulting start happen under one lock, on the thread of the event: a batch
// starts microseconds after its decision. Timed starts are made by a separate thread of the loop.
// While a REALTIME stream exists or an external load is present, that thread sleeps until shortly
// before the start (spin_margin.h) and then spins; threads that wait for a batch do the same around
// its expected end. (An interrupt takes 0.1 to 0.4 ms to reach a thread.)
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/status.h"
#include "server/graph/batches.h"
#include "server/schedule/device_schedule.h"
#include "server/worker/device/driver_locks.h"
#include "server/worker/device/spin_margin.h"
#include "server/worker/device/trace_ring.h"

namespace weft::worker {

// The work of a source on the device.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;

  struct Ready {
    int units = 0;  // units that start() accepts now
    // batches that may start with these units before ready() is called again
    int batches = std::numeric_limits<int>::max();
    bool complete = false;  // whether the batch cannot grow if the loop waits
    bool ended = false;     // whether all units were started and no more will come
  };
  // Returns the units that can start. The loop calls ready() and start() with its lock held, on any
  // thread: both must be short and must not call the loop.
  virtual Ready ready() = 0;
  // Enqueues a batch of `units` and returns. Background work runs after `after`.
  // RESOURCE_EXHAUSTED: memory is insufficient, but a smaller batch may succeed. Any other error
  // stops the source.
  virtual Status start(int units, const graph::SubmittedBatch& after) = 0;
  // Returns the newest started batch. A batch of another source can run after it.
  virtual graph::SubmittedBatch last_batch() = 0;
  // Returns the oldest batch that was started and that wait() has not returned, or {} if it is
  // unknown.
  virtual graph::SubmittedBatch oldest_batch() { return {}; }
  // Returns the number of finished chunks of the source's work on the device. The number increases
  // during a long batch.
  virtual uint64_t chunks_done() {
    const graph::SubmittedBatch batch = oldest_batch();
    return batch.stream == nullptr ? 0 : batch.stream->chunks_done();
  }
  // Blocks until the oldest batch has ended, and returns its device time. The loop calls it on a
  // thread of the source, without its lock. An error stops the source.
  virtual StatusOr<Duration> wait() = 0;
  // Reports the first error of start() or wait(): it stopped the source, and nothing more is
  // started. Called with the loop's lock held.
  virtual void failed(const Status& error) = 0;
  // Releases work that is held back on the device (device::Stream::hold), because the driver is
  // about to wait for all such work. Called with the loop's lock held.
  virtual void release_all() {}
};

// The learnt cost of a cost key.
struct KeyCost {
  std::string key;
  // device time of a unit, all its portions together, in a batch of batch_units
  Duration unit{0};
  int batch_units = 0;  // units of the largest batch that was measured
  int batches = 0;      // batches that were measured
};

// Thread-safe. Must outlive the work of its sources.
class DeviceLoop {
 public:
  // Duration without a finished chunk (device::Stream::chunks_done) after which a running batch
  // counts as hung: jobs that wait for it are no longer reported as alive.
  static constexpr std::chrono::seconds kLongestBatch{10};
  explicit DeviceLoop(const schedule::ScheduleLimits& limits = {},
                      const schedule::PhaseLockLimits& external_load = {},
                      Duration longest_batch = kLongestBatch);
  ~DeviceLoop();  // All sources must be closed.
  DeviceLoop(const DeviceLoop&) = delete;
  DeviceLoop& operator=(const DeviceLoop&) = delete;

  // Opens a source and returns its id; `spec.id` is ignored. `work` must exist until close() has
  // returned. RESOURCE_EXHAUSTED, FAILED_PRECONDITION, INVALID_ARGUMENT: a REALTIME stream cannot
  // be admitted; the message contains the figures (admission.h).
  StatusOr<schedule::SourceId> open(schedule::SourceSpec spec, DeviceWork& work);
  // Reports that the work's ready units have changed.
  void ready(schedule::SourceId id);
  // Reports that a frame of a REALTIME stream arrived, whether or not a unit is ready.
  void frame_arrived(schedule::SourceId id);
  // Changes class, priority and weights of a background source. Takes effect within
  // ScheduleLimits::reaction.
  void change(const schedule::SourceChanged& change);
  // Stops the start of batches of the source. Does not block.
  void stop(schedule::SourceId id);
  // Stops the source, blocks until its work on the device has ended, and removes it.
  void close(schedule::SourceId id);

  // Prefix of the cost key of a measurement. A source with such a key measures a cost apart from
  // the learnt one; take_measured_cost() then passes it on to `key` (schedule::take_measured_cost).
  // learnt_costs() omits such keys.
  static constexpr std::string_view kMeasured = "measured: ";
  void take_measured_cost(std::string_view measured, std::string_view key);
  // Returns true if the stream could be admitted if its frames cost almost no device time.
  bool could_fit(const schedule::SourceSpec& spec) const;

  // Reports the driver's information about other programs (phase_lock.h).
  void report_presence(const schedule::Presence& presence);

  // Blocks until no other thread has the driver lock, for at most kLongestTurn, and takes it.
  // Drivers delay all launches of the process while memory is pinned, a decoder opens or buffers
  // are freed, for up to tens of milliseconds. Jobs hold this lock for such operations, so that a
  // frame is delayed by one of them at a time. All work that is held back on the device is released
  // first, since the driver may wait for it.
  static constexpr std::chrono::seconds kLongestTurn{2};
  DriverLock driver_lock();
  bool is_opening() const { return driver_locks_.any(); }

  // Returns true if another program uses the device and the loop yields to it.
  bool protects_others() const { return protects_others_; }

  // Returns the learnt cost of a key, or an unknown cost.
  schedule::BatchCost cost(std::string_view key) const;
  std::vector<KeyCost> learnt_costs() const;  // costs of the sources with a cost key
  double predicted_load() const {
    const std::lock_guard lock(mutex_);
    return schedule::predicted_load(state_, std::chrono::steady_clock::now());
  }
  // Returns the reservation of a REALTIME stream.
  schedule::Reservation reservation(schedule::SourceId id) const {
    const std::lock_guard lock(mutex_);
    return schedule::reservation_of(state_, id, std::chrono::steady_clock::now());
  }
  schedule::DeviceTotals totals() const;  // includes work that runs on the device now (busy_time.h)
  std::vector<schedule::Decision> decisions_after(uint64_t serial, size_t limit) const;
  std::vector<schedule::Starving> starving() const;
  // Returns true if the source, or the sources of the job, have units that could start and no batch
  // on the device, while the device makes progress with other work: the job then waits and does not
  // hang.
  bool waits_for_turn(schedule::SourceId id) const;
  bool waits_for_turn(std::string_view job) const;
  // Returns the number of finished chunks of the job's or source's work on the device, which
  // increases during a long batch. Returns 0 if no stream reports chunks.
  uint64_t chunks_done(std::string_view job) const;
  uint64_t chunks_done(schedule::SourceId id) const {
    const std::lock_guard lock(mutex_);
    return chunks_of(id);
  }
  schedule::LockState external_load_state() const;
  std::string foreign_reason() const;  // reason for the state of the external load, as a sentence
  // Returns the timeline of the device's work and of the threads that feed it. Any thread.
  TraceRing& trace() { return trace_; }
  const TraceRing& trace() const { return trace_; }

 private:
  struct Entry {
    DeviceWork* work = nullptr;
    int outstanding = 0;  // started batches that wait() has not returned
    // DriverLocks::calm_since() at the start of each of these batches
    std::deque<uint64_t> calm_since;
    bool drained = false, closing = false, failed = false;
    DeviceTrack trace{"nodes"};  // used by the thread that opens the source
    std::condition_variable changed;
    std::jthread waiter;
  };

  // Returns true if a job that waits for the device is alive: no batch runs, or the oldest batch
  // made progress within longest_batch_. Call with the lock held.
  bool waiting_is_life() const;
  uint64_t chunks_of(schedule::SourceId id) const {
    const auto entry = sources_.find(id);
    return entry == sources_.end() ? 0 : entry->second->work->chunks_done();
  }
  void post(const schedule::ScheduleEvent& event);
  void act(const schedule::ScheduleAction& action);
  void start(const schedule::StartBatch& batch);
  void notify_ready(schedule::SourceId id, DeviceWork& work);
  void fail(schedule::SourceId id, Entry& entry, const Status& error);

  void wait_for_batches(schedule::SourceId id, Entry& entry);
  void keep_time(const std::stop_token& stop);

  TraceRing trace_;
  DriverLocks driver_locks_;
  std::atomic<bool> protects_others_{false};
  mutable std::mutex mutex_;
  schedule::ScheduleState state_;
  // The cost key of a whole unit and its number of portions. Costs of portions are learnt apart
  // from those of whole units.
  struct Divided {
    std::string key;
    int portions = 1;
  };
  std::map<std::string, Divided, std::less<>> divided_;
  std::map<schedule::SourceId, std::unique_ptr<Entry>> sources_;
  std::deque<schedule::ScheduleEvent> events_;  // events that are not handled yet
  // sources for a call of ready() after all events are handled
  std::deque<schedule::SourceId> asked_;
  bool posting_ = false;
  schedule::SourceId next_id_ = 1;
  std::optional<Status> refusal_;
  schedule::SourceId last_started_ = 0;  // background source of the newest started batch
  std::optional<schedule::WakeAt> wake_;
  std::atomic<uint64_t> wakes_{0};  // increases when wake_ changes
  SpinMargin spin_margin_;
  // Finished chunks of the oldest batch at the last check, and the time of their last increase.
  struct ChunkProgress {
    uint64_t done = 0;
    TimePoint moved{};
  };
  mutable ChunkProgress oldest_chunks_;
  const Duration longest_batch_;
  std::condition_variable_any timer_changed_;
  // last member, so that the thread ends before the members it uses are destroyed
  std::jthread timer_;
};

}  // namespace weft::worker
