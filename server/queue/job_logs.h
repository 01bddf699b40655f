// SPDX-License-Identifier: Apache-2.0
// Stores the log lines of jobs and passes them to subscribed readers.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/status.h"
#include "server/queue/job_table.h"
#include "server/queue/records/workers.h"
#include "server/queue/store/log_store.h"
#include "server/queue/watch.h"

namespace weft::queue {

// Runs on the queue's thread. The constructor's arguments outlive this object.
class JobLogs {
 public:
  // `post` runs work on the queue's thread.
  JobLogs(LogStore& store, const JobTable& jobs, const Clock& clock, Post post)
      : store_(store), jobs_(jobs), clock_(clock), post_(std::move(post)) {}

  void add(const AttemptId& attempt, std::string_view level, std::string_view text);
  // Adds a line that a worker logged. Lines of an older attempt are ignored.
  void add_of_worker(const AttemptId& attempt, std::string_view level, std::string_view text);
  void read(const std::shared_ptr<LogSubscription>& reader, const std::string& id);
  // Notifies the readers of the job's log that there are more lines, or that the job has ended.
  void wake(const std::string& job_id);
  // Deletes the log lines of a job.
  void remove(const std::string& job_id);
  void end_all(const Status& error);

  // Writes waiting lines to the store if next_due() is over.
  void flush_due();
  TimePoint next_due() const { return due_.value_or(TimePoint::max()); }

 private:
  void fill(LogSubscription& reader);

  LogStore& store_;
  const JobTable& jobs_;
  const Clock& clock_;
  const Post post_;
  std::list<std::weak_ptr<LogSubscription>> readers_;
  std::optional<TimePoint> due_;  // time of the next write
};

}  // namespace weft::queue
