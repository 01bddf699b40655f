// SPDX-License-Identifier: Apache-2.0
#include "server/queue/action_runner.h"

#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "base/fault_point.h"
#include "base/log.h"
#include "server/queue/files/job_files.h"
#include "server/queue/records/job_filter.h"
#include "server/queue/records/ulid.h"

namespace weft::queue {

Status ActionRunner::perform(const RecordPtr& record, const Action& action) {
  if (workers_ == nullptr) return ok_status();
  const std::string& id = record->job.id();
  switch (action.kind) {
    case Action::Kind::kStart:
      return start(*record, action.task);
    case Action::Kind::kStop:
      workers_->stop({id, record->job.attempt(), action.task}, action.stop);
      break;
    case Action::Kind::kChange:
      workers_->change({id, record->job.attempt()}, record->job.settings());
      break;
    case Action::Kind::kPublish:
      publish(record);
      break;
    case Action::Kind::kDiscard:
      work_elsewhere(written_paths_of(record->job), [workers = workers_, record] {
        const Status status = workers->discard(record->job);
        FAULT_POINT("queue.discard.after");
        return JobEvent{record->job.id(), event::Discarded{status}};
      });
      break;
  }
  return ok_status();
}

Status ActionRunner::start(const JobRecord& record, int task) {
  FAULT_POINT("queue.start.before");
  std::string device = record.job.device();
  for (const v1::JobTask* open : open_tasks(record.job))
    if (open->number() == task) device = open->device();
  return workers_->start({record.job.id(), record.job.attempt(), task}, record, device);
}

void ActionRunner::publish(const RecordPtr& record) {
  const auto copied = std::make_shared<CopiedBytes>();
  publishing_[record->job.id()] = {clock_.now(), copied};
  const CopyReport report = [copied, end = copies_end_](int64_t done_bytes, int64_t total_bytes) {
    copied->done = done_bytes;
    copied->total = total_bytes;
    return *end ? unavailable(
                      "The daemon stopped during the copy of the finished output; its next start repeats it.")
                : ok_status();
  };
  work_elsewhere(written_paths_of(record->job), [workers = workers_, record, report] {
    FAULT_POINT("queue.publish.before_rename");
    const Status status = workers->publish(*record, report);
    FAULT_POINT("queue.publish.after_rename");
    if (!status.ok())
      log_warning({.job = record->job.id(), .attempt = record->job.attempt()}, "Publishing failed: {}",
                  message_of(status));
    return JobEvent{record->job.id(), event::Published{record->job.attempt(), status}};
  });
}

void ActionRunner::work_elsewhere(std::vector<std::string> paths, std::function<JobEvent()> work) {
  at_work_++;
  elsewhere_(std::move(paths), std::move(work), [this](JobEvent event) {
    at_work_--;
    if (std::holds_alternative<event::Published>(event.event)) publishing_.erase(event.job_id);
    take_(std::move(event));
  });
}

std::optional<PublishingState> ActionRunner::publishing_of(const std::string& id) const {
  const auto known = publishing_.find(id);
  if (known == publishing_.end()) return std::nullopt;
  const auto& [since, copied] = known->second;
  return PublishingState{since, copied->done, copied->total};
}

void ActionRunner::take_devices(const std::vector<std::string>& ids) {
  if (workers_ == nullptr) return;
  for (const std::string& id : ids) workers_->take_device(id);
}

// Works on each folder separately, since the file system of one of them may hang.
void ActionRunner::remove_orphans(const JobTable& jobs, const std::string& store_id,
                                  const QueueConfig& config) {
  const auto known = std::make_shared<KnownJobs>();
  known->store_id = store_id;
  known->before = first_ulid_at(clock_.wall_now());
  known->ids = jobs.ids();
  std::set<std::string> locations = {work_location_of(config.state_folder)};
  if (!config.work_folder.empty()) locations.insert(config.work_folder);
  for (const std::string& id : known->ids) {
    const v1::Job& job = jobs.find(id)->job;
    for (const std::string& output : outputs_of_spec(job.spec()))
      locations.insert(std::filesystem::path(output).parent_path().string());
    if (!job.work_location().empty()) locations.insert(job.work_location());
  }
  for (const std::string& folder : locations)
    work_elsewhere({folder}, [workers = workers_, folder, known] {
      workers->remove_orphans(*known, folder);
      return JobEvent{};  // an event without a job, which is ignored
    });
}

}  // namespace weft::queue
