// SPDX-License-Identifier: Apache-2.0
// The attempts of one device's worker: their files, their start, their stop, and whether they stand still.
#pragma once

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "server/queue/records/workers.h"
#include "server/queue/supervision/event_loop.h"
#include "server/queue/supervision/job_opener.h"
#include "server/queue/supervision/presence_clock.h"
#include "server/queue/supervision/worker_process.h"
#include "server/queue/supervision/worker_settings.h"

namespace weft::queue {

// On the device's loop. Constructor arguments outlive it.
class SlotAttempts {
 public:
  SlotAttempts(const WorkerSettings& settings, const v1::DeviceStatus& device, WorkerEvents& events,
               const PresenceClock& clock, EventLoop& loop, FileThreads& threads, DiskRoom& room)
      : settings_(settings),
        device_(device),
        events_(events),
        clock_(clock),
        loop_(loop),
        opener_(loop, threads, room, settings.files, settings.state_folder) {}

  // The worker that gets them from now on; until lose_worker().
  void set_worker(WorkerProcess& worker) { worker_ = &worker; }
  // Returns those that are lost with it.
  std::vector<AttemptId> lose_worker();

  // There is a worker.
  void start(const AttemptId& id, const v1::Job& job, const Credentials& submitter);
  void stop(const AttemptId& id, internal::v1::StopKind kind);
  void change(const AttemptId& id, const v1::JobSettings& settings);
  // The weights of owners were these until now.
  void weigh_anew(const OwnerWeights& before);
  // May kill the worker.
  void check(TimePoint now);

  void on_progress(const internal::v1::Progress& progress);
  // False: the attempt is not known any more.
  bool on_end(const internal::v1::FromWorker& message);

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

  void open_files(Attempt& attempt);
  void on_opened(const AttemptId& id, const v1::Job& job, const JobOpener::Opened& opened);
  void estimate_again(const Attempt& attempt, const JobOpener::Opened& opened);
  int64_t planned_bytes(const v1::Job& job) const;
  Status check_memory(const v1::Job& job, const StatusOr<v1::JobEstimate>& now) const;
  void send_start(Attempt& attempt, const SharedOpenJob& files);
  void end_attempt(const AttemptId& id);
  Attempt* find(const std::string& job_id, int attempt);
  std::vector<AttemptId> attempts_at(Attempt::Stage stage) const;
  void check_opening(Attempt& attempt, TimePoint now);
  std::string check_sent(Attempt& attempt, TimePoint now);
  void check_disks(TimePoint now);
  void on_disk(const AttemptId& id, const Status& space);
  void let_go(Attempt& attempt);
  void tell_stopped(const Attempt& attempt, const Status& error, bool retriable, const v1::JobResult& result);
  void tell_wait(Attempt& attempt, const std::string& reason);
  void send_stop(Attempt& attempt, internal::v1::StopKind kind);

  const WorkerSettings& settings_;
  const v1::DeviceStatus& device_;
  WorkerEvents& events_;
  const PresenceClock& clock_;
  EventLoop& loop_;
  JobOpener opener_;
  WorkerProcess* worker_ = nullptr;  // null: there is none
  std::list<Attempt> attempts_;
  TimePoint next_disk_check_;
};

}  // namespace weft::queue
