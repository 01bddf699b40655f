// SPDX-License-Identifier: Apache-2.0
// One device and the worker that has it: the lock, the start, what runs, hangs, the end and the next start.
//
// It has a loop of its own, which reads the worker's socket: what other devices and their jobs do holds up no stream of this one.
// Nothing here waits for a file system. Files are opened, disks looked at and locks taken by FileThreads, which post what they found.
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
  // `used`: false, the configuration leaves the device out. `threads`, `room` and `events` outlive the slot; the threads end first.
  static StatusOr<std::unique_ptr<DeviceSlot>> make(WorkerSettings settings, v1::DeviceStatus device,
                                                    bool used, WorkerEvents& events, FileThreads& threads,
                                                    DiskRoom& room, const Clock& clock);
  ~DeviceSlot();

  // Runs `work` on the slot's loop, in order. Any thread, as all up to the loop's own.
  void post(std::function<void(DeviceSlot&)> work);
  // Whether start() may be called.
  bool in_service() const { return in_service_; }
  const std::string& id() const { return id_; }
  // It was shut down, and the process has ended.
  bool is_gone() const { return is_gone_; }

  // On the loop. Tells the queue of the device, and takes it if nobody else has it.
  void begin();
  void start(const AttemptId& attempt, const v1::Job& job, const Credentials& submitter);
  void stop(const AttemptId& attempt, internal::v1::StopKind kind) { attempts_->stop(attempt, kind); }
  void change(const AttemptId& attempt, const v1::JobSettings& settings) {
    attempts_->change(attempt, settings);
  }
  // Takes the device also from whoever holds its lock.
  void take_by_order();
  // What SIGHUP may change: the timeouts, low_disk_bytes and the owners' weights.
  void change(const WorkerSettings& settings);
  // Asks the worker to end, and starts no other. After `grace` it is killed. `gone` is called when it is gone.
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
  // What a thread found of the lock.
  struct LockAnswer {
    StatusOr<std::shared_ptr<const DeviceLock>> lock;
    bool is_idle = false;       // whoever has it runs no worker
    bool was_by_order = false;  // as it was asked for
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
  PresenceClock clock_;  // of the loop: whoever is silent while it is not there has said nothing wrong
  const std::string id_;
  std::atomic<bool> in_service_{false};
  std::atomic<bool> is_gone_{false};
  std::unique_ptr<EventLoop> loop_;

  // On the loop.
  v1::DeviceStatus device_;
  bool begun_ = false;
  bool takes_lock_ = false;              // a thread does
  bool takes_by_order_ = false;          // until the lock is taken
  std::optional<TimePoint> idle_since_;  // whoever has the lock runs no worker
  std::shared_ptr<const DeviceLock> lock_;
  std::unique_ptr<WorkerProcess> process_;
  std::unique_ptr<SlotAttempts> attempts_;
  StreamRelay streams_{[this] { count_streams(); }};
  TraceRequests traces_{id_};
  TimePoint launched_;
  TimePoint next_try_;            // to take the device, or to start a worker
  int deaths_ = 0;                // since the worker last did something
  std::string failed_self_test_;  // why
  std::string no_memory_limit_;   // of the worker that runs: why
  struct Ending {
    TimePoint by;
    bool may_linger = false;  // it has time to end by itself
    std::function<void()> gone;
  };
  std::optional<Ending> ending_;  // shut_down was called
};

}  // namespace weft::queue
