// SPDX-License-Identifier: Apache-2.0
// Provides the queue of jobs to the rest of the daemon, as an actor with a thread of its own. Every
// call returns at once. The answer comes through a callback, after the reported state is durable.
//
//   ASSIGN_OR_RETURN(auto queue, Queue::open({.state_folder = folder}, clock));
//   queue->start(supervisor);  // recovers the jobs of an earlier daemon, then places jobs
//   queue->submit({.spec = spec, .settings = settings}, [](StatusOr<v1::Job> job) { ... });
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/placement/owner_shares.h"
#include "server/queue/queue_types.h"
#include "server/queue/records/workers.h"
#include "server/queue/subscription.h"
#include "weft/v1/device_service.pb.h"
#include "weft/v1/job.pb.h"
#include "weft/v1/job_service.pb.h"
#include "weft/v1/statistics_service.pb.h"

namespace weft::queue {

using JobWatch = Subscription<v1::WatchJobsResponse>;
using DeviceWatch = Subscription<v1::DeviceStatus>;
using LogReader = Subscription<v1::ReadJobLogResponse>;

// All calls are thread-safe and return at once. Callbacks run on the queue's thread and must not
// block. Each callback is called exactly once, with UNAVAILABLE if the queue stops first or its
// store cannot be written.
//
// `id` is a job's id or a unique prefix of it, without regard to letter case. NOT_FOUND: there is
// no such job. INVALID_ARGUMENT: the prefix is too short or not unique.
// large class: a function for each request of the services, and for each event of WorkerEvents
class Queue final : public WorkerEvents {
 public:
  template <class T>
  using Callback = std::function<void(StatusOr<T>)>;

  // Opens the store. ABORTED: another daemon uses the folder (the error contains its pid).
  // FAILED_PRECONDITION: a newer version wrote the store. DATA_LOSS: the store is damaged.
  static StatusOr<std::unique_ptr<Queue>> open(const QueueConfig& config, const Clock& clock);
  ~Queue() override;  // calls stop()

  // Returns the constant identity of this store, which distinguishes it from other stores.
  const StoreIdentity& store_identity() const;
  // Returns true if the newest commit was written, that is, if jobs are accepted and continue. Any
  // thread may call it.
  bool is_store_written() const;

  // Starts the queue: jobs that a dead daemon left running return to the queue, and unfinished
  // publishing is repeated. `workers` must outlive the queue, or its stop().
  void start(Workers& workers);

  // Adds a job. A repeated request_id returns the same job, or ALREADY_EXISTS if spec or settings
  // differ. RESOURCE_EXHAUSTED: the queue is full, the job exceeds the disk space, the host memory
  // or its owner's quota. UNAVAILABLE: the daemon drains. FAILED_PRECONDITION: an unfinished job
  // writes the same output, or reads it.
  void submit(Submission submission, Callback<v1::Job> done);
  // Checks a submission without adding it: returns the errors of submit(), or the resulting job
  // without an id and its predicted end.
  void check(Submission submission, Callback<v1::SubmitJobResponse> done);
  // Returns the job with this request_id, if any. ALREADY_EXISTS: its spec or settings differ.
  // Callers use it before they validate a submission, since a repeated submit must succeed although
  // its output exists by then.
  void find_submission(Submission submission, Callback<std::optional<v1::Job>> done);

  void get(std::string id, Callback<v1::Job> done);
  // INVALID_ARGUMENT: the page_token is not from an earlier answer, or the page_size is out of
  // range.
  void list(v1::ListJobsRequest request, Callback<v1::ListJobsResponse> done);

  // FAILED_PRECONDITION: the job's state does not allow the request. A repeated request returns OK.
  void cancel(std::string id, Callback<v1::Job> done);
  void pause(std::string id, Callback<v1::Job> done);
  void resume(std::string id, Callback<v1::Job> done);
  void retry(std::string id, Callback<v1::Job> done);
  // The caller has validated `priority` with check_priority().
  void change_priority(std::string id, int priority, Callback<v1::Job> done);

  // Removes an ended job with its work folder and its log, and answers with the removed job. Its id
  // is not used again. FAILED_PRECONDITION: the job has not ended. UNAVAILABLE: the work folder
  // cannot be removed, and the job is kept.
  void forget(std::string id, Callback<v1::Job> done);

  void explain(std::string id, Callback<v1::ExplainJobResponse> done);

  // Returns a part of a job's decisions from the byte `offset` on. NOT_FOUND: there are none.
  // `done` runs on a thread other than the queue's.
  void read_decisions(std::string id, int64_t offset, Callback<v1::ReadJobDecisionsResponse> done);

  // Returns a reader of the log lines from `first_line` (counted from 0) on. The reader ends after
  // the last line; with `follow`, only when the job has ended. Lines removed beyond the limit of a
  // job's log are left out.
  std::shared_ptr<LogReader> read_log(std::string id, int64_t first_line, bool follow);
  // Reports jobs as they change. Ends early with OUT_OF_RANGE if the resume token is too old or
  // from another store (the caller lists the jobs again), or with RESOURCE_EXHAUSTED if the reader
  // is too slow or there are too many watches.
  std::shared_ptr<JobWatch> watch(v1::JobFilter filter, std::string resume_token);

  void list_devices(Callback<std::vector<v1::DeviceStatus>> done);
  // Returns the newest report of the device's worker, with its table of launch shapes, or an empty
  // report before the first. NOT_FOUND: there is no such device.
  void device_report(std::string id, Callback<internal::v1::DeviceReport> done);
  // Reports a device after each of its samples and changes of state. An empty `ids` selects all
  // devices. A slow reader receives only the newest status of each device.
  std::shared_ptr<DeviceWatch> watch_devices(std::vector<std::string> ids);
  // Drains devices: running work ends and no other starts. The drain is durable. An empty `ids`
  // selects all devices. NOT_FOUND: the error contains the id of a device that does not exist.
  void drain_devices(std::vector<std::string> ids, Callback<std::vector<v1::DeviceStatus>> done);
  // Ends the drain of devices, and returns devices to service after repeated deaths of their
  // workers. With `take`, devices are also taken from another daemon or program that holds their
  // lock; the answer does not wait for this.
  void resume_devices(std::vector<std::string> ids, bool take, Callback<std::vector<v1::DeviceStatus>> done);

  // Pauses the queue: running jobs continue and no other job starts until resume_queue(), also
  // after a restart of the daemon. Streams are unaffected. The answer is true if the queue is
  // paused.
  void pause_queue(Callback<bool> done);
  void resume_queue(Callback<bool> done);

  // Replaces the owner weights of the configuration, from now on.
  void set_owner_weights(OwnerWeights weights);

  void counts(Callback<QueueCounts> done);
  // Reports finished work by day; see read_statistics(). `done` runs on a thread other than the
  // queue's.
  void statistics(v1::GetStatisticsRequest request, Callback<v1::GetStatisticsResponse> done);

  // Drains the server, for SIGTERM: no job starts, submits fail with UNAVAILABLE, and `done` is
  // called once no job runs.
  void drain(std::function<void()> done);
  // Requests running jobs to stop at their next checkpoint. They become QUEUED and resume after the
  // daemon's next start. Callers call drain() first: otherwise the jobs would be started again.
  void checkpoint();
  // Ends the thread and closes the store. Running jobs keep their state and are recovered when the
  // store is opened again.
  void stop();

  // Runs `work` on the queue's thread.
  void post(std::function<void()> work);

  // The functions of WorkerEvents. Any thread may call them; the queue's thread handles the events
  // in order.
  void on_device(const v1::DeviceStatus& device) override;
  void on_report(std::string_view device, const internal::v1::DeviceReport& report) override;
  void on_progress(const AttemptId& attempt, const v1::JobProgress& progress) override;
  void on_segment_finished(const AttemptId& attempt, int index, int64_t units_done) override;
  void on_finished(const AttemptId& attempt, const v1::JobResult& result) override;
  void on_stopped(const AttemptId& attempt, const Status& error, bool retriable,
                  const v1::JobResult& result) override;
  void on_start_refused(const AttemptId& attempt, const Status& error) override;
  void on_out_of_space(const AttemptId& attempt, const Status& error) override;
  void on_session_refused(const AttemptId& attempt, const Status& error, int open,
                          const v1::JobResult& result) override;
  void on_worker_lost(std::string_view device, const std::vector<AttemptId>& attempts,
                      std::string_view reason) override;
  void on_log(const AttemptId& attempt, std::string_view level, std::string_view text) override;
  void on_file_wait(const AttemptId& attempt, std::string_view reason) override;

 private:
  class Actor;
  explicit Queue(std::unique_ptr<Actor> actor);

  std::unique_ptr<Actor> actor_;
};

}  // namespace weft::queue
