// SPDX-License-Identifier: Apache-2.0
// Processes the queue's requests and events in batches, without a thread of its own. The actor
// (queue.cpp) drives it with real time, simulations with a virtual clock.
//
// Requests and events change the records in memory. commit() places waiting jobs and writes all
// changes of the batch in one transaction. Only then does commit() answer requests, notify the
// watches and call the workers. If the store cannot be written, the whole batch is rolled back:
// requests receive the error, and events stay for the next batch. All visible state is therefore
// durable.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/action_runner.h"
#include "server/queue/forgetting.h"
#include "server/queue/further_tasks.h"
#include "server/queue/job_logs.h"
#include "server/queue/job_table.h"
#include "server/queue/job_views.h"
#include "server/queue/ledger.h"
#include "server/queue/lifecycle.h"
#include "server/queue/lineup.h"
#include "server/queue/placement/device_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/queue_types.h"
#include "server/queue/records/workers.h"
#include "server/queue/retention.h"
#include "server/queue/store/log_store.h"
#include "server/queue/store/store.h"
#include "server/queue/submit_rules.h"
#include "server/queue/waiting_updates.h"
#include "server/queue/watch.h"

namespace weft::queue {

inline constexpr size_t kLongestRequestId = 64;  // characters

// The loss of a device's worker, with the open attempts of that worker.
struct WorkerLoss {
  std::string device;
  std::vector<AttemptId> attempts;
  std::string reason;
};
// An event of a worker, or the result of an action. Retained until a commit with it succeeds.
using DurableEvent = std::variant<JobEvent, WorkerLoss>;

// Not thread-safe, except for end_copies(): one thread drives it.
// large class: a function for each request, and for each event of WorkerEvents
class Core {
 public:
  template <class T>
  using Callback = std::function<void(StatusOr<T>)>;
  using Elsewhere = ActionRunner::Elsewhere;

  // `store` and `logs` are open. `post` runs work on the thread that drives this object.
  static StatusOr<std::unique_ptr<Core>> make(const QueueConfig& config, const Clock& clock, Store& store,
                                              LogStore& logs, Post post, Elsewhere elsewhere);

  // Recovers the jobs of an earlier daemon. Jobs are started from the next commit on.
  void start(Workers& workers);

  // Requests. Each becomes part of the current batch, and commit() answers it; a later commit()
  // answers event::Forget, with the job that was removed.
  void submit(const Submission& submission, Callback<v1::Job> done);
  void request(const std::string& id, const Event& event, const Callback<v1::Job>& done);
  void drain_devices(const std::vector<std::string>& ids, Callback<std::vector<v1::DeviceStatus>> done);
  void resume_devices(const std::vector<std::string>& ids, bool take,
                      Callback<std::vector<v1::DeviceStatus>> done);
  void set_paused(bool paused, Callback<bool> done);
  void drain(std::function<void()> done);
  void checkpoint();
  // Replaces the owner weights of the configuration, from now on.
  void set_owner_weights(OwnerWeights weights) { placement_.set_owner_weights(std::move(weights)); }

  // Events of workers. take() adds an event to the next batch; the other functions take effect at
  // once.
  void take(DurableEvent event) { inbox_.push_back(std::move(event)); }
  void on_device(const v1::DeviceStatus& device);
  void on_report(const std::string& device, const internal::v1::DeviceReport& report);
  void on_progress(const AttemptId& attempt, const v1::JobProgress& progress);
  void on_file_wait(const AttemptId& attempt, std::string_view reason);
  // Ends copies of finished outputs, so that the threads for files can stop. Any thread may call
  // it.
  void end_copies() { actions_.end_copies(); }

  // Ends the batch, as described above. After an error the batch has been rolled back, and the
  // caller repeats commit() after a delay.
  Status commit();
  // Returns true if events wait for the next commit(). next_due() returns the time of the next
  // commit() without an event.
  bool has_work() const { return !inbox_.empty() || (actions_.is_started() && forgetting_.is_due()); }
  TimePoint next_due() const;

  // Reads, answered at once. Callers use them between batches, so that they return durable state
  // only.
  StatusOr<v1::SubmitJobResponse> check(const Submission& submission) const;
  const JobViews& views() const { return views_; }
  const DeviceTable& devices() const { return devices_; }
  void watch(const std::shared_ptr<JobSubscription>& watch, const std::string& resume_token);
  DeviceWatches& device_watches() { return device_watches_; }
  JobLogs& logs() { return logs_; }
  // Ends all subscriptions with `error`.
  void end_watches(const Status& error);

  const StoreIdentity& store_identity() const { return ledger_.store_identity(); }
  // Accessors for the audits of simulations.
  const JobTable& jobs() const { return ledger_.jobs(); }
  const Placement& placement() const { return placement_; }

 private:
  Core(const QueueConfig& config, const Clock& clock, Store& store, LogStore& logs, Post post,
       Elsewhere elsewhere);
  // Updates the derived state after a change of a record, or after its rollback.
  void follow(const JobRecord* before, const JobRecord* after);

  // Steps of a commit.
  void run_events();
  void run(const JobEvent& event);
  void run(const WorkerLoss& loss);
  Event learn_session(const v1::Job& job, const Event& event);
  void place();
  void find_expired();
  void publish(const Ledger::Batch& batch);
  void start_refused(const v1::Job& job, const Status& why);
  void forget(const std::set<std::string>& ids);

  void answer_with_job(const std::string& id, Callback<v1::Job> done);
  void answer_devices(const std::vector<std::string>& ids,
                      const Callback<std::vector<v1::DeviceStatus>>& done);

  const QueueConfig config_;
  const Clock& clock_;
  Placement placement_;
  DeviceTable devices_{placement_};
  Lineup lineup_;
  Ledger ledger_;
  FurtherTasks tasks_{ledger_, placement_};
  ActionRunner actions_;
  JobViews views_;
  JobWatches watches_;
  DeviceWatches device_watches_;
  JobLogs logs_;
  SubmitRules rules_;
  Retention retention_;
  Forgetting forgetting_{ledger_.jobs(), logs_};
  WaitingUpdates waiting_;
  TimePoint rests_end_ = TimePoint::max();  // earliest end of a device's rest
  std::deque<DurableEvent> inbox_;
  // State of the current batch.
  std::vector<DurableEvent> events_;
  std::vector<std::function<void(const Status&)>> answers_;
  bool draining_ = false;
  std::vector<std::function<void()>> drained_;  // callbacks of drain(), called once no job runs
};

}  // namespace weft::queue
