// SPDX-License-Identifier: Apache-2.0
// Supervises one device and its worker: the lock, the start, running work, timeouts, the end and
// the restart.
//
// The slot has an event loop of its own, which reads the worker's socket, so that other devices and
// their jobs do not delay the streams of this one. The loop does not wait for a file system:
// FileThreads open files, check disks and take locks, and post the results.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/records/workers.h"
#include "server/queue/supervision/device_lock.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/presence_clock.h"
#include "server/queue/supervision/slot_attempts.h"
#include "server/queue/supervision/stream_relay.h"
#include "server/queue/supervision/trace_requests.h"
#include "server/queue/supervision/worker_process.h"
#include "server/queue/supervision/worker_settings.h"

namespace weft::queue {

class DeviceSlot {
 public:
  // Makes a slot. If `used` is false, the configuration excludes the device. `threads`, `budget`
  // and `events` outlive the slot; the threads end before it.
  static StatusOr<std::unique_ptr<DeviceSlot>> make(WorkerSettings settings, v1::DeviceStatus device,
                                                    bool used, WorkerEvents& events, FileThreads& threads,
                                                    DiskBudget& budget, const Clock& clock);
  ~DeviceSlot();

  // Runs `work` on the slot's loop, in the order of the calls. Any thread may call it and the three
  // functions below.
  void post(std::function<void(DeviceSlot&)> work);
  // Returns true if start() may be called.
  bool in_service() const { return in_service_; }
  const std::string& id() const { return id_; }
  // Returns true if the slot was shut down and its process has ended.
  bool is_gone() const { return is_gone_; }

  // The following functions are called on the loop. begin() reports the device to the queue, and
  // takes it if no other daemon has it.
  void begin();
  void start(const AttemptId& attempt, const v1::Job& job, const Credentials& submitter);
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) { attempts_->stop(attempt, kind); }
  void change(const AttemptId& attempt, const v1::JobSettings& settings) {
    attempts_->change(attempt, settings);
  }
  // Takes the device from any holder of its lock.
  void take_by_order();
  // Applies the settings that SIGHUP may change: hang_timeout, start_timeout, low_disk_bytes and
  // the owners' weights.
  void change(const WorkerSettings& settings);
  // Requests the worker to end, and starts no other. A worker that runs after `grace` is killed.
  // `gone` is called after its end.
  void shut_down(Duration grace, std::function<void()> gone);
  void start_stream(internal::v1::StartStream order, const SharedFiles& files,
                    std::shared_ptr<StreamEvents> events);
  StreamRelay& streams() { return streams_; }
  void read_trace(std::string job_id, TraceDone done);

 private:
  DeviceSlot(WorkerSettings settings, v1::DeviceStatus device, bool used, WorkerEvents& events,
             FileThreads& threads, const Clock& clock);
  void tick();
  void take_device();
  // The result of taking the lock on a thread.
  struct LockAnswer {
    StatusOr<std::shared_ptr<const DeviceLock>> lock;
    bool is_idle = false;       // true if the holder runs no worker
    bool was_by_order = false;  // value of by_order in the request
  };
  void on_lock(const LockAnswer& answer);
  void launch();
  void report(v1::DeviceState state, const std::string& reason);
  void on_message(const internal::v1::FromWorker& message);
  void on_ready(const internal::v1::Ready& ready);
  void on_gone(const std::string& reason);
  void did_something();
  void count_streams();

  WorkerSettings settings_;
  WorkerEvents& events_;
  FileThreads& threads_;
  PresenceClock clock_;  // Used by the loop. A worker's silence counts only while the loop runs.
  const std::string id_;
  std::atomic<bool> in_service_{false};
  std::atomic<bool> is_gone_{false};
  std::unique_ptr<EventLoop> loop_;

  // The members below are used on the loop.
  v1::DeviceStatus device_;
  bool begun_ = false;
  bool takes_lock_ = false;              // true while a thread takes the lock
  bool takes_by_order_ = false;          // true until the lock is taken from its holder
  std::optional<TimePoint> idle_since_;  // time since which the holder runs no worker
  std::shared_ptr<const DeviceLock> lock_;
  std::unique_ptr<WorkerProcess> process_;
  std::unique_ptr<SlotAttempts> attempts_;
  StreamRelay streams_{[this] { count_streams(); }};
  TraceRequests traces_{id_};
  TimePoint launched_;
  TimePoint next_try_;            // time of the next try to take the device or start a worker
  int deaths_ = 0;                // deaths since the worker last made progress
  std::string failed_self_test_;  // error of the failed self-test
  std::string no_memory_limit_;   // reason why the running worker has no memory limit
  struct Ending {
    TimePoint by;
    bool may_linger = false;  // true if the worker has time to end by itself
    std::function<void()> gone;
  };
  std::optional<Ending> ending_;  // set by shut_down()
};

}  // namespace weft::queue
