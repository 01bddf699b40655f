// SPDX-License-Identifier: Apache-2.0
// Runs the attempts of one device's worker: opens their files, starts and stops them, and detects
// attempts without progress.
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

// Used on the device's loop. The constructor's arguments outlive this object.
class SlotAttempts {
 public:
  SlotAttempts(const WorkerSettings& settings, const v1::DeviceStatus& device, WorkerEvents& events,
               const PresenceClock& clock, EventLoop& loop, FileThreads& threads, DiskBudget& budget)
      : settings_(settings),
        device_(device),
        events_(events),
        clock_(clock),
        loop_(loop),
        opener_(loop, threads, budget, settings.files, settings.state_folder) {}

  // Sets the worker for later attempts, until lose_worker().
  void set_worker(WorkerProcess& worker) { worker_ = &worker; }
  // Removes all attempts after the loss of the worker, and returns them.
  std::vector<AttemptId> lose_worker();

  // Starts an attempt. There must be a worker.
  void start(const AttemptId& id, const v1::Job& job, const Credentials& submitter);
  void stop(const AttemptId& id, internal::v1::StopKind kind);
  void change(const AttemptId& id, const v1::JobSettings& settings);
  // Sends changed weights of owners to the worker. `before` are the weights until now.
  void weigh_anew(const OwnerWeights& before);
  // Checks timeouts, file waits and disk space. May kill the worker.
  void check(TimePoint now);

  void on_progress(const internal::v1::Progress& progress);
  void on_segment_finished(const internal::v1::SegmentFinished& segment);
  void on_log(const internal::v1::LogLine& line);
  // Handles the end of an attempt. Returns false if the attempt is not known any more.
  bool on_end(const internal::v1::FromWorker& message);

 private:
  // An attempt that was passed to the worker, or will be when its files are open.
  struct Attempt {
    // kWaiting: an earlier attempt still uses the work folder.
    enum class Stage { kWaiting, kOpening, kSent };
    AttemptId id;
    v1::Job job;
    Credentials submitter;
    Stage stage = Stage::kWaiting;
    TimePoint since;    // time of start()
    TimePoint opening;  // time at which opening of its files began
    uint64_t heartbeat = 0;
    TimePoint moved{};                 // time of the last rise of the heartbeat
    bool waits_for_file = false;       // as reported last
    bool probes_disk = false;          // true while a thread measures the disk space
    std::optional<TimePoint> stopped;  // time of the first request to stop
    std::optional<TimePoint> stop_by;
    Status out_of_space;  // the reason if it was stopped for lack of space
    DiskBudget::ReservationPtr reservation;
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
  void report_stopped(const Attempt& attempt, const Status& error, bool retriable,
                      const v1::JobResult& result);
  void report_wait(Attempt& attempt, const std::string& reason);
  void send_stop(Attempt& attempt, internal::v1::StopKind kind);

  const WorkerSettings& settings_;
  const v1::DeviceStatus& device_;
  WorkerEvents& events_;
  const PresenceClock& clock_;
  EventLoop& loop_;
  JobOpener opener_;
  WorkerProcess* worker_ = nullptr;  // null if there is none
  std::list<Attempt> attempts_;
  TimePoint next_disk_check_;
};

}  // namespace weft::queue
