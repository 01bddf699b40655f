// SPDX-License-Identifier: Apache-2.0
// One device and the worker that has it: the lock, the start, what runs, hangs, the end and the next start.
//
// It has a loop of its own, which reads the worker's socket: what other devices and their jobs do holds up no stream of this one.
// Nothing here waits for a file system. Files are opened, disks looked at and locks taken by FileThreads, which post what they found.
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "server/queue/admission/prober.h"
#include "server/queue/placement/owner_shares.h"
#include "server/queue/records/workers.h"
#include "server/queue/supervision/device_lock.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/job_opener.h"
#include "server/queue/supervision/memory_group.h"
#include "server/queue/supervision/presence_clock.h"
#include "server/queue/supervision/stream_relay.h"
#include "server/queue/supervision/trace_requests.h"
#include "server/queue/supervision/worker_process.h"

namespace weft::queue {

// For sentences.
inline int64_t whole_seconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::seconds>(duration).count();
}

// How workers are run.
struct WorkerSettings {
  std::vector<std::string> arguments;  // of every worker: the program first; --device and --channel are added
  std::string lock_folder;
  std::string state_folder;  // where jobs work that write no file
  StoreIdentity store;       // work folders are bound to it
  std::string holder;        // what the lock says of us
  Duration hang_timeout = std::chrono::seconds(60);
  Duration start_timeout = std::chrono::seconds(60);
  Duration stop_timeout = std::chrono::seconds(20);  // from asking a worker to stop an attempt to its end
  // The same of an attempt that waits for a file system: it is let go. Its place is free; its thread ends when the file system answers.
  Duration file_stop_timeout = std::chrono::seconds(5);
  // The CPU's lock is taken from a holder that runs no worker for so long.
  Duration idle_lock_timeout = std::chrono::seconds(60);
  // Nothing is started while less is free where the job writes; what runs is stopped when less than half of it is, so
  // that a disk about that full does not start and stop jobs in turns.
  int64_t low_disk_bytes = 0;
  OwnerWeights owner_weights;
  FileAccess files;
  std::optional<MemoryGroup> memory;  // of all workers of devices together
  std::string no_memory_limit;        // why there is none; empty: there is, or nobody wants to know
  std::shared_ptr<const FileRules> rules = nullptr;  // where clients' files may lie; null: anywhere
  Prober* prober = nullptr;                          // asked again where an input changed since the submit
};

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
  void stop(const AttemptId& attempt, internal::v1::StopKind kind);
  void change(const AttemptId& attempt, const v1::JobSettings& settings);
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
  // An attempt that the worker has, or will get when its files are open.
  struct Attempt {
    enum class Stage {
      kWaiting,
      kOpening,
      kSent
    };  // kWaiting: for its work folder, which an earlier one still has
    AttemptId id;
    v1::Job job;
    Credentials submitter;
    Stage stage = Stage::kWaiting;
    TimePoint since;    // it was given to us
    TimePoint opening;  // its files, since
    uint64_t heartbeat = 0;
    TimePoint moved{};                 // when the heartbeat last rose
    bool waits_for_file = false;       // as was told last
    bool looks_at_disk = false;        // a thread does
    std::optional<TimePoint> stopped;  // when it was asked to
    std::optional<TimePoint> stop_by;
    Status out_of_space;  // why, if it was for that
    DiskRoom::ReservationPtr reservation;
  };

  DeviceSlot(WorkerSettings settings, v1::DeviceStatus device, bool used, WorkerEvents& events,
             FileThreads& threads, DiskRoom& room, const Clock& clock);
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
  void open_files(Attempt& attempt);
  void on_opened(const AttemptId& id, const v1::Job& job, const JobOpener::Opened& opened);
  void estimate_again(const Attempt& attempt, const JobOpener::Opened& opened);
  int64_t planned_bytes(const v1::Job& job) const;
  Status check_memory(const v1::Job& job, const StatusOr<v1::JobEstimate>& now) const;
  void send_start(Attempt& attempt, const SharedOpenJob& files);
  void end_attempt(const AttemptId& id);
  Attempt* find(const std::string& job_id, int attempt);
  std::vector<AttemptId> attempts_at(Attempt::Stage stage) const;
  void check_attempts(TimePoint now);
  void check_opening(Attempt& attempt, TimePoint now);
  std::string check_sent(Attempt& attempt, TimePoint now);
  void check_disks(TimePoint now);
  void on_disk(const AttemptId& id, const Status& space);
  void let_go(Attempt& attempt);
  void tell_stopped(const Attempt& attempt, const Status& error, bool retriable, const v1::JobResult& result);
  void tell_wait(Attempt& attempt, const std::string& reason);
  void send_stop(Attempt& attempt, internal::v1::StopKind kind);
  void on_message(const internal::v1::FromWorker& message);
  void weigh_anew(const OwnerWeights& before);
  void on_ready(const internal::v1::Ready& ready);
  void on_progress(const internal::v1::Progress& progress);
  void on_end(const internal::v1::FromWorker& message);
  void on_gone(const std::string& reason);
  void did_something();
  void count_streams();

  WorkerSettings settings_;
  WorkerEvents& events_;
  FileThreads& threads_;
  DiskRoom& room_;
  PresenceClock clock_;  // of the loop: whoever is silent while it is not there has said nothing wrong
  const std::string id_;
  std::atomic<bool> in_service_{false};
  std::atomic<bool> is_gone_{false};
  std::unique_ptr<EventLoop> loop_;

  // On the loop.
  std::unique_ptr<JobOpener> opener_;
  v1::DeviceStatus device_;
  bool begun_ = false;
  bool takes_lock_ = false;              // a thread does
  bool takes_by_order_ = false;          // until the lock is taken
  std::optional<TimePoint> idle_since_;  // whoever has the lock runs no worker
  std::shared_ptr<const DeviceLock> lock_;
  std::unique_ptr<WorkerProcess> process_;
  std::list<Attempt> attempts_;
  StreamRelay streams_{[this] { count_streams(); }};
  TraceRequests traces_{id_};
  TimePoint launched_;
  TimePoint next_try_;  // to take the device, or to start a worker
  TimePoint next_disk_check_;
  int deaths_ = 0;                    // since the worker last did something
  std::string failed_self_test_;      // why
  std::string no_memory_limit_;       // of the worker that runs: why
  std::optional<TimePoint> ends_by_;  // shut_down was called
  bool may_linger_ = false;           // shut_down gave it time to end by itself
  std::function<void()> gone_;
};

}  // namespace weft::queue
