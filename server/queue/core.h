// SPDX-License-Identifier: Apache-2.0
// The queue without its thread, driven from outside: it takes requests and events, and ends their batches. The actor (queue.cpp)
// drives it with real time, simulations with a virtual clock.
//
// Work comes in batches. Requests and events change the records in memory; commit() places waiting jobs, makes all of
// it durable in one transaction, and only then answers, tells the watches and turns to the workers. When the store
// cannot be written the whole batch is taken back: requests get the error, events stay for the next batch. So what
// anybody can see is durable, always.
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
#include "server/queue/waiting_tells.h"
#include "server/queue/watch.h"

namespace weft::queue {

inline constexpr size_t kLongestRequestId = 64;  // characters

// What a worker told, or what follows from an action: kept until a commit that has it succeeds.
struct WorkerLoss {
  std::string device;
  std::vector<AttemptId> attempts;
  std::string reason;
};
using DurableEvent = std::variant<JobEvent, WorkerLoss>;

// Not thread-safe: one thread drives it.
class Core {
 public:
  template <class T>
  using Callback = std::function<void(StatusOr<T>)>;
  using Elsewhere = ActionRunner::Elsewhere;

  // `store` and `logs` are open; `post` runs work on the thread that drives this.
  static StatusOr<std::unique_ptr<Core>> make(const QueueConfig& config, const Clock& clock, Store& store,
                                              LogStore& logs, Post post, Elsewhere elsewhere);

  // Recovers what an earlier daemon left; from the next commit on, jobs are started.
  void start(Workers& workers);

  // Requests: part of the batch at hand, answered by commit().
  void submit(const Submission& submission, Callback<v1::Job> done);
  void request(const std::string& id, const Event& event, const Callback<v1::Job>& done);
  void drain_devices(const std::vector<std::string>& ids, Callback<std::vector<v1::DeviceStatus>> done);
  void resume_devices(const std::vector<std::string>& ids, bool take,
                      Callback<std::vector<v1::DeviceStatus>> done);
  void drain(std::function<void()> done);
  void checkpoint();
  // From now on; the configuration's at first.
  void set_owner_weights(OwnerWeights weights) { placement_.set_owner_weights(std::move(weights)); }

  // What workers tell. The first becomes part of the next batch; the others take effect at once.
  void take(DurableEvent event) { inbox_.push_back(std::move(event)); }
  void on_device(const v1::DeviceStatus& device);
  void on_report(const std::string& device, const internal::v1::DeviceReport& report);
  void on_progress(const AttemptId& attempt, const v1::JobProgress& progress);
  void on_file_wait(const AttemptId& attempt, std::string_view reason);

  // Ends the batch; see above. An error: it was taken back, and is to be tried again after a while.
  Status commit();
  // Whether there is something to do before anything else arrives; and when there will be.
  bool has_work() const { return !inbox_.empty(); }
  TimePoint next_due() const;

  // Reads: answered at once. To be called between batches, so that they see only what is durable.
  StatusOr<v1::SubmitJobResponse> check(const Submission& submission) const;
  const JobViews& views() const { return views_; }
  const DeviceTable& devices() const { return devices_; }
  void watch(const std::shared_ptr<JobSubscription>& watch, const std::string& resume_token);
  DeviceWatches& device_watches() { return device_watches_; }
  JobLogs& logs() { return logs_; }
  // Ends all subscriptions.
  void end_watches(const Status& error);

  const StoreIdentity& store_identity() const { return ledger_.store_identity(); }
  // For audits.
  const JobTable& jobs() const { return ledger_.jobs(); }
  const Placement& placement() const { return placement_; }

 private:
  Core(const QueueConfig& config, const Clock& clock, Store& store, LogStore& logs, Post post,
       Elsewhere elsewhere);
  // A record changed, or the change was taken back.
  void follow(const JobRecord* before, const JobRecord* after);

  // Parts of a commit.
  void run_due();
  void run_inbox();
  void run(const JobEvent& event);
  void run(const WorkerLoss& loss);
  void place();
  void find_expired();
  void tell(const Ledger::Batch& batch);
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
  ActionRunner actions_;
  JobViews views_;
  JobWatches watches_;
  DeviceWatches device_watches_;
  JobLogs logs_;
  SubmitRules rules_;
  Retention retention_;
  WaitingTells waiting_;
  TimePoint rests_end_ = TimePoint::max();  // of devices
  std::deque<DurableEvent> inbox_;
  // Of the batch at hand.
  std::vector<DurableEvent> events_;
  std::vector<std::function<void(const Status&)>> answers_;
  bool draining_ = false;
  std::vector<std::function<void()>> drained_;  // to be called when nothing runs any more
};

}  // namespace weft::queue
