// SPDX-License-Identifier: Apache-2.0
// Drives a device by its schedule (server/schedule/device_schedule.h): whoever wants time on it opens a source here, and
// the loop starts the source's batches when their turn comes.
//
//   ASSIGN_OR_RETURN(const SourceId id, loop.open(spec, work));   // work: a DeviceWork
//   loop.ready(id);        // more can start now: the loop asks work.ready(), and calls work.start(n) when it is due
//   loop.close(id);        // stops it and waits for what is on the device
//
// A decision and the start that follows from it happen under one lock, on the thread that brought the news: a batch
// starts microseconds after it is decided. Times that are waited for are met by a thread of the loop's own, which
// sleeps until shortly before (wake_lead.h) and then spins, while a REALTIME stream lives or another program is there;
// so do those who wait for a batch, about the time that it is expected to end (an interrupt's way to a thread takes 0.1
// to 0.4 ms).
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
#include "server/worker/device/opening_turns.h"
#include "server/worker/device/trace_ring.h"
#include "server/worker/device/wake_lead.h"

namespace weft::worker {

// What a source does on the device.
class DeviceWork {
 public:
  virtual ~DeviceWork() = default;

  struct Ready {
    int units = 0;                                  // that start() would take now
    int batches = std::numeric_limits<int>::max();  // that may take them before ready() is asked again
    bool complete = false;                          // a batch gets no larger by waiting
    bool ended = false;                             // none are left, and none will come
  };
  // These two are called with the loop's lock held, on any thread: they are short and do not call the loop.
  virtual Ready ready() = 0;
  // Enqueues a batch of so many units and returns. Background runs after `after`. RESOURCE_EXHAUSTED: memory is short,
  // a smaller one may go; any other error stops the source.
  virtual Status start(int units, const graph::SubmittedBatch& after) = 0;
  // The batch that was started last, for another source's to run after it.
  virtual graph::SubmittedBatch last_batch() = 0;
  // The oldest batch that was started and not waited for; {} where nobody knows.
  virtual graph::SubmittedBatch oldest_batch() { return {}; }
  // Pieces that are done of what it has on the device: they rise while a long batch goes on.
  virtual uint64_t pieces_done() {
    const graph::SubmittedBatch batch = oldest_batch();
    return batch.stream == nullptr ? 0 : batch.stream->pieces_done();
  }
  // Blocks until it has ended; its device time. Called on a thread of
  // its own, without the lock. An error stops the source.
  virtual StatusOr<Duration> wait() = 0;
  // The source was stopped by this error of start() or wait(), the first; nothing is started any more. With the lock held.
  virtual void failed(const Status& error) = 0;
  // Lets go on what it holds back on the device (device::Stream::hold): the driver is about to wait for everything. With the
  // lock held.
  virtual void release_all() {}
};

// What was learnt of one key's cost.
struct KeyCost {
  std::string key;
  Duration unit{0};     // of a unit, all portions together; in a batch of batch_units
  int batch_units = 0;  // the largest that was measured
  int batches = 0;      // measured
};

// Thread-safe. Outlives its sources' work.
class DeviceLoop {
 public:
  // A batch that runs for longer than longest_batch without doing another piece (device::Stream::pieces_done) hangs: what waits for it is
  // not told alive any more.
  static constexpr std::chrono::seconds kLongestBatch{10};
  explicit DeviceLoop(const schedule::ScheduleLimits& limits = {},
                      const schedule::PhaseLockLimits& foreign = {}, Duration longest_batch = kLongestBatch);
  ~DeviceLoop();  // every source is closed
  DeviceLoop(const DeviceLoop&) = delete;
  DeviceLoop& operator=(const DeviceLoop&) = delete;

  // Gives the source its id; `spec.id` does not matter. RESOURCE_EXHAUSTED, FAILED_PRECONDITION, INVALID_ARGUMENT: a
  // REALTIME stream does not fit, with the numbers (admission.h). `work` lives until close() has returned.
  StatusOr<schedule::SourceId> open(schedule::SourceSpec spec, DeviceWork& work);
  // What the work has ready has changed.
  void ready(schedule::SourceId id);
  // REALTIME: a frame came in, with or without a unit that is ready.
  void frame_arrived(schedule::SourceId id);
  // Class, priority and weights of a background source; acts within ScheduleLimits::reaction.
  void change(const schedule::SourceChanged& change);
  // Starts nothing more of it; returns at once.
  void stop(schedule::SourceId id);
  // Stops it and waits until nothing of it is on the device.
  void close(schedule::SourceId id);

  // A cost that is measured apart from what is known: a source is opened with kMeasured and more as its cost's key, and then this is
  // called (schedule::take_measured_cost). learnt_costs() leaves such keys out.
  static constexpr std::string_view kMeasured = "measured: ";
  void take_measured_cost(std::string_view measured, std::string_view key);
  // The stream would not be refused if its frames took next to nothing.
  bool could_fit(const schedule::SourceSpec& spec) const;

  // What the driver tells of other programs (phase_lock.h).
  void tell(const schedule::Presence& presence);
  // Bytes that batches may take beside what was planned for.
  void set_free_bytes(size_t bytes);

  // Drivers make everybody's launches wait while memory is pinned, a decoder begins or buffers go away, for up to tens of
  // milliseconds. Jobs that open or close such things take turns, so that a frame meets one of them at a time. After
  // kLongestTurn the others no longer wait. Nothing is held back on the device meanwhile: the driver may wait for all of it.
  static constexpr std::chrono::seconds kLongestTurn{2};
  OpeningTurn opening_turn();
  bool is_opening() const { return openings_.any(); }

  // Another program is at work on the device, and is not ignored.
  bool protects_others() const { return protects_others_; }

  // What is known.
  schedule::BatchCost cost(std::string_view key) const;
  std::vector<KeyCost> learnt_costs() const;  // of sources whose cost has a key
  double predicted_load() const {
    const std::lock_guard lock(mutex_);
    return schedule::predicted_load(state_, std::chrono::steady_clock::now());
  }
  schedule::Reservation reservation(schedule::SourceId id) const {  // of a REALTIME stream
    const std::lock_guard lock(mutex_);
    return schedule::reservation_of(state_, id, std::chrono::steady_clock::now());
  }
  schedule::DeviceTotals totals() const;  // also of what is on the device now (busy_time.h)
  std::vector<schedule::Decision> decisions_after(uint64_t serial, size_t limit) const;
  std::vector<schedule::Starving> starving() const;
  // The source, or the job's sources, have units that could start and nothing on the device, where what others have on
  // it goes on: such a one does not hang.
  bool waits_for_turn(schedule::SourceId id) const;
  bool waits_for_turn(std::string_view job) const;
  // Pieces that are done of what the job has on the device: they rise while a long batch goes on. 0 where nobody tells.
  uint64_t pieces_done(std::string_view job) const;
  uint64_t pieces_done(schedule::SourceId id) const {
    const std::lock_guard lock(mutex_);
    return pieces_of(id);
  }
  schedule::LockState foreign_state() const;
  std::string foreign_reason() const;  // a sentence
  // The timeline of the device's work and of the threads that feed it. Any thread.
  TraceRing& trace() { return trace_; }
  const TraceRing& trace() const { return trace_; }

 private:
  struct Entry {
    DeviceWork* work = nullptr;
    int outstanding = 0;              // batches started and not waited for
    std::deque<uint64_t> calm_since;  // of each: OpeningTurns::calm_since() at its start
    bool drained = false, closing = false, failed = false;
    DeviceTrack trace{"nodes"};  // of the thread that opens the source
    std::condition_variable changed;
    std::jthread waiter;
  };

  // With the lock held.
  bool waiting_is_life() const;
  uint64_t pieces_of(schedule::SourceId id) const {
    const auto entry = sources_.find(id);
    return entry == sources_.end() ? 0 : entry->second->work->pieces_done();
  }
  void post(const schedule::ScheduleEvent& event);
  void act(const schedule::ScheduleAction& action);
  void start(const schedule::StartBatch& batch);
  void tell_ready(schedule::SourceId id, DeviceWork& work);
  void fail(schedule::SourceId id, Entry& entry, const Status& error);

  void wait_for_batches(schedule::SourceId id, Entry& entry);
  void keep_time(const std::stop_token& stop);

  TraceRing trace_;
  OpeningTurns openings_;
  std::atomic<bool> protects_others_{false};
  mutable std::mutex mutex_;
  schedule::ScheduleState state_;
  // Costs of portions are learnt apart from those of whole units: the key that a whole unit's has, and how many portions it has.
  struct Divided {
    std::string key;
    int portions = 1;
  };
  std::map<std::string, Divided, std::less<>> divided_;
  std::map<schedule::SourceId, std::unique_ptr<Entry>> sources_;
  std::deque<schedule::ScheduleEvent> events_;  // that are yet to be handled
  std::deque<schedule::SourceId> asked_;        // whose work is asked what is ready, after those
  bool posting_ = false;
  schedule::SourceId next_id_ = 1;
  std::optional<Status> refusal_;
  schedule::SourceId last_started_ = 0;  // of the background
  std::optional<schedule::WakeAt> wake_;
  std::atomic<uint64_t> wakes_{0};  // rises whenever wake_ changes
  WakeLead wake_lead_;
  // Of the oldest batch: its pieces when they were looked at last, and when they last rose.
  struct Pieces {
    uint64_t done = 0;
    TimePoint moved{};
  };
  mutable Pieces oldest_pieces_;
  const Duration longest_batch_;
  std::condition_variable_any timer_changed_;
  std::jthread timer_;  // last: ends before what it uses
};

}  // namespace weft::worker
