// SPDX-License-Identifier: Apache-2.0
#include "server/queue/further_tasks.h"

#include <type_traits>
#include <utility>
#include <variant>

namespace weft::queue {
namespace {

// Returns the number of the attempt that the event ends, or nullopt for other events.
std::optional<int> ended_attempt(const Event& event) {
  return std::visit(
      []<class E>(const E& each) -> std::optional<int> {
        constexpr bool ends = std::is_same_v<E, event::Finished> || std::is_same_v<E, event::Stopped> ||
                              std::is_same_v<E, event::NoRoom> || std::is_same_v<E, event::WorkerLost> ||
                              std::is_same_v<E, event::SessionRefused> ||
                              std::is_same_v<E, event::StartRefused>;
        if constexpr (ends)
          return each.attempt;
        else
          return std::nullopt;
      },
      event);
}

}  // namespace

RecordPtr FurtherTasks::stop(const RecordPtr& record, int task, internal::v1::StopKind kind) {
  const StatusOr<RecordPtr> after = ledger_.apply(record, event::StopTask{task, kind});
  return after.ok() ? *after : record;
}

void FurtherTasks::place() {
  for (const std::string& id : ledger_.jobs().ids(v1::JOB_STATE_RUNNING)) {
    RecordPtr record = ledger_.jobs().find(id);
    if (record->job.settings().devices().empty() || record->checkpointing || held_.contains(id)) continue;
    const RecordPtr before = record;
    for (const v1::JobTask* task : open_tasks(before->job))
      if (!task->stopping() && placement_.must_leave(*task))
        record = stop(record, task->number(), internal::v1::STOP_KIND_CHECKPOINT);
    while (const std::optional<TaskAssignment> task = placement_.next(record->job)) {
      const StatusOr<RecordPtr> after = ledger_.apply(record, event::StartTask{task->device, task->memory});
      if (!after.ok()) break;
      record = *after;
    }
  }
}

bool FurtherTasks::hold(const JobEvent& event) {
  const std::optional<int> attempt = ended_attempt(event.event);
  if (!attempt) return false;
  const RecordPtr record = ledger_.jobs().find(event.job_id);
  if (record == nullptr || *attempt != record->job.attempt()) return false;
  const std::vector<const v1::JobTask*> tasks = open_tasks(record->job);
  RecordPtr stopping = record;
  for (const v1::JobTask* task : tasks)
    stopping = stop(stopping, task->number(), internal::v1::STOP_KIND_PAUSE);
  if (!tasks.empty()) held_.insert_or_assign(event.job_id, event);
  return !tasks.empty();
}

std::optional<JobEvent> FurtherTasks::release(const std::string& job_id) {
  const auto held = held_.find(job_id);
  const RecordPtr record = ledger_.jobs().find(job_id);
  if (held == held_.end() || (record != nullptr && !open_tasks(record->job).empty())) return std::nullopt;
  JobEvent event = std::move(held->second);
  held_.erase(held);
  return event;
}

}  // namespace weft::queue
