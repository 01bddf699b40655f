// SPDX-License-Identifier: Apache-2.0
// Executes the actions of committed changes: requests to workers, publishing of outputs and removal
// of work folders.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/job_table.h"
#include "server/queue/lifecycle.h"
#include "server/queue/queue_types.h"
#include "server/queue/records/workers.h"

namespace weft::queue {

// A worker's report on a job, or the result of an action.
struct JobEvent {
  std::string job_id;
  Event event;
};

// The publishing of a job's output in progress.
struct PublishingState {
  TimePoint since;
  int64_t done_bytes = 0;   // as in CopyReport
  int64_t total_bytes = 0;  // 0: no copy is in progress
};

class ActionRunner {
 public:
  // Runs `work` on another thread, since `work` may wait for the file systems of `paths`. Then
  // passes the event that `work` returns to `done`, on the thread that drives this object. At most
  // one `work` of a job runs at a time.
  using Elsewhere = std::function<void(std::vector<std::string> paths, std::function<JobEvent()> work,
                                       std::function<void(JobEvent)> done)>;

  // `take` receives the events that actions cause. `clock` outlives this object.
  ActionRunner(const Clock& clock, Elsewhere elsewhere, std::function<void(JobEvent)> take)
      : clock_(clock), elsewhere_(std::move(elsewhere)), take_(std::move(take)) {}

  void start(Workers& workers) { workers_ = &workers; }
  bool is_started() const { return workers_ != nullptr; }

  // Executes one action of a job. Returns an error if a worker refuses to start the attempt.
  Status perform(const RecordPtr& record, const Action& action);
  void take_devices(const std::vector<std::string>& ids);
  // Removes the work folders of unknown jobs: in the folders of outputs and of work of `jobs`, in
  // the state folder, and in the work_dir of the configuration.
  void remove_orphans(const JobTable& jobs, const std::string& store_id, const QueueConfig& config);
  // Ends copies of finished outputs; the next start of the daemon repeats them. Any thread may call
  // it.
  void end_copies() { *copies_end_ = true; }

  bool is_at_work() const { return at_work_ > 0; }
  // Returns the state of the publishing of the job's output, or nullopt if none is in progress.
  std::optional<PublishingState> publishing_of(const std::string& id) const;

 private:
  // The bytes of a copy, written on the thread that copies.
  struct CopiedBytes {
    std::atomic<int64_t> done{0};
    std::atomic<int64_t> total{0};
  };
  struct PublishingWatch {
    TimePoint since;
    std::shared_ptr<const CopiedBytes> copied;
  };

  Status start(const JobRecord& record, int task);
  void publish(const RecordPtr& record);
  void work_elsewhere(std::vector<std::string> paths, std::function<JobEvent()> work);

  const Clock& clock_;
  const Elsewhere elsewhere_;
  const std::function<void(JobEvent)> take_;
  Workers* workers_ = nullptr;  // null before start()
  int at_work_ = 0;             // number of calls to elsewhere_ without a result yet
  std::map<std::string, PublishingWatch> publishing_;
  const std::shared_ptr<std::atomic<bool>> copies_end_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace weft::queue
