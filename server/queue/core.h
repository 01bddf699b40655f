// SPDX-License-Identifier: Apache-2.0
// The queue without its thread: all state and every rule, driven from outside. The actor (queue.cpp) drives it with
// real time, simulations with a virtual clock.
//
// Work comes in batches. Requests and events change the records in memory; commit() places waiting jobs, makes all of
// it durable in one transaction, and only then answers, tells the watches and turns to the workers. When the store
// cannot be written the whole batch is taken back: requests get the error, events stay for the next batch. So what
// anybody can see is durable, always.
#pragma once

#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/files/work_binding.h"
#include "server/queue/job_table.h"
#include "server/queue/lifecycle.h"
#include "server/queue/placement/device_table.h"
#include "server/queue/placement/placement.h"
#include "server/queue/queue_types.h"
#include "server/queue/records/ulid.h"
#include "server/queue/records/workers.h"
#include "server/queue/store/log_store.h"
#include "server/queue/store/store.h"
#include "server/queue/watch.h"

namespace weft::queue {

inline constexpr size_t kLongestRequestId = 64;  // characters

// What a worker told, or what follows from an action: kept until a commit that has it succeeds.
struct JobEvent {
  std::string job_id;
  Event event;
};
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

  // Runs `work`, which may wait for the file systems of `paths`, on another thread, and hands its event to `done` on the one that
  // drives this. Work of one job is never at hand twice.
  using Elsewhere = std::function<void(std::vector<std::string> paths, std::function<JobEvent()> work,
                                       std::function<void(JobEvent)> done)>;

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
  void on_log(const AttemptId& attempt, std::string_view level, std::string_view text);
  void on_file_wait(const AttemptId& attempt, std::string_view reason);

  // Ends the batch; see above. An error: it was taken back, and is to be tried again after a while.
  Status commit();
  // Whether there is something to do before anything else arrives; and when there will be.
  bool has_work() const { return !inbox_.empty(); }
  TimePoint next_due() const;

  // Reads: answered at once. To be called between batches, so that they see only what is durable.
  StatusOr<v1::Job> get(const std::string& id) const;
  StatusOr<v1::SubmitJobResponse> check(const Submission& submission) const;
  StatusOr<std::optional<v1::Job>> find_submission(const Submission& submission) const;
  // A list in pieces of at most a few milliseconds: begin, then list_some until it is there.
  struct List {
    JobTable::Walk walk;
    std::string resume_token;
  };
  List begin_list(v1::ListJobsRequest request) const;
  StatusOr<std::optional<v1::ListJobsResponse>> list_some(List& list) const;
  StatusOr<v1::ExplainJobResponse> explain(const std::string& id) const;
  std::vector<v1::DeviceStatus> list_devices() const { return devices_.all(); }
  StatusOr<internal::v1::DeviceReport> report_of(const std::string& device) const {
    return devices_.report_of(device);
  }
  QueueCounts counts() const;
  void watch(const std::shared_ptr<JobSubscription>& watch, const std::string& resume_token);
  void watch_devices(const std::shared_ptr<DeviceSubscription>& watch);
  void read_log(const std::shared_ptr<LogSubscription>& reader, const std::string& id);
  // Ends all subscriptions.
  void end_watches(const Status& error);

  // For audits.
  const JobTable& jobs() const { return jobs_; }
  const StoreIdentity& store_identity() const { return store_identity_; }
  const Placement& placement() const { return placement_; }

 private:
  // What the batch at hand did so far.
  struct Batch {
    std::map<std::string, RecordPtr> before;  // of each job it changed; null: it added it
    std::vector<std::pair<RecordPtr, RecordPtr>>
        seen;  // the changes that users see: before and after, in order
    int64_t revision_before = 0;
    std::optional<std::set<std::string>> drained_before;
    std::vector<DurableEvent> events;
    std::vector<std::function<void(const Status&)>> answers;
    std::vector<std::pair<std::string, Action>> actions;
    std::vector<std::pair<std::string, std::string>> logs;  // job, sentence
    std::set<std::string> devices;                          // whose jobs changed
    std::set<std::string> forgotten;                        // have ended; not among `before`
  };

  Core(const QueueConfig& config, const Clock& clock, Store& store, LogStore& logs, Post post,
       Elsewhere elsewhere);
  void load(StoreContent content);
  Now now() const { return {clock_.now(), clock_.wall_now()}; }
  RetryDelays delays() const { return {config_.retry_delay, config_.longest_retry_delay}; }

  // core_submit.cpp: whether a job may be added.
  Status check_files(const v1::JobSpec& spec, const v1::JobSpec& real_paths) const;
  Status check_space(const Submission& submission) const;
  Status check_memory(const Submission& submission) const;
  Status check_owner(const Submission& submission) const;
  Status check_new(const Submission& submission) const;

  // core.cpp: batches.
  StatusOr<RecordPtr> apply_to(const RecordPtr& record, const Event& event);
  void answer_with_job(const std::string& id, Callback<v1::Job> done);
  void put(const RecordPtr& before, const RecordPtr& after, bool seen);
  void index(const JobRecord* before, const JobRecord* after);
  void run_due();
  bool forgets() const;
  void watch_wall_clock();
  struct Kept {
    Duration left;     // until it is forgotten
    bool is_in_order;  // those that ended later by the wall clock are kept longer
  };
  Kept kept_for(const v1::Job& job, Duration kept) const;
  void find_expired();
  void expire(const RecordPtr& record);
  void trim_owners();
  void forget(const std::set<std::string>& ids);
  void remove_orphans();
  void run_inbox();
  void run(const JobEvent& event);
  void run(const WorkerLoss& loss);
  void look_at_memory();
  void place();
  Status write(const Batch& batch);
  void take_back(Batch batch, const Status& error);
  void tell(const Batch& batch);
  void perform(const std::string& id, const Action& action);
  void perform_start(const RecordPtr& record);
  void perform_publish(const RecordPtr& record);
  void work_elsewhere(std::vector<std::string> paths, std::function<JobEvent()> work);
  void log(const std::string& job_id, int attempt, std::string_view level, std::string_view text);
  void keep_speeds();
  void tell_device(const std::string& id);
  void change_drained(std::set<std::string> drained);
  void answer_devices(const std::vector<std::string>& ids,
                      const Callback<std::vector<v1::DeviceStatus>>& done);
  void fill_log(LogSubscription& reader);
  void wake_logs(const std::string& job_id);

  // core_reads.cpp
  v1::Job decorate(const JobRecord& record) const;
  void explain_place(const v1::Job& job, v1::ExplainJobResponse& response) const;
  void explain_streams(const v1::Job& job, v1::ExplainJobResponse& response) const;
  std::string waiting_reason(const JobRecord& record) const;
  void waiting_changed();
  void tell_waiting();
  std::string file_wait(const JobRecord& record) const;

  const QueueConfig config_;
  const Clock& clock_;
  Store& store_;
  LogStore& log_store_;
  Post post_;
  Elsewhere elsewhere_;
  int files_at_work_ = 0;
  Workers* workers_ = nullptr;  // null: not started yet
  StoreIdentity store_identity_;
  int64_t revision_ = 0;
  std::string last_id_;
  UlidSource ulids_{""};

  JobTable jobs_;
  Placement placement_;
  DeviceTable devices_{placement_};
  std::map<std::string, PlacementChoice> choices_;  // of jobs with an open attempt: why it is where it is
  std::map<std::string, std::string>
      file_waits_;  // of jobs with an open attempt: which file system it waits for
  std::map<std::string, TimePoint> publishing_;  // of jobs whose file is being put in its place: since when
  JobWatches watches_;
  std::list<std::weak_ptr<DeviceSubscription>> device_watches_;
  std::list<std::weak_ptr<LogSubscription>> log_readers_;
  std::set<std::pair<TimePoint, std::string>> held_;  // jobs that wait for a time
  TimePoint rests_end_ = TimePoint::max();
  TimePoint expiry_ = TimePoint::max();          // when to look next for jobs that ended long ago
  std::set<std::string> full_owners_;            // of whose jobs more than config_.owner_bytes are remembered
  std::map<std::string, TimePoint> ended_here_;  // jobs that ended since the start, and when
  std::optional<Duration> wall_offset_;          // of the wall clock against the other, when last looked
  TimePoint wall_is_steady_since_{};
  std::optional<TimePoint> logs_due_;
  std::optional<TimePoint> speeds_due_;   // when what was learnt is written though nothing else is
  std::set<std::string> noted_;           // jobs whose finished segments are not written yet
  std::optional<TimePoint> noted_due_;    // when they are, though nothing else is
  std::optional<TimePoint> waiting_due_;  // when watches are told next what queued jobs wait for
  bool waiting_is_stale_ = false;         // since those before waiting_told_to_ were told
  std::string waiting_told_to_;           // the job at which to go on
  std::unordered_map<std::string, size_t> waiting_told_;  // a hash of what was told of each queued job
  std::deque<DurableEvent> inbox_;
  Batch batch_;
  bool draining_ = false;
  std::vector<std::function<void()>> drained_;  // to be called when nothing runs any more
};

}  // namespace weft::queue
