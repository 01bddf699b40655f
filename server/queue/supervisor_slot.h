// SPDX-License-Identifier: Apache-2.0
// One device and the worker that has it: the lock, the start, what runs, hangs, the end and the next start.
// Lives on the supervisor's loop.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/device_lock.h"
#include "server/queue/event_loop.h"
#include "server/queue/owner_shares.h"
#include "server/queue/stream_relay.h"
#include "server/queue/worker_process.h"
#include "server/queue/workers.h"

namespace weft::queue {

// How workers are run. What may change while the daemon runs is read anew at every use.
struct WorkerSettings {
  std::vector<std::string> arguments;  // of every worker: the program first; --device and --channel are added
  std::string lock_folder;
  std::string store_id;  // noted in work folders
  std::string holder;    // what the lock says of us
  Duration hang_timeout = std::chrono::seconds(60);
  Duration start_timeout = std::chrono::seconds(60);
  Duration stop_timeout = std::chrono::seconds(20);  // from asking a worker to stop an attempt to its end
  // Nothing is started while less is free where its output goes; what runs is stopped when less than half of it is, so
  // that a disk about that full does not start and stop jobs in turns.
  int64_t low_disk_bytes = 0;
  OwnerWeights owner_weights;
};

class DeviceSlot {
 public:
  // `used`: false, the configuration leaves the device out. All references outlive the slot.
  DeviceSlot(EventLoop& loop, const WorkerSettings& settings, v1::Device device, bool used,
             WorkerEvents& events, const Clock& clock);

  // Tells the queue of the device, and takes it if nobody else has it.
  void begin();
  void tick();
  void start(const AttemptId& attempt, const v1::Job& job);
  void stop(const AttemptId& attempt, internal::v1::StopKind kind);
  void change(const AttemptId& attempt, const v1::JobSettings& settings);
  // The settings' owner_weights changed; they were `before`.
  void weigh_anew(const OwnerWeights& before);
  // Asks the worker to end, and starts no other. After `grace` it is killed.
  void shut_down(Duration grace);
  bool is_gone() const { return process_ == nullptr; }
  StreamRelay& streams() { return streams_; }

  // Any thread: whether start() may be called.
  bool in_service() const { return in_service_; }
  // Any thread; does not change.
  const std::string& id() const { return id_; }

 private:
  // An attempt that the worker has, or will get when its work folder is free.
  struct Attempt {
    AttemptId id;
    v1::Job job;
    bool sent = false;
    TimePoint since;  // waits for its folder, or works
    uint64_t heartbeat = 0;
    TimePoint moved{};                 // when the heartbeat last rose
    std::optional<TimePoint> stop_by;  // it was asked to stop
    Status out_of_space;               // why, if it was for that
  };

  void take_device();
  void launch();
  void report(v1::DeviceState state, const std::string& reason);
  void try_to_send(Attempt& attempt);
  void end_attempt(const AttemptId& id);
  Attempt* find(const std::string& job_id, int attempt);
  void check_attempts(TimePoint now);
  void check_disks(TimePoint now);
  void send_stop(Attempt& attempt, internal::v1::StopKind kind);
  void on_message(const internal::v1::FromWorker& message);
  void on_ready(const internal::v1::Ready& ready);
  void on_progress(const internal::v1::Progress& progress);
  void on_end(const internal::v1::FromWorker& message);
  void on_gone(const std::string& reason);
  void did_something();
  void count_streams();

  EventLoop& loop_;
  const WorkerSettings& settings_;
  WorkerEvents& events_;
  const Clock& clock_;
  const std::string id_;
  v1::Device device_;
  std::optional<DeviceLock> lock_;
  std::unique_ptr<WorkerProcess> process_;
  std::atomic<bool> in_service_{false};
  std::list<Attempt> attempts_;
  StreamRelay streams_{[this] { count_streams(); }};
  TimePoint launched_;
  TimePoint next_try_;  // to take the device, or to start a worker
  TimePoint next_disk_check_;
  int deaths_ = 0;                    // since the worker last did something
  std::string failed_self_test_;      // why
  std::optional<TimePoint> ends_by_;  // shut_down was called
  bool may_linger_ = false;           // shut_down gave it time to end by itself
};

}  // namespace weft::queue
