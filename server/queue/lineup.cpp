// SPDX-License-Identifier: Apache-2.0
#include "server/queue/lineup.h"

#include <algorithm>
#include <vector>

namespace weft::queue {
namespace {

bool has_open_task(const v1::Job& job, int number) {
  const std::vector<const v1::JobTask*> tasks = open_tasks(job);
  return std::ranges::any_of(tasks, [&](const v1::JobTask* task) { return task->number() == number; });
}

}  // namespace

void Lineup::follow(const JobRecord* before, const JobRecord* after) {
  const TimePoint now = clock_.now();
  if (before != nullptr) {
    const std::string& id = before->job.id();
    for (const v1::JobTask* task : open_tasks(before->job))
      if (!is_same_attempt(*before, after) || !has_open_task(after->job, task->number()))
        placement_.release(task->device(), task_key(before->job, *task), now);
    if (attempt_is_open(before->job) && !is_same_attempt(*before, after))
      placement_.release(attempt_device(before->job), id, now);
    held_.erase({before->not_before, id});
  }
  const bool may_wait = after != nullptr && may_start(*after);
  const bool is_held = after != nullptr && (may_wait || after->publishing) && after->not_before > now;
  const bool waits = may_wait && !is_held;
  if (before != nullptr && !waits) placement_.remove_waiting(before->job.id());
  if (after == nullptr) return;
  const v1::Job& job = after->job;
  if (attempt_is_open(job)) placement_.occupy(attempt_device(job), job, now);
  for (const v1::JobTask* task : open_tasks(job)) placement_.occupy(task->device(), job, now, task);
  if (is_held) held_.emplace(after->not_before, job.id());
  if (waits) placement_.set_waiting(job, now);
}

std::vector<std::string> Lineup::release(const JobTable& jobs) {
  std::vector<std::string> to_publish;
  const TimePoint now = clock_.now();
  while (!held_.empty() && held_.begin()->first <= now) {
    const std::string id = held_.begin()->second;
    held_.erase(held_.begin());
    const RecordPtr record = jobs.find(id);
    if (record->publishing)
      to_publish.push_back(id);
    else
      placement_.set_waiting(record->job, now);
  }
  return to_publish;
}

}  // namespace weft::queue
