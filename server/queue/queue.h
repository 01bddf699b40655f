// SPDX-License-Identifier: Apache-2.0
// The queue of jobs, as the rest of the daemon sees it: an actor with a thread of its own. Every call returns
// at once; its answer comes through a callback, after what it reports is durable.
//
//   ASSIGN_OR_RETURN(auto queue, Queue::open({.state_folder = folder}, clock));
//   queue->start(supervisor);                 // recovers what an earlier daemon left, then places jobs
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

// All calls are thread-safe and return at once. Callbacks run on the queue's thread and must not block; each
// is called exactly once, with UNAVAILABLE when the queue stops first or its store cannot be written.
//
// `id` is a whole id or a beginning that only one job has (letter case does not matter). NOT_FOUND: no such
// job; INVALID_ARGUMENT: too short, more than one has it.
// large class: a function for each request of the services, and for each event of WorkerEvents
class Queue final : public WorkerEvents {
 public:
  template <class T>
  using Callback = std::function<void(StatusOr<T>)>;

  // Opens the store. ABORTED: another daemon has the folder (its pid is named); FAILED_PRECONDITION: the store was
  // written by a newer version; DATA_LOSS: the store is damaged.
  static StatusOr<std::unique_ptr<Queue>> open(const QueueConfig& config, const Clock& clock);
  ~Queue() override;  // stop()

  // Tells this store from others; does not change.
  const StoreIdentity& store_identity() const;
  // Whether the newest commit was written: jobs are taken and go on. Any thread.
  bool is_store_written() const;

  // Begins: what a dead daemon left running goes back to the queue, unfinished publishing is repeated.
  // `workers` must outlive the queue or its stop().
  void start(Workers& workers);

  // Adds a job. The same request_id again: the same job, or ALREADY_EXISTS if spec or settings differ.
  // RESOURCE_EXHAUSTED: the queue is full, or too little space is left beside what other jobs reserve; UNAVAILABLE:
  // draining; FAILED_PRECONDITION: a job that is not final writes the same output, or reads it.
  void submit(Submission submission, Callback<v1::Job> done);
  // Whether submit() would take it now: the same errors; otherwise the job as it would be, without an id, and when it would
  // be done.
  void check(Submission submission, Callback<v1::SubmitJobResponse> done);
  // The job that has this request_id, if any; ALREADY_EXISTS when its spec or settings differ. Ask before
  // validating: a repeated submit must succeed although its output is there by now.
  void find_submission(Submission submission, Callback<std::optional<v1::Job>> done);

  void get(std::string id, Callback<v1::Job> done);
  // INVALID_ARGUMENT: a page_token that no answer had, or a page_size out of range.
  void list(v1::ListJobsRequest request, Callback<v1::ListJobsResponse> done);

  // FAILED_PRECONDITION: not possible in the job's state. Repeating one that is done already is OK.
  void cancel(std::string id, Callback<v1::Job> done);
  void pause(std::string id, Callback<v1::Job> done);
  void resume(std::string id, Callback<v1::Job> done);
  void retry(std::string id, Callback<v1::Job> done);
  // `priority`: as check_priority() allows it.
  void change_priority(std::string id, int priority, Callback<v1::Job> done);

  void explain(std::string id, Callback<v1::ExplainJobResponse> done);

  // Lines from `first_line` (counted from 0) on, then the end; with `follow` the end comes with the job's.
  // Lines that are gone, past the limit a job has, are left out.
  std::shared_ptr<LogReader> read_log(std::string id, int64_t first_line, bool follow);
  // Jobs as they change. Ends early with OUT_OF_RANGE: the resume token is too old or from another store,
  // list again; RESOURCE_EXHAUSTED: the reader is too far behind, or there are too many watches.
  std::shared_ptr<JobWatch> watch(v1::JobFilter filter, std::string resume_token);

  void list_devices(Callback<std::vector<v1::DeviceStatus>> done);
  // The table of shapes of a device, as its worker told it last; an empty one where none has run yet. NOT_FOUND: no such device.
  // The newest report of the device's worker. NOT_FOUND: there is no such device.
  void device_report(std::string id, Callback<internal::v1::DeviceReport> done);
  // Devices whenever a sample or a change of state arrives; empty: all. A slow reader gets the newest of
  // each.
  std::shared_ptr<DeviceWatch> watch_devices(std::vector<std::string> ids);
  // Finish what runs, take no more; durable. Empty: all. NOT_FOUND names a device that is not there.
  void drain_devices(std::vector<std::string> ids, Callback<std::vector<v1::DeviceStatus>> done);
  // Back to work, also after three deaths took the device out of service. `take`: also from another daemon or program that holds its
  // lock; the answer does not wait for that.
  void resume_devices(std::vector<std::string> ids, bool take, Callback<std::vector<v1::DeviceStatus>> done);

  // From now on, instead of the configuration's.
  void set_owner_weights(OwnerWeights weights);

  void counts(Callback<QueueCounts> done);
  // What was done, day by day; see read_statistics. `done` runs on another thread than the queue's.
  void statistics(v1::GetStatisticsRequest request, Callback<v1::GetStatisticsResponse> done);

  // For SIGTERM: starts nothing more, and calls `done` when nothing runs any more. Submits get UNAVAILABLE.
  void drain(std::function<void()> done);
  // Asks what runs to stop at its next checkpoint. Jobs so stopped are QUEUED and go on after the next start. After
  // drain() alone: they would be started again.
  void checkpoint();
  // Ends the thread and closes the store; what runs is left as it is and recovered at the next open.
  void stop();

  // Runs `work` on the queue's thread.
  void post(std::function<void()> work);

  // WorkerEvents: may be called on any thread; they are handled on the queue's, in order.
  void on_device(const v1::DeviceStatus& device) override;
  void on_report(std::string_view device, const internal::v1::DeviceReport& report) override;
  void on_progress(const AttemptId& attempt, const v1::JobProgress& progress) override;
  void on_segment_finished(const AttemptId& attempt, int index, int64_t units_done) override;
  void on_finished(const AttemptId& attempt, const v1::JobResult& result) override;
  void on_stopped(const AttemptId& attempt, const Status& error, bool retriable,
                  const v1::JobResult& result) override;
  void on_start_refused(const AttemptId& attempt, const Status& error) override;
  void on_out_of_space(const AttemptId& attempt, const Status& error) override;
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
