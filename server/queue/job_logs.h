// SPDX-License-Identifier: Apache-2.0
// The logs of jobs, and their readers.
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

// Constructor arguments outlive it. On the queue's thread.
class JobLogs {
 public:
  // `post` runs work on that thread.
  JobLogs(LogStore& store, const JobTable& jobs, const Clock& clock, Post post)
      : store_(store), jobs_(jobs), clock_(clock), post_(std::move(post)) {}

  void add(const AttemptId& attempt, std::string_view level, std::string_view text);
  // The same of a worker: only the newest attempt is listened to.
  void add_of_worker(const AttemptId& attempt, std::string_view level, std::string_view text);
  void read(const std::shared_ptr<LogSubscription>& reader, const std::string& id);
  // The job has ended, or has more lines.
  void wake(const std::string& job_id);
  // Forgets the lines of a job.
  void remove(const std::string& job_id);
  void end_all(const Status& error);

  // Writes the lines that have waited for long enough.
  void flush_due();
  TimePoint next_due() const { return due_.value_or(TimePoint::max()); }

 private:
  void fill(LogSubscription& reader);

  LogStore& store_;
  const JobTable& jobs_;
  const Clock& clock_;
  const Post post_;
  std::list<std::weak_ptr<LogSubscription>> readers_;
  std::optional<TimePoint> due_;  // when lines are written
};

}  // namespace weft::queue
